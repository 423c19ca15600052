import '../../test/whole-alone.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProportion } from '../../test/growth.ts';
import { fc } from '../../test/seeded.ts';
import { times } from '../../test/share.ts';
import { Numeral } from '../expression/values/decimal.ts';
import { parseJson } from './json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const bytes = (...parts: Array<string | number[]>) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const lines = (text: string) => text.trim().split(/\s+/);

describe('what parses', () => {
  const texts = [
    ...lines(String.raw`
      null true false 0 -0 1 -1 1.5 1e5 1E+5 1e-5 0e1 123123e100000 12345678901234567890 "" "a"
      [] {} [1,2] [[],[[]]] {"":0} {"a":{"a":{"a":1}}} [{"a":1},{"a":1}] {"a":[1,{"b":2}],"b":{"a":3}}
      "\u0061\n\/\b\f\r\t\"\\" "\u0000" "\ud83d\ude00" "\ud800" "\udc00\ud800" "é😀" {"a":"a:b","b":"\":\"","c":"\\"}
      {"1":1,"01":2,"1.0":3} {"a":1,"A":2} {"é":1}
    `),
    ...[' 1', '1 ', '\t\r\n[ ] ', '{ "a" :\n1 , "b" : 2 }', '"\u007f"', '"\u2028"', '"\ufffd"', '"\ufeff"', '"\uffff"'],
  ];
  for (const text of texts) {
    test(JSON.stringify(text), () => assert.deepEqual(parse(text), { ok: true, value: JSON.parse(text) }));
  }

  test('__proto__ is a member like any other', () => {
    const parsed = parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"a":{"__proto__":1}}');
    assert.ok(parsed.ok);
    const value = parsed.value as Record<string, unknown>;
    assert.ok(Object.hasOwn(value, '__proto__'));
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(value.admin, undefined);
    assert.equal(({} as Record<string, unknown>).admin, undefined);
  });

  test('whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const parsed = parse(text);
        assert.ok(parsed.ok);
        assert.equal(JSON.stringify(parsed.value, null, indent), text);
        if (!text.includes('\\')) assert.deepEqual(parsed.value, JSON.parse(text));
      }),
      { numRuns: times(100, 500) },
    );
  });
});

/** Returns a JSON value with each number that no double holds rounded to a double, as JSON.parse does. */
function rounded(value: unknown): unknown {
  if (value instanceof Numeral) return Number(value.text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(rounded);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rounded(one)]));
}

describe('numbers that no double holds', () => {
  const held = lines('0 -0.0 12 1.50 0.1 1e2 12345678901234560000 9007199254740992 0.30000000000000004 5e-324 1e300');
  for (const text of held)
    test(`${text} is one`, () =>
      assert.deepEqual(parse(`{"a":"b","n":${text},"c":[${text}]}`), {
        ok: true,
        value: { a: 'b', n: Number(text), c: [Number(text)] },
      }));
  const long = {
    '1.00499999999999999999': '1.00499999999999999999',
    '-4.0000000000000000001': '-4.0000000000000000001',
    '9007199254740993': '9007199254740993',
    '0.10000000000000001': '0.10000000000000001',
    '100499999999999999999e-20': '1.00499999999999999999',
    '1.00499999999999999999e+2': '100.499999999999999999',
    '9e308': `9${'0'.repeat(308)}`,
    '1e-324': `0.${'0'.repeat(323)}1`,
  };
  for (const [text, written] of Object.entries(long))
    test(`${text} is kept`, () => {
      for (const json of [`[${text}]`, `{"a":${text},"b":true}`, `{"b":"x","a": ${text}\n}`]) {
        const parsed = parse(json);
        assert.ok(parsed.ok);
        const [kept] = Object.values(parsed.value as object).filter((one) => one instanceof Numeral);
        assert.equal((kept as Numeral).text, written);
        assert.deepEqual(rounded(parsed.value), JSON.parse(json));
      }
    });

  test('however far its exponent takes it', () => {
    const parsed = parse('[1e999999999,1e-999999999]');
    assert.ok(parsed.ok);
    assert.deepEqual(rounded(parsed.value), [Number.POSITIVE_INFINITY, 0]);
  });
});

