import type { ScalarContract } from '../../contract/kinds.ts';
import { type Content, Verbatim } from './draft.ts';
import { decimalAs } from './samples.ts';
import { allowed, refused, type Variant, variant } from './variant.ts';

const isSafe = (value: number): boolean => Number.isSafeInteger(value);

/** Integers at the bounds and one step past them, and texts that are no integers. */
export function integers(min: number | null, max: number | null): Variant[] {
  const least = min ?? Number.MIN_SAFE_INTEGER;
  const most = max ?? Number.MAX_SAFE_INTEGER;
  const within = (value: number): boolean => value >= least && value <= most;
  const middle = clampedZero(least, most);
  const written = (text: string, what: string, valid: boolean): Variant => variant(new Verbatim(text), what, valid);
  return [
    allowed(least, `is ${least}, its minimum`),
    allowed(most, `is ${most}, its maximum`),
    ...(isSafe(least - 1) ? [refused(least - 1, `is ${least - 1}, one less than its minimum`)] : []),
    ...(isSafe(most + 1) ? [refused(most + 1, `is ${most + 1}, one more than its maximum`)] : []),
    ...[0, -1, 1].map((value) => variant(value, `is ${value}`, within(value))),
    written(`${middle}.0`, `is written ${middle}.0`, true),
    written(`${middle}e0`, `is written ${middle}e0`, true),
    written('-0', 'is written -0', within(0)),
    written(`${middle}.5`, `is ${middle}.5, which is not whole`, false),
    written('9007199254740993', 'is 2 to the power of 53 plus 1', false),
    written('-9007199254740993', 'is less than any integer that a double holds', false),
    written('1e400', 'is written 1e400', false),
    written(`${middle}.00000000000000000001`, 'differs from a whole number after twenty digits', false),
    refused(String(middle), 'is a number written as a text'),
    refused('', 'is an empty text'),
  ];
}

/** The allowed number that is nearest to 0. */
const clampedZero = (least: number, most: number): number => Math.min(most, Math.max(least, 0));

/** Decimals at the bounds and one step past them, and texts that are no decimals of the type. */
export function decimals({ digits, min, max, as, rounding }: ScalarContract<'decimal'>): Variant[] {
  const unit = 10 ** -digits;
  const units = (text: string): number => Math.round(Number(text) * 10 ** digits);
  const of = (value: number): Content => decimalAs(as, value, digits);
  const out: Variant[] = [];
  if (min !== null) {
    out.push(allowed(of(units(min)), `is ${min}, its minimum`));
    if (isSafe(units(min) - 1)) out.push(refused(of(units(min) - 1), `is ${unit} less than its minimum`));
  }
  if (max !== null) {
    out.push(allowed(of(units(max)), `is ${max}, its maximum`));
    if (isSafe(units(max) + 1)) out.push(refused(of(units(max) + 1), `is ${unit} more than its maximum`));
  }
  const middle = clampedZero(min === null ? 0 : units(min), max === null ? 0 : units(max));
  const plain = String(decimalAs('strings', middle, digits));
  const text = (value: string): Content => (as === 'strings' ? value : new Verbatim(value));
  const point = digits ? '' : '.';
  const half = `${plain}${point}5`;
  out.push(allowed(text(plain), `is ${plain}`));
  out.push(allowed(text(`${plain}${point}0`), `is ${plain}${point}0, with one more digit that is 0`));
  for (const last of ['5', '4', '6', '51'])
    out.push(
      variant(
        text(`${plain}${point}${last}`),
        `is ${plain}${point}${last}, with more digits than it has`,
        rounding !== 'refused',
      ),
    );
  // An odd last digit distinguishes rounding half to even from rounding half up.
  const odd = String(decimalAs('strings', middle + 1, digits));
  out.push(variant(text(`${odd}${point}5`), `is ${odd}${point}5, halfway between two`, rounding !== 'refused'));
  if (as === 'strings') {
    out.push(refused(Number(half), 'is a number in the place of its text'));
    for (const form of ['+1', '1e2', '.5', '1.', ' 1', '1,5', '00.5', '0x10', '-', '', 'NaN'])
      out.push(refused(form, `is the text ${JSON.stringify(form)}`));
  } else {
    out.push(refused(plain, 'is a number written as a text'));
    out.push(allowed(new Verbatim(`${plain}e0`), `is written ${plain}e0`));
  }
  out.push(variant(text('-0'), 'is written -0', min === null || units(min) <= 0));
  out.push(refused(text('99999999999999999999'), 'has twenty digits'));
  return out;
}
