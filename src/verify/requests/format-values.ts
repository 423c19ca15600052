import { FORMS } from '../../contract/samples/forms.ts';
import type { TextType } from '../../contract/types.ts';
import { allowed, refused, type Variant, type Varying, variant } from './variant.ts';

type Format = NonNullable<TextType['format']>;

const LABEL_MOST = 63;
const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 's').toString('base64')}`;

/** Texts that are of a format, though they may not look so, and texts that only look so. */
const TEXTS: Readonly<Record<Format, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  email: {
    good: ['A.B+c@EXAMPLE.com', 'a@b', "o'neil@example.com", 'a..b@example.com', '1@2.3'],
    bad: [
      'no at',
      'a@',
      '@b.c',
      'a b@c.de',
      'a@b@c.de',
      'a@-b.de',
      'a@b-.de',
      'ä@example.com',
      'a@b..de',
      'a@b.',
      '"a"@b',
    ],
  },
  uri: {
    good: ['urn:a:b', 'mailto:a@b.c', 'HTTP://EXAMPLE.com', 'https://[2001:db8::1]:80/a?b#c', 'a:'],
    bad: [
      '/relative',
      '//example.com',
      'http://a b',
      'http://a/%zz',
      'http://ä.de',
      'http://[::1',
      '1a:b',
      'a',
      'http://a/<b>',
    ],
  },
  hostname: {
    good: ['localhost', 'A.example', 'xn--a.example', '1a.b', `${'a'.repeat(LABEL_MOST)}.example`],
    bad: [
      '-a.example',
      'a-.example',
      'a..b',
      'a_b',
      'a.1',
      '192.0.2.1',
      `${'a'.repeat(LABEL_MOST + 1)}.example`,
      'a.',
      'ä.de',
    ],
  },
  ipv4: {
    good: ['0.0.0.0', '255.255.255.255'],
    bad: ['256.0.0.1', '192.0.2', '192.0.2.01', '192.0.2.1.5', ' 192.0.2.1', '0x7f.0.0.1', '3221225985', '::1'],
  },
  ipv6: {
    good: ['::', '::1', '2001:DB8::1', '::ffff:192.0.2.1', '1:2:3:4:5:6:7:8'],
    bad: [
      ':::',
      '1:2:3:4:5:6:7',
      '1::2::3',
      '12345::',
      'g::',
      '[::1]',
      'fe80::1%eth0',
      '192.0.2.1',
      '1:2:3:4:5:6:7:8:9',
    ],
  },
  uuid: {
    good: ['6BA7B810-9DAD-41D1-80B4-00C04FD430C8'],
    bad: [
      '6ba7b8109dad41d180b400c04fd430c8',
      '{6ba7b810-9dad-41d1-80b4-00c04fd430c8}',
      'urn:uuid:6ba7b810-9dad-41d1-80b4-00c04fd430c8',
      '6ba7b810-9dad-41d1-80b4-00c04fd430c',
      '6ba7b810-9dad-41d1-80b4-00c04fd430c80',
      '6ba7b810-9dad-41d1-80b4-00c04fd430cg',
      '6ba7b810-9dad-41d1-80b400c04fd430c8-',
      ' 6ba7b810-9dad-41d1-80b4-00c04fd430c8',
      'nothing',
      '1',
    ],
  },
  'time zone': {
    good: ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'],
    bad: ['europe/berlin', 'Mars/Base', 'CET+1', '+01:00', 'Europe', 'Europe/Berlin ', ''],
  },
  'webhook secret': {
    good: [secretOf(24), secretOf(64)],
    bad: [secretOf(23), secretOf(65), secretOf(32).slice(6), 'whsec_', 'whsec_!!!!', secretOf(32).toUpperCase()],
  },
  password: { good: ['pass word 1', '        ', 'пароль-пароль', '😀😀😀😀😀😀😀😀'], bad: [] },
};

export function formatVariants(format: Format, max: number | null, { random }: Varying): Variant[] {
  const { good, bad } = TEXTS[format];
  const fits = (text: string): boolean => text.length <= (max ?? text.length);
  const made = FORMS[format](random.int(1, 9999));
  return [
    allowed(made, `is “${made}”, of the format ${format}`),
    ...good.map((one) => variant(one, `is ${one}, of the format ${format}`, fits(one))),
    ...bad.map((one) => refused(one, `is ${JSON.stringify(one)}, not of the format ${format}`)),
    ...(format === 'uuid'
      ? [variant('00000000-0000-0000-0000-000000000000', 'is the UUID that is all zeros', false)]
      : []),
    ...long(format, max),
  ];
}

/** A text of a format that is as long as it may be, and one that is longer. */
function long(format: Format, max: number | null): Variant[] {
  if (max === null || max > 10_000) return [];
  const ends: Partial<Record<Format, readonly [string, string]>> = {
    email: ['', '@example.com'],
    uri: ['https://example.com/', ''],
    password: ['', ''],
  };
  const [before, after] = ends[format] ?? [null, null];
  if (before === null) return [];
  const of = (length: number): string =>
    `${before}${'a'.repeat(Math.max(0, length - before.length - after.length))}${after}`;
  return [
    allowed(of(max), `has ${max} characters, its most`),
    refused(of(max + 1), `has ${max + 1} characters, one more than its most`),
  ];
}
