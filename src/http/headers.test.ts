import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/seeded.ts';
import { addVary, header, listItems, sameIgnoringCase } from './headers.ts';

test('finds a header by its name in any case', () => {
  const raw = ['Host', 'a.example', 'ACCEPT', '*/*', 'if-Match', '"a"', 'X-Empty', ''];
  assert.equal(header(raw, 'host'), 'a.example');
  assert.equal(header(raw, 'accept'), '*/*');
  assert.equal(header(raw, 'if-match'), '"a"');
  assert.equal(header(raw, 'x-empty'), '');
  assert.equal(header(raw, 'if-none-match'), undefined);
  assert.equal(header([], 'host'), undefined);
});

test('never takes a value for a name', () => {
  assert.equal(header(['A', 'host', 'B', 'x'], 'host'), undefined);
  assert.equal(header(['host', 'host', 'x', 'y'], 'host'), 'host');
  assert.equal(header(['a', '1', 'host'], 'host'), undefined);
});

test('joins a repeated header in order', () => {
  const raw = ['Accept', 'a/b', 'Host', 'x', 'accept', '', 'ACCEPT', 'c/d'];
  assert.equal(header(raw, 'accept'), 'a/b, , c/d');
});

test('gives the items of a list without the white space around them', () => {
  assert.deepEqual(listItems('1, 2 ,\t3\t,4'), ['1', '2', '3', '4']);
  assert.deepEqual(listItems(' a b ,, \u00a0 '), ['a b', '', '\u00a0']);
});

test('keeps names apart that only look alike', () => {
  assert.equal(header(['X-Api_Key', '1'], 'x-api-key'), undefined);
  assert.equal(header(['x-a@', '1'], 'x-a`'), undefined);
  assert.equal(header(['\u212aey', '1'], 'key'), undefined);
  assert.equal(header(['x-api-key ', '1'], 'x-api-key'), undefined);
  assert.equal(header(['__proto__', '1'], 'constructor'), undefined);
});

test('agrees with a plain search', () => {
  const name = fc.constantFrom('Host', 'hOSt', 'Etag', 'a', 'A', 'X-Long-Name', 'x-long-name');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string()), { maxLength: 8 }), name, (pairs, wanted) => {
      const found = pairs.filter(([one]) => one.toLowerCase() === wanted.toLowerCase()).map(([, value]) => value);
      assert.equal(header(pairs.flat(), wanted.toLowerCase()), found.length === 0 ? undefined : found.join(', '));
    }),
  );
});

test('compares ignoring the case of ASCII letters only', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary-ascii', maxLength: 2 }),
      fc.string({ unit: 'binary-ascii', maxLength: 2 }),
      (a, b) => assert.equal(sameIgnoringCase(a, b), a.toLowerCase() === b.toLowerCase()),
    ),
    { numRuns: 1000 },
  );
  assert.equal(sameIgnoringCase('É', 'é'), false);
});

test('Vary names what it is told, once, behind what it names already', () => {
  const said = (...headers: string[]): string[] => {
    addVary(headers, 'Accept, X-Key');
    return headers;
  };
  assert.deepEqual(said(), ['Vary', 'Accept, X-Key']);
  assert.deepEqual(said('ETag', '"1"'), ['ETag', '"1"', 'Vary', 'Accept, X-Key']);
  assert.deepEqual(said('Vary', 'x-key'), ['Vary', 'x-key, Accept']);
  assert.deepEqual(said('vary', 'Origin ,ACCEPT,  X-Key'), ['vary', 'Origin ,ACCEPT,  X-Key']);
  assert.deepEqual(said('Vary', '*'), ['Vary', '*']);
  assert.deepEqual(said('Vary', 'Accept-Language'), ['Vary', 'Accept-Language, Accept, X-Key']);
});
