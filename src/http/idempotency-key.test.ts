import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/seeded.ts';
import { idempotencyKey } from './idempotency-key.ts';

const CASES: Array<[string, string | null]> = [
  ['k', 'k'],
  ['"k"', 'k'],
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"a b, c; d"', 'a b, c; d'],
  ['"\\""', '"'],
  ['"\\\\"', '\\'],
  ['"a\\\\\\"b"', 'a\\"b'],
  ['a\\b', 'a\\b'],
  ["!#$%&'()*+-./:<=>?@[]^_`{|}~", "!#$%&'()*+-./:<=>?@[]^_`{|}~"],
  [':a2V5:', ':a2V5:'],
  ['x'.repeat(255), 'x'.repeat(255)],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ['', null],
  ['""', null],
  ['"', null],
  ['"k', null],
  ['k"', null],
  ['k"k', null],
  ['"k"k', null],
  ['"k" ', null],
  [' k', null],
  ['"k";a=1', null],
  ['k;a=1', null],
  ['k,k', null],
  ['k, k', null],
  ['"k", "k"', null],
  ['a b', null],
  ['"\\a"', null],
  ['"\\"', null],
  ['"a\\', null],
  ['"\\\\\\"', null],
  ['"\t"', null],
  ['"\u007f"', null],
  ['"é"', null],
  ['é', null],
  ['k\u0000', null],
  ['x'.repeat(256), null],
  [`"${'x'.repeat(256)}"`, null],
  [`"${'\\"'.repeat(256)}"`, null],
];
for (const [header, expected] of CASES) {
  test(JSON.stringify(header).slice(0, 60), () => assert.equal(idempotencyKey(header), expected));
}

test('every key of printable ASCII can be sent quoted', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~]{1,20}$/), (key) => {
      assert.equal(idempotencyKey(`"${key.replace(/["\\]/g, '\\$&')}"`), key);
    }),
  );
});

test('a key means the same bare and quoted', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[!#-+\--:<-[\]-~]{1,20}$/), (key) => {
      assert.equal(idempotencyKey(key), key);
      assert.equal(idempotencyKey(`"${key}"`), key);
    }),
  );
});

test('whatever is given is 1 to 255 printable characters', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^"?[k"\\,; ]{0,8}"?$/)), (header) => {
      const key = idempotencyKey(header);
      assert.ok(key === null || /^[ -~]{1,255}$/.test(key));
    }),
    { numRuns: 1000 },
  );
});
