import type { TextType } from '../types.ts';

const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, '0');

/** A UUID of version 4 that nothing else has: its last digits are a number. */
export const numberedUuid = (n: number): string => `00000000-0000-4000-8000-${hex(n, 12)}`;

/** A text of each format, and another one for another number. */
export const FORMS: Readonly<Record<NonNullable<TextType['format']>, (n: number) => string>> = {
  email: (n) => `person${n}@example.com`,
  uri: (n) => `https://example.com/${n}`,
  hostname: (n) => `host${n}.example.com`,
  ipv4: (n) => `192.0.2.${n % 256}`,
  ipv6: (n) => `2001:db8::${hex(n, 1)}`,
  uuid: numberedUuid,
  'time zone': () => 'Europe/Berlin',
  'webhook secret': (n) => `whsec_${Buffer.alloc(32, `example ${n}`).toString('base64')}`,
  password: () => 'an example password',
};
