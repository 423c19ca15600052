/** JSON texts after JSONTestSuite (nst/JSONTestSuite): `n` are refused by RFC 8259, `y` are JSON and no objects. */

const bytes = (...list: number[]): Buffer => Buffer.from(list);
const around = (middle: Buffer): Buffer => Buffer.concat([Buffer.from('{"sku":"'), middle, Buffer.from('"}')]);
const quantity = (text: string): string => `{"sku":"ABC-1234","quantity":${text}}`;

/** Numbers that aren’t JSON. */
const NUMBERS = [
  ...[
    '+1',
    '-',
    '-01',
    '01',
    '1.',
    '.5',
    '-.5',
    '1e',
    '1e+',
    '1E-',
    '0x10',
    '1_000',
    '1 000',
    'NaN',
    'Infinity',
    '-Infinity',
  ],
  ...[
    '1.e1',
    '0e',
    '0.3e+',
    '2.e3',
    '1eE2',
    '--1',
    '1a',
    '1+2',
    '１',
    '1/2',
    '-foo',
    '-1x',
    '012',
    '9.e+',
    '0.1.2',
    "'1'",
  ],
];

const SHAPES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '{}}',
    '{"a"',
    '{"a":',
    '{"a":}',
    '{"a" 1}',
    '{"a":1,}',
    '{,}',
    '{"a":1,,"b":2}',
    '{a:1}',
    "{'a':1}",
  ],
  ...[
    '{"a":1 "b":2}',
    '{"a":"a',
    '{"a":\'a\'}',
    '{"a":1}{"b":2}',
    '{"a":1}#',
    '{"a":1}/**/',
    '/*c*/{"a":1}',
    '{"a":1}//',
    '{1:1}',
  ],
  ...[
    '{null:1}',
    '{"a":tru}',
    '{"a":True}',
    '{"a":nul}',
    '{"a":undefined}',
    '{"a"::1}',
    '{"a":[1}',
    '{"a":[1,]}',
    '{"a":[,1]}',
  ],
  ...[
    '[1,]',
    '["a"',
    '[1 2]',
    '[1:2]',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{"a":"\\u{1}"}',
    '{"a":"\\"}',
    '{"a":"\\uD80"}',
    '"',
    '""""',
  ],
  ...[
    '{"a":"\t"}',
    '{"a":"\n"}',
    '{"a":"\u0000"}',
    '\u0000{}',
    '{}\u0000',
    '\f{}',
    '\u00a0{}',
    '\u2028{}',
    '{}x',
    '$',
    'abc',
    "''",
  ],
  ...['{"a":1}\u200b', '*', '<a>', 'a=1&b=2', '--', ' ', '\n', ''],
];

const NOT_TEXT: ReadonlyArray<readonly [string, Buffer]> = [
  ['byte order mark', Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from('{}')])],
  ['UTF-16', Buffer.from('{"sku":"ABC-1234","quantity":1}', 'utf16le')],
  ['UTF-16 with its mark', Buffer.concat([bytes(0xff, 0xfe), Buffer.from('{}', 'utf16le')])],
  ['a lone continuation', around(bytes(0x80))],
  ['an overlong slash', around(bytes(0xc0, 0xaf))],
  ['an overlong NUL', around(bytes(0xe0, 0x80, 0x80))],
  ['a surrogate in UTF-8', around(bytes(0xed, 0xa0, 0x80))],
  ['past U+10FFFF', around(bytes(0xf4, 0x90, 0x80, 0x80))],
  ['a cut character', around(bytes(0xe2, 0x82))],
  ['Latin-1', around(bytes(0xe9))],
  ['0xFF', bytes(0xff)],
  ['a raw NUL in text', around(bytes(0))],
];

const REPEATED = [
  '{"sku":"ABC-1234","sku":"ABC-1234","quantity":1}',
  '{"quantity":1,"quantity":2}',
  '{"quantity":1,"quantit\\u0079":1}',
  '{"a":{"b":1,"b":1}}',
  '{"a":[{"":1,"":2}]}',
  '{"__proto__":1,"__proto__":1}',
];

const DEEP = 30_000;

/** Texts that no reader of RFC 8259 (and of I-JSON’s members named once) takes. */
export const MALFORMED: ReadonlyArray<readonly [string, Buffer]> = [
  ...NUMBERS.map((text): [string, Buffer] => [`number ${text}`, Buffer.from(quantity(text))]),
  ...SHAPES.map((text): [string, Buffer] => [`text ${JSON.stringify(text)}`, Buffer.from(text)]),
  ...REPEATED.map((text): [string, Buffer] => [`repeated ${text}`, Buffer.from(text)]),
  ...NOT_TEXT,
  ['an abyss', Buffer.from('['.repeat(DEEP))],
  ['an abyss of objects', Buffer.from('{"a":'.repeat(DEEP / 3))],
  ['a bottomless close', Buffer.from(`${'['.repeat(DEEP)}${']'.repeat(DEEP - 1)}`)],
];

/** Texts that are JSON, and whose value is no object. */
export const NO_OBJECTS: ReadonlyArray<readonly [string, Buffer]> = [
  ...[
    '[]',
    '[[]]',
    '[{}]',
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1e400',
    '-1e400',
    '1E5',
    '0.1',
    '""',
    '"{}"',
    '[null]',
    '[1,2]',
  ],
  ...[
    '" "',
    '"\\u0000"',
    '"\\ud800"',
    '"\\uDBFF\\uDFFF"',
    '[""]',
    ' [] ',
    '\t[]\r\n',
    '1e-400',
    '[1.0]',
    '"é"',
    '[{"sku":"ABC-1234"}]',
  ],
].map((text): [string, Buffer] => [`no object ${text}`, Buffer.from(text)]);

/** Deep values that are JSON. */
export const DEEP_VALUES: readonly string[] = [
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP / 6)}1${'}'.repeat(DEEP / 6)}`,
];
