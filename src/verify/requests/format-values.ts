import { FORMS } from '../../contract/samples/forms.ts';
import type { TextType } from '../../contract/types.ts';
import { refused, type Variant, type Varying, variant } from './variant.ts';

type Format = NonNullable<TextType['format']>;

const LABEL_MOST = 63;
const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 's').toString('base64')}`;

/** For each format, unusual texts that have it, and texts that only seem to have it. */
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

/** Texts that have a format, texts that almost have it, and texts at the bounds of the length. */
export function formatVariants(format: Format, bounds: Bounds, { random, good: held }: Varying): Variant[] {
  const { good, bad } = TEXTS[format];
  const { min, max } = bounds;
  const fits = (text: string): boolean => {
    const length = [...text].length;
    return length >= (min ?? 0) && length <= (max ?? length);
  };
  const made = FORMS[format](random.int(1, 9999));
  return [
    variant(made, `is “${made}”, of the format ${format}`, fits(made)),
    ...good.map((one) => variant(one, `is ${one}, of the format ${format}`, fits(one))),
    ...bad.map((one) => refused(one, `is ${JSON.stringify(one)}, not of the format ${format}`)),
    ...(format === 'uuid'
      ? [variant('00000000-0000-0000-0000-000000000000', 'is the UUID that is all zeros', false)]
      : []),
    ...(format === 'password' && typeof held === 'string' ? nearPasswords(held, fits) : []),
    ...atBounds(format, bounds),
  ];
}

/**
 * Passwords similar to the right one: a service accepts them by mistake if it compares only a part, or ignores case.
 */
function nearPasswords(good: string, fits: (text: string) => boolean): Variant[] {
  const last = good.endsWith('x') ? 'y' : 'x';
  const near: ReadonlyArray<readonly [text: string, what: string]> = [
    [good.slice(0, -1) + last, 'with another last character'],
    [good + last, 'with a character more'],
    [good === good.toUpperCase() ? good.toLowerCase() : good.toUpperCase(), 'in other letters'],
  ];
  return near
    .filter(([text]) => text !== good)
    .map(([text, what]) => variant(text, `is “${good}” ${what}`, fits(text)));
}

/** The least and the greatest length of a text in characters; null if the document states none. */
type Bounds = Pick<TextType, 'min' | 'max'>;

/** The longest text that is generated: requests with longer texts would exceed other bounds first. */
const LONGEST = 10_000;

/** Texts of a format with the greatest and the least length, and with one character more or less. */
function atBounds(format: Format, { min, max }: Bounds): Variant[] {
  const lengths: ReadonlyArray<readonly [length: number | null, what: string, valid: boolean]> = [
    [max, 'its most', true],
    [max && max + 1, 'one more than its most', false],
    [min, 'its least', true],
    [min && min - 1, 'one fewer than its least', false],
  ];
  return lengths.flatMap(([length, what, valid]) => {
    const text = length === null || length < 1 || length > LONGEST ? null : ofLength(format, length);
    return text === null ? [] : [variant(text, `has ${length} characters, ${what}`, valid)];
  });
}

/** A text of a format with `length` characters; null if no such text is known. */
function ofLength(format: Format, length: number): string | null {
  const between = (before: string, after: string): string | null => {
    const left = length - before.length - after.length;
    return left < 1 ? null : `${before}${'a'.repeat(left)}${after}`;
  };
  switch (format) {
    case 'email':
      return between('', '@example.com') ?? between('', '@b');
    case 'uri':
      return between('https://example.com/', '') ?? between('a:', '');
    case 'password':
      return between('', '');
    case 'hostname':
      // A hostname must not end with a dot.
      return withDots('a'.repeat(length), length % (LABEL_MOST + 1) === 0 ? LABEL_MOST - 1 : LABEL_MOST);
    case 'ipv4':
      return ofGroups(4, '.', 3, length);
    case 'ipv6':
      return ofGroups(8, ':', 4, length);
    default:
      return null;
  }
}

/** Replaces characters of a text by dots, with `each` characters between two dots. */
const withDots = (text: string, each: number): string =>
  [...text].map((char, i) => (i % (each + 1) === each ? '.' : char)).join('');

/**
 * A text of `length` characters: `count` groups of at most `most` digits, separated by `sign`; null if the length is
 * impossible.
 */
function ofGroups(count: number, sign: string, most: number, length: number): string | null {
  const digits = length - (count - 1);
  if (digits < count || digits > count * most) return null;
  const sizes = Array.from({ length: count }, (_, i) => Math.floor(digits / count) + (i < digits % count ? 1 : 0));
  return sizes.map((size) => '1'.repeat(size)).join(sign);
}
