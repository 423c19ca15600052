import type { ContractType, MemberContract, TextType } from '../../src/contract/types.ts';
import { fc } from '../seeded.ts';

type Made = fc.Arbitrary<unknown>;

/** What is no value of most types. */
const STRANGE: Made = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 9e15, '', ' ', 'x', [], {}, [null], { x: 1 });
const FORMS: Readonly<Record<NonNullable<TextType['format']>, Made>> = {
  email: fc.oneof(
    fc.emailAddress(),
    fc.constantFrom(
      ...[
        'a@b',
        'a@b.c',
        '@b',
        'a@-b',
        'ü@b.c',
        '"a b"@c.d',
        'a@[1.2.3.4]',
        'a..b@c.d',
        '.a@b.c',
        'a@b..c',
        'a@b.',
        'a@b@c',
      ],
      `a@${'b'.repeat(64)}.c`,
      `${'a'.repeat(300)}@b.c`,
    ),
  ),
  uri: fc.oneof(
    fc.webUrl(),
    fc.constantFrom(
      ...[
        'a:',
        'http://a b',
        '/a',
        'http://a/%',
        'urn:x:y',
        'http://[::1',
        'http://[::1]/',
        'http://a/%zz',
        'http://ü',
        '//a',
      ],
      ...[
        'mailto:a@b',
        'http://',
        'http:///',
        'http://a:b',
        'http://a:99999',
        'HTTP://A',
        'a b:c',
        'http://a/\\',
        'http://a/#b#c',
      ],
    ),
  ),
  hostname: fc.oneof(
    fc.domain(),
    fc.constantFrom('a', 'a.', '-a', '1.2.3.4', 'a..b', 'a_b', 'xn--a', '1', 'a.1', 'ü.de', `${'a'.repeat(64)}.b`),
  ),
  ipv4: fc.oneof(fc.ipV4(), fc.constantFrom('1.2.3', '01.2.3.4', '256.0.0.1', '1.2.3.4.', '0x1.2.3.4', '1.2.3.4/8')),
  ipv6: fc.oneof(
    fc.ipV6(),
    fc.constantFrom('::', ':::', '::1%a', '::ffff:1.2.3.4', '1::2::3', '[::1]', '1:2:3:4:5:6:7:8:9', '::1.2.3'),
  ),
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((one) => one.toUpperCase()),
    fc.uuid().map((one) => one.replaceAll('-', '')),
    fc.uuid().map((one) => `urn:uuid:${one}`),
    fc.uuid().map((one) => `{${one}}`),
    fc.uuid().map((one) => ` ${one}`),
    fc.constantFrom('1-2-3', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  ),
  'time zone': fc.constantFrom('Europe/Berlin', 'UTC', 'Europe/Nowhere', ''),
  'webhook secret': fc.constantFrom(`whsec_${Buffer.alloc(32).toString('base64')}`, 'whsec_', 'x'),
  password: fc.string({ maxLength: 90 }),
};

/** Values of a type, values that are nearly so, and values that are nothing like it. */
export function valuesOf(type: ContractType): Made {
  return fc.oneof({ arbitrary: near(type), weight: 50 }, { arbitrary: STRANGE, weight: 1 });
}

function near(type: ContractType): Made {
  switch (type.kind) {
    case 'text':
      return text(type);
    case 'integer':
      return numbers(type.min, type.max);
    case 'decimal': {
      const amounts = numbers(Number(type.min ?? -5), Number(type.max ?? 500)).map(String);
      const digits = fc.constantFrom('', '', '.5', '.25', '.250', '.0', '.12345', '.00000', 'e3', '.');
      const written = fc.tuple(amounts, digits).map((parts) => parts.join(''));
      return type.as === 'strings' ? written : written.map(Number).filter(Number.isFinite);
    }
    case 'boolean':
      return fc.boolean();
    case 'timestamp':
      return fc.tuple(days(), times()).map((parts) => parts.join(''));
    case 'date':
      return days();
    case 'duration':
      return fc.constantFrom(
        'PT0S',
        'PT1H',
        'PT1.5S',
        'P1D',
        'P1W',
        'P1W1D',
        'P',
        'PT',
        'P1Y',
        '-PT1H',
        'P400D',
        'PT1H30M',
        '1h',
        'PT',
        'P1M',
        'PT0.0004S',
        'PT1.000S',
        'PT1,5S',
        'pt1h',
        'P999999999999D',
        'P9999999999999D',
        'PT1H1H',
        'P1DT',
        '+PT1H',
      );
    case 'list':
    case 'set':
      return fc.array(valuesOf(type.of), { maxLength: Math.min(6, (type.max ?? 4) + 1) });
    case 'map': {
      const keys = type.keys ? text(type.keys.kind === 'text' ? type.keys : TEXT) : fc.string();
      return fc.dictionary(keys.map(String), valuesOf(type.of), { maxKeys: Math.min(12, (type.max ?? 4) + 1) });
    }
    case 'object':
      return bodyOf(type.members);
    default:
      return STRANGE;
  }
}

