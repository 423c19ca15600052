import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/seeded.ts';
import { putTogether, takeApart, valuesOf } from './codec.ts';

/** Sees that a text that can be taken apart comes back as it was; gives whether it can. */
function comesBack(text: string): boolean {
  const both = [true, false].map((all) => {
    const parts = takeApart(text, all);
    if (parts) assert.equal(putTogether(parts), text);
    if (parts) fits(parts.skeleton, text);
    return parts !== null;
  });
  return both[0]!;
}

/** Sees that a text that has a skeleton comes back as it was; gives the values that it has by that skeleton. */
function fits(skeleton: string, text: string): string | null {
  const values = valuesOf(skeleton, text);
  if (values !== null) assert.equal(putTogether({ skeleton, values }), text);
  return values;
}

const UUID = '01a226bf-3ea8-72c7-8cd6-63ceaaa14948';
const TIME = '2026-11-29T09:59:57.352Z';

test('UUIDs, timestamps, strings and numbers are values; names of members are not', () => {
  const text = `{"id":"${UUID}","${UUID}":-1.5e3,"at":"${TIME}","note":"a \\"b\\u0041\\/","path":"/orders/${UUID}","ok":true}`;
  const parts = takeApart(text, true)!;
  assert.equal(
    parts.skeleton,
    `{"id":"\u0001","${UUID}":\u0003,"at":"\u0002","note":"\u0003","path":"/orders/\u0001","ok":true}`,
  );
  assert.equal(putTogether(parts), text);
  const few = takeApart(`["Location","/orders/${UUID}",7]`, false)!;
  assert.equal(few.skeleton, '["Location","/orders/\u0001",7]');
  assert.equal(few.values.length, 22);
});

/** Texts that are hard to give back exactly. */
const HOSTILE = [
  '',
  '{}',
  'null',
  '-0',
  '[-0,0,1e400,-1E+400,123456789012345678901234567890,0.10,1.0e-05]',
  '{"a":1,"a":2}',
  '{ "a" : "b" ,\n\t"c" :[ 1 , "2" ] }',
  '{"a" :"b","c"\n:"d"}',
  '"\\u0041\\/\\"\\\\"',
  '"\\\\"',
  '["\\\\","x"]',
  '"\\ud800 \\udc00"',
  '"\ud800"',
  '"\u2028\u2029\ufeff\u{1f41d}"',
  `"${UUID.toUpperCase()}"`,
  `"${UUID}${UUID}"`,
  `"a sentence that ends with ${UUID}"`,
  `"${UUID} "`,
  `"urn:uuid:${UUID}"`,
  `"${UUID.slice(0, -1)}g"`,
  `"${TIME}"`,
  '"2026-02-30T09:59:57.352Z"',
  '"2026-11-29T24:00:00.000Z"',
  '"2026-11-29T23:59:60.000Z"',
  '"1969-12-31T23:59:59.999Z"',
  '"9999-12-31T23:59:59.999Z"',
  '"2024-02-29T00:00:00.000Z"',
  '"2026-02-29T00:00:00.000Z"',
  '"2026-04-31T00:00:00.000Z"',
  '"2026-13-01T00:00:00.000Z"',
  '"2026-00-10T00:00:00.000Z"',
  '"2026-01-00T00:00:00.000Z"',
  '"0070-01-01T00:00:00.000Z"',
  '"1970-01-01T00:00:00.000Z"',
  '"2026-1a-29T09:59:57.352Z"',
  '"2026-11-29t09:59:57.352z"',
  '"+02026-11-29T09:59:57.35Z"',
  'a,b\r\n"1","x\ny"',
  '"unended',
  '"unended \\',
  '1-2',
  '\u0001"\u0002\u0003"',
  '{"\u0001":1}',
  '{"a":"\u0001"}',
  '{"a":"x\ny","b":1}',
  'text without JSON',
];

test('hostile texts come back as they were, or are not taken apart', () => {
  for (const text of HOSTILE) comesBack(text);
  for (const text of ['{"a":1,"a":2}', '[-0,0,1e400]', '"\\u0041\\/"', `"${TIME}"`])
    assert.equal(comesBack(text), true, text);
  for (const text of ['{"a":"x\ny","b":1}', '{"\u0001":1}', '"unended']) assert.equal(comesBack(text), false, text);
});

const LEAF = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double().filter(Number.isFinite),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.uuid(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(...HOSTILE),
);
const JSON_TEXT = fc
  .letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, LEAF, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
  }))
  .value.map((value) => JSON.stringify(value));

test('any JSON that JSON.stringify writes is taken apart and comes back as it was', () => {
  fc.assert(
    fc.property(JSON_TEXT, (text) => {
      // Only the control characters of marks would be in the way, and JSON escapes them.
      assert.equal(comesBack(text), true, text);
    }),
    { numRuns: 2000 },
  );
});

test('a text has the values of its own skeleton, and of that of another text only where it comes back from it', () => {
  const skeletons = [
    ...HOSTILE,
    `["${UUID}","${TIME}",7,"x"]`,
    `"${UUID}"`,
    `"${TIME}"`,
    '"x"',
    '[1,"a"]',
    '"x"5',
  ].flatMap((text) => [takeApart(text, true)?.skeleton ?? [], takeApart(text, false)?.skeleton ?? []].flat());
  for (const skeleton of skeletons) for (const text of HOSTILE) fits(skeleton, text);
  fc.assert(
    fc.property(JSON_TEXT, JSON_TEXT, (one, other) => {
      const parts = takeApart(one, true)!;
      assert.equal(fits(parts.skeleton, one), parts.values);
      fits(parts.skeleton, other);
      for (const skeleton of skeletons) fits(skeleton, one);
    }),
    { numRuns: 1000 },
  );
});

test('any text comes back as it was, or is not taken apart', () => {
  const piece = fc.oneof(
    fc.constantFrom('"', '\\', ':', '\n', '-', '1', 'e', '\u0001', '\u0002', '\u0003', UUID, TIME),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      comesBack(pieces.join(''));
    }),
    { numRuns: 5000 },
  );
});