describe('what is refused', () => {
  const texts = [
    ...lines(String.raw`
      [ ] { } [1 [1, [1,] [,1] [1,,2] [1} {"a" {"a": {"a":1 {"a":1,} {,} {a:1} {'a':1} {1:1} {"a",1} {"a"::1} {"a":1}}
      [1]] {"a":1;"b":2} {"a":1"b":2} {[]:1} [][] {}a 01 -01 +1 .5 1. 1.e1 1e 1e+ - --1 0x1 1_000 １ NaN Infinity
      -Infinity " "a a" 'a' "\x41" "\u12" "\u{61}" "\a" "\ """ True nul nulll undefined /**/1 1// [1]# <a/> \u007b}
    `),
    ...[
      ' ',
      '\n',
      '1 2',
      '[true false]',
      '{"a" 1}',
      '{"a":1 "b":2}',
      '"\n"',
      '"\t"',
      '"\u0000"',
      '"\u001f"',
      '1\u0000',
    ],
    ...['\u00a01', '\u000b1', '\u000c1', '[\ufeff]', '\u2060[]'],
  ];
  for (const text of texts) {
    test(JSON.stringify(text), () =>
      assert.deepEqual(parse(text), { ok: false, reason: 'the body is not valid JSON' }),
    );
  }

  test('an empty body', () => {
    assert.deepEqual(parse(''), { ok: false, reason: 'the body is empty' });
  });

  test('a byte order mark', () => {
    assert.deepEqual(parse('\ufeff{}'), { ok: false, reason: 'the body begins with a byte order mark' });
    assert.equal(parse('\ufeff').ok, false);
  });

  test('UTF-16 and UTF-32', () => {
    assert.equal(parseJson(Buffer.from('{"a":1}', 'utf16le')).ok, false);
    assert.equal(parseJson(Buffer.from('\ufeff{"a":1}', 'utf16le')).ok, false);
    assert.equal(parseJson(Buffer.from('{"a":1}', 'utf16le').swap16()).ok, false);
    assert.equal(parseJson(bytes([0, 0, 0, 0x31])).ok, false);
  });

  const invalid = {
    'a lone continuation': [0x80],
    'a lone lead': [0xc3],
    'a truncated sequence': [0xe2, 0x82],
    'a byte that never occurs': [0xff],
    'an overlong slash': [0xc0, 0xaf],
    'an overlong NUL': [0xe0, 0x80, 0x80],
    'a surrogate': [0xed, 0xa0, 0x80],
    'a pair of surrogates': [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    'beyond U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
    'Latin-1': [0xe9],
    'an invalid byte beside a genuine U+FFFD': [0xef, 0xbf, 0xbd, 0xff],
  };
  for (const [name, part] of Object.entries(invalid)) {
    test(`invalid UTF-8: ${name}`, () => {
      const refused = { ok: false, reason: 'the body is not valid UTF-8' };
      assert.deepEqual(parseJson(bytes('["', part, '"]')), refused);
      assert.deepEqual(parseJson(bytes('{"a', part, '":1}')), refused);
      assert.deepEqual(parseJson(bytes('[', part, ']')), refused);
    });
  }

  test('reasons never repeat the body', () => {
    for (const text of ['{"secret":}', '["secret', '{"secret":1,"secret":2}', 'secret']) {
      const parsed = parse(text);
      assert.ok(!parsed.ok && !parsed.reason.includes('secret'));
    }
  });
});

describe('hostile bodies', () => {
  const size = 64 * 1024;
  const many = (length: number, one: (at: number) => string) =>
    `{${Array.from({ length }, (_, at) => one(at)).join()}}`;
  const hostile = (name: string, length: number, text: (n: number) => string, ok: boolean) =>
    test(`${name}, in proportion to the length`, () =>
      inProportion((n) => assert.equal(parse(text(n)).ok, ok), Math.floor(length)));
  hostile('open brackets', size, (n) => '['.repeat(n), false);
  hostile('open objects', size / 5, (n) => '{"a":'.repeat(n), false);
  hostile('brackets, closed', size / 2, (n) => '['.repeat(n) + ']'.repeat(n), true);
  hostile('objects, closed', size / 6, (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`, true);
  hostile('a deep repetition', size / 8, (n) => `${'[{"a":'.repeat(n)}{"b":1,"b":2}${'}]'.repeat(n)}`, false);
  hostile('quotes', size, (n) => '"'.repeat(n), false);
  hostile('backslashes', size, (n) => `{"a":"${'\\\\'.repeat(n)}"}`, true);
  hostile('escaped quotes', size, (n) => `{"a":"${'\\"'.repeat(n)}"}`, true);
  hostile('a long number', size, (n) => `[${'9'.repeat(n)}]`, true);
  hostile('many members', 10_000, (n) => many(n, (at) => `"k${at}":1`), true);
  hostile('sparse indices', 5000, (n) => many(n, (at) => `"${at * 99_991}":1`), true);
  hostile('one name over and over', 10_000, (n) => many(n, () => '"a":1'), false);

  test('a million brackets, closed, crash nothing', () => {
    assert.equal(parse('['.repeat(1e6) + ']'.repeat(1e6)).ok, true);
  });

  test('no bytes crash it, and what it accepts JSON.parse accepts', () => {
    const shapes = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.stringMatching(/^[[\]{}",:\\au0-9 .eE+-]{0,30}$/));
    fc.assert(
      fc.property(shapes, (body) => {
        const buffer = Buffer.from(body as string);
        const parsed = parseJson(buffer);
        if (!parsed.ok) return;
        const value: unknown = JSON.parse(buffer.toString());
        if (!buffer.includes('\\')) assert.deepEqual(rounded(parsed.value), value);
      }),
      { numRuns: times(400, 2000) },
    );
  });
});