const TEXT: TextType = { kind: 'text', min: null, max: null, pattern: null, format: null, oneOf: null };

function text({ min, max, pattern, format, oneOf }: TextType): Made {
  const edges = [min, max].flatMap((one) => (one === null ? [] : [one - 1, one, one + 1])).filter((one) => one >= 0);
  const plain = fc.oneof(
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.string({ maxLength: 12, unit: 'grapheme' }),
    fc.string({ maxLength: 12 }),
  );
  const bounded = edges.length
    ? [
        fc
          .tuple(fc.constantFrom(...edges), fc.constantFrom('a', '𝒂', 'e\u0301', '\ud800'))
          .map(([n, one]) => one.repeat(n)),
      ]
    : [];
  const formed: Made[] = [
    ...(pattern === null ? [] : [fc.stringMatching(new RegExp(pattern))]),
    ...(format === null ? [] : [FORMS[format]]),
    ...(oneOf ? [fc.constantFrom(...oneOf)] : []),
  ];
  const loose = fc.oneof(plain, plain, ...bounded);
  const made = formed.length
    ? [
        { arbitrary: fc.oneof(...formed), weight: 12 },
        { arbitrary: loose, weight: 1 },
      ]
    : [{ arbitrary: loose, weight: 1 }];
  const one = fc.oneof(...made).map(String);
  const around = fc.constantFrom(
    (it: string) => ` ${it}`,
    (it: string) => `${it}\n`,
    (it: string) => `${it}\0`,
    (it: string) => `${it}\ud800`,
  );
  return fc.oneof(
    { arbitrary: one, weight: 40 },
    { arbitrary: fc.tuple(one, around).map(([it, f]) => f(it)), weight: 1 },
  );
}

const numbers = (min: number | null, max: number | null): Made => {
  const edges = [min, max].flatMap((one) => (one === null ? [] : [one - 1, one, one + 1]));
  const inside = fc.integer({
    min: Math.ceil(Math.max(min ?? -1000, -1e9)),
    max: Math.floor(Math.min(max ?? 1000, 1e9)),
  });
  return fc.oneof({ arbitrary: inside, weight: 12 }, { arbitrary: fc.constantFrom(0, 1.5, 1.0, ...edges), weight: 1 });
};

const days = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      ...['2026-02-29', '2024-02-29', '0000-01-01', '2026-13-01', '2026-1-1', '2026-04-31', '0001-01-01', '9999-12-31'],
      ...[
        '1900-02-29',
        '2000-02-29',
        '10000-01-01',
        '-0001-01-01',
        '2026-00-01',
        '2026-01-00',
        '20260101',
        '２026-01-01',
      ],
    ),
    fc.date({ min: new Date(0), noInvalidDate: true }).map((one) => one.toISOString().slice(0, 10)),
  );

const times = (): fc.Arbitrary<string> =>
  fc.constantFrom(
    'T10:00:00Z',
    'T10:30:00Z',
    'T10:00:01Z',
    'T10:00:00.000Z',
    'T10:00:00.5Z',
    'T24:00:00Z',
    'T00:00:00Z',
    'T10:00:00.1234Z',
    'T10:00:00.000000Z',
    'T10:00:00,5Z',
    't10:00:00z',
    ' 10:00:00Z',
    'T10:00:00-00:00',
    'T10:00:00+05:30',
    'T10:00:00',
    'T23:59:60Z',
    'T10:00Z',
    'T10:00:00+00:00',
    '',
  );

/** Objects with those members, of which some may be missing, and at times another. */
export function bodyOf(members: readonly MemberContract[]): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(
    members.map((one) => [one.name, fc.option(valuesOf(one.type), { freq: one.nullable ? 8 : 50 })]),
  );
  const optional = members.filter((one) => one.presence === 'optional').map((one) => one.name);
  const required = members.map((one) => one.name).filter((name) => !optional.includes(name));
  const whole = fc.record(values, { requiredKeys: required });
  const less = fc.record(values, { requiredKeys: [] });
  const more = whole.map((one) => ({ ...one, 'no such member': 1 }));
  return fc.oneof({ arbitrary: whole, weight: 10 }, { arbitrary: less, weight: 1 }, { arbitrary: more, weight: 1 });
}
