import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/seeded.ts';
import { decimalOf, plainNumber, type Rounding, showDecimal } from './decimal.ts';

/** The expected result by exact fractions: the units nearest to a decimal, by the given rounding. */
function exactly(text: string, scale: number, rounding: Rounding): bigint | null {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const all = BigInt(whole + fraction) * 10n ** BigInt(scale);
  const of = 10n ** BigInt(fraction.length);
  const down = all / of;
  const rest = (all % of) * 2n;
  if (rest === 0n) return text.startsWith('-') ? -down : down;
  if (rounding === 'refused') return null;
  const up = rounding === 'half up' ? rest >= of : rest > of || (rest === of && down % 2n === 1n);
  const units = rounding !== 'down' && up ? down + 1n : down;
  return text.startsWith('-') ? -units : units;
}

const texts = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 14n }),
    fc.string({ unit: fc.constantFrom('0', '4', '5', '6', '9'), maxLength: 6 }),
  )
  .map(([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`);

test('decimals are read and rounded as exact fractions are', () => {
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom<Rounding>('refused', 'half even', 'half up', 'down'),
      (text, scale, rounding) => {
        const expected = exactly(text, scale, rounding);
        const units = decimalOf(text, scale, rounding);
        if (expected === null) return assert.equal(units, null);
        const size = expected < 0n ? -expected : expected;
        if (size > BigInt(Number.MAX_SAFE_INTEGER)) return assert.equal(Math.abs(units!), Number.POSITIVE_INFINITY);
        assert.equal(units, Number(expected));
        assert.equal(Object.is(units, -0), false);
        return undefined;
      },
    ),
    { numRuns: 2000 },
  );
});

test('a decimal that is shown is read as the same', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 15 }), (units, scale) =>
      assert.equal(decimalOf(showDecimal(units, scale), scale, 'refused'), units),
    ),
  );
  assert.equal(showDecimal(-5, 2), '-0.05');
  assert.equal(showDecimal(0, 2), '0.00');
});

test('a JSON number of at most 15 digits stands for the decimal that it is written as', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 }),
      fc.integer({ min: 0, max: 15 }),
      (units, scale) =>
        assert.equal(decimalOf(plainNumber(Number(showDecimal(units, scale))), scale, 'refused'), units),
    ),
  );
});

test('what is no decimal is none', () => {
  for (const text of [
    '',
    '-',
    '.5',
    '5.',
    '+1',
    '01',
    '00',
    '1e3',
    '1,5',
    ' 1',
    '1 ',
    '0x1',
    'Infinity',
    'NaN',
    '١',
    '1_0',
    '--1',
    '1.2.3',
  ])
    assert.equal(decimalOf(text, 2, 'half up'), null, text);
  assert.equal(decimalOf(`0.${'0'.repeat(100_000)}1`, 2, 'refused'), null);
  assert.equal(decimalOf('9'.repeat(100_000), 2, 'down'), Number.POSITIVE_INFINITY);
  assert.equal(decimalOf(plainNumber(1e-7), 7, 'refused'), 1);
  assert.equal(decimalOf(plainNumber(Number.POSITIVE_INFINITY), 7, 'down'), null);
});
