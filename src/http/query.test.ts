import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProportion } from '../../test/growth.ts';
import { fc } from '../../test/seeded.ts';
import { decodeSegment, parseQuery } from './query.ts';

const MALFORMED = ['%', '%a', '%g0', '%0g', '%%', '%u0061', '%ff', '%c3', '%c3%', '%c3x', '%80', '%c0%af', '%ed%a0%80'];
MALFORMED.push('%f4%90%80%80', '%e2%82', 'a b', 'é', '\u0000', '\u007f', '%2');

describe('parseQuery', () => {
  const cases: Array<[string, Array<[string, string]>]> = [
    ['', []],
    ['&', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=', [['', '']]],
    ['=a', [['', 'a']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      'a=1&a=2&b&a=3',
      [
        ['a', '1'],
        ['a', '2'],
        ['b', ''],
        ['a', '3'],
      ],
    ],
    [
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a&b=1',
      [
        ['a', ''],
        ['b', '1'],
      ],
    ],
    ['a+b=c+d', [['a b', 'c d']]],
    ['a=%2B+%2b', [['a', '+ +']]],
    ['a%3Db=%26', [['a=b', '&']]],
    ['%61=%C3%A9%f0%9f%98%80', [['a', 'é😀']]],
    ['a=%00', [['a', '\u0000']]],
    ['a=%EF%BB%BFb', [['a', '\ufeffb']]],
    ['a=1;b=2', [['a', '1;b=2']]],
    ['__proto__=1', [['__proto__', '1']]],
  ];
  for (const [raw, expected] of cases) {
    test(JSON.stringify(raw), () => assert.deepEqual(parseQuery(raw), expected));
  }

  for (const part of MALFORMED) {
    test(`refuses ${JSON.stringify(part)}`, () => {
      assert.equal(parseQuery(`a=${part}`), null);
      assert.equal(parseQuery(`${part}=a`), null);
      assert.equal(parseQuery(`a=1&${part}`), null);
      assert.equal(parseQuery(`${part}&a=+`), null);
    });
  }

  test('an escape never spans a separator', () => {
    assert.equal(parseQuery('a=%c3&%a9=b'), null);
    assert.equal(parseQuery('a%c3=%a9'), null);
  });

  test('agrees with URLSearchParams on what it writes and on what needs no repair', () => {
    const loose = fc.stringMatching(/^(?:[ab=&+;?]|%20|%26|%3D|%2B|%c3%a9){0,12}$/);
    const written = fc
      .array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })))
      .map((pairs) => new URLSearchParams(pairs).toString());
    fc.assert(
      fc.property(fc.oneof(loose, written), (raw) => {
        // A leading question mark, which URLSearchParams would drop, is part of a name here.
        assert.deepEqual(parseQuery(raw), [...new URLSearchParams(`?${raw}`)]);
      }),
      { numRuns: 1000 },
    );
  });

  test('costs in proportion to its length', () => {
    inProportion((n) => assert.equal(parseQuery('a&'.repeat(n))?.length, n), 1e5);
    inProportion((n) => assert.equal(parseQuery('&'.repeat(n))?.length, 0), 1e5);
    inProportion((n) => assert.equal(parseQuery(`a=%${'%41'.repeat(n)}`), null), 1e5);
  });
});

describe('decodeSegment', () => {
  const cases: Array<[string, string]> = [
    ['', ''],
    ['abc', 'abc'],
    ['a+b', 'a+b'],
    ['a%20b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['%2e%2E', '..'],
    ['%2525', '%25'],
    ['%C3%A9', 'é'],
  ];
  for (const [raw, expected] of cases) {
    test(JSON.stringify(raw), () => assert.equal(decodeSegment(raw), expected));
  }

  for (const part of MALFORMED) {
    test(`refuses ${JSON.stringify(part)}`, () => assert.equal(decodeSegment(`a${part}`), null));
  }

  test('undoes encodeURIComponent', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => decodeSegment(encodeURIComponent(text)) === text));
  });
});
