import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextType } from '../../src/contract/types.ts';
import { FORMATS } from '../../src/validation/formats.ts';
import { allowedBy } from '../../src/validation/wire.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { textVariants } from '../../src/verify/requests/text-values.ts';

/** Formats whose texts have many lengths, with a least and a most that texts of theirs can have. */
const BOUNDED = [
  ['email', 4, 254],
  ['email', 20, 60],
  ['uri', 4, 18],
  ['uri', 30, 2000],
  ['hostname', 2, 63],
  ['hostname', 65, 127],
  ['hostname', 10, 252],
  ['ipv4', 8, 14],
  ['ipv6', 16, 38],
  ['password', 8, 128],
] as const;

const NO_RULE = { kind: 'text', scale: null, whole: null, items: null, keys: null } as const;

for (const [format, min, max] of BOUNDED)
  test(`texts of the format ${format} are made at ${min} and ${max} characters, and one past both`, () => {
    const type: TextType = { kind: 'text', format, min, max, pattern: null, oneOf: null };
    const made = textVariants(type, { random: new Random(1), now: 0, good: undefined });
    // A password is text like any other.
    const rule = format === 'password' ? null : format;
    const check = allowedBy({ ...NO_RULE, format: rule, min, max, pattern: null, oneOf: null });
    const bounds = [
      ['its most', max, null],
      ['one more than its most', max + 1, 'too_long'],
      ['its least', min, null],
      ['one fewer than its least', min - 1, 'too_short'],
    ] as const;
    for (const [what, length, fault] of bounds) {
      const one = made.find((each) => each.what === `has ${length} characters, ${what}`);
      assert.ok(one, what);
      const text = String(one.value);
      assert.equal([...text].length, length);
      assert.ok(rule === null || FORMATS[rule].test(text), `${text} is of the format ${format}`);
      assert.equal(check(text), fault);
      assert.equal(one.valid, fault === null);
    }
  });

test('what matches a pattern is tried beside a format', () => {
  const type: TextType = { kind: 'text', format: 'email', min: null, max: 60, pattern: '^a.*$', oneOf: null };
  const made = textVariants(type, { random: new Random(1), now: 0, good: 'ann@example.com' });
  assert.ok(made.some(({ value }) => value === 'xann@example.com'));
});

test('texts are made as long and as short as a pattern allows, and one character past that', () => {
  const type: TextType = { kind: 'text', format: null, min: null, max: null, pattern: '^[a-z]{2,30}$', oneOf: null };
  const made = textVariants(type, { random: new Random(1), now: 0, good: 'ann' });
  const lengths = made.filter(({ what }) => / its pattern allows$/.test(what)).map(({ value }) => String(value).length);
  assert.deepEqual(lengths, [30, 31, 2, 1]);
});
