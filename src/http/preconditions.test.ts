import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../test/seeded.ts';
import { matchesEtag, noneMatch } from './preconditions.ts';

/** The header, whether If-Match holds for `"a"`, and whether If-None-Match does. */
const CASES: Array<[string, boolean | null, boolean | null]> = [
  ['"a"', true, false],
  ['*', true, false],
  ['"b"', false, true],
  ['""', false, true],
  ['W/"a"', false, false],
  ['W/"b"', false, true],
  ['"b", "a"', true, false],
  ['"b","a","c"', true, false],
  ['W/"a", "a"', true, false],
  ['"b",\t W/"a"', false, false],
  ['"aa"', false, true],
  ['"A"', false, true],
  ['"b,\\"', false, true],
  ['"\u00e9"', false, true],
  ['', false, true],
  [',', false, true],
  [', "b",, "a" ,', true, false],
  ['a', null, null],
  ['"a', null, null],
  ['a"', null, null],
  ['"', null, null],
  ['"a" "b"', null, null],
  ['"a""b"', null, null],
  ['"a", b', null, null],
  ['"a", *', null, null],
  ['*, "a"', null, null],
  ['**', null, null],
  ['w/"a"', null, null],
  ['W/ "a"', null, null],
  ['W/a', null, null],
  ['W/', null, null],
  ['"a b"', null, null],
  ['"a\u007f"', null, null],
  ['"a\u0100"', null, null],
  ["'a'", null, null],
];

describe('the current tag is strong', () => {
  for (const [header, match, none] of CASES) {
    test(JSON.stringify(header), () => {
      assert.equal(matchesEtag(header, '"a"'), match);
      assert.equal(noneMatch(header, '"a"'), none);
    });
  }
});

describe('the current tag is weak', () => {
  for (const [header, match, none] of CASES) {
    test(JSON.stringify(header), () => {
      assert.equal(matchesEtag(header, 'W/"a"'), header === '*' ? true : match === null ? null : false);
      assert.equal(noneMatch(header, 'W/"a"'), none);
    });
  }
});

test('a list of any tags is found to hold those it holds', () => {
  const opaque = fc.stringMatching(/^[!#-~\x80-\xff]{0,3}$/).map((text) => `"${text}"`);
  const element = fc.tuple(fc.constantFrom('', 'W/'), opaque);
  const separator = fc.constantFrom(',', ', ', ' ,\t', ',,');
  fc.assert(
    fc.property(
      fc.array(element, { minLength: 1, maxLength: 5 }),
      separator,
      opaque,
      fc.nat(9),
      (tags, comma, other, pick) => {
        const etag = tags[pick]?.[1] ?? other;
        const header = tags.map(([weak, text]) => weak + text).join(comma);
        const holds = tags.filter(([, text]) => text === etag);
        assert.equal(
          matchesEtag(header, etag),
          holds.some(([weak]) => weak === ''),
        );
        assert.equal(noneMatch(header, etag), holds.length === 0);
        assert.equal(noneMatch(header, `W/${etag}`), holds.length === 0);
        assert.equal(matchesEtag(`${header} x`, etag), null);
      },
    ),
  );
});
