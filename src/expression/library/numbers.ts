import type { Expr } from '../tree/expression.ts';
import type { LibraryFn } from '../tree/library-names.ts';
import { MOST_DIGITS, scaleOf } from '../tree/scales.ts';
import * as t from '../tree/types.ts';
import { exact } from '../values/overflow.ts';
import { kind, listOf, type Overload, type Pattern } from './overload.ts';

const NUMBER = kind('integer', 'decimal');

/** The number of decimal places. */
const PLACES: Pattern = {
  says: `how many digits are to stand after the point, written out, 0 to ${MOST_DIGITS}`,
  fits: (type) => type.kind === 'integer',
  allows: (arg) => arg.op === 'const' && Number(arg.value) >= 0 && Number(arg.value) <= MOST_DIGITS,
};

/** The largest number of arguments that one call compares. */
const MOST_COMPARED = 8;

const sameAs = ([number]: Parameters<Overload['gives']>[0]): t.Type => t.nullable(number!.type, false);
const scale = ([number]: Parameters<Overload['gives']>[0]): readonly number[] => [scaleOf(number!.type) ?? 0];

/** Rounds `units / size`, which is no integer, to an integer. */
type Rounds = (units: number, size: number) => number;

/** A decimal with a number of decimal places. */
function decimalOf(places: Expr | undefined, nullable: boolean): t.Type {
  return { kind: 'decimal', scale: places?.op === 'const' ? Number(places.value) : 0, nullable };
}

/**
 * The quotient of two numbers with a number of decimal places; halves are rounded away from zero. Null for a division
 * by 0, and for a result beyond the exact range.
 */
function quotient(units: number, by: number, places: number, has: number, byHas: number): number | null {
  if (by === 0) return null;
  const shift = places + byHas - has;
  const [up, down] = [
    BigInt(units) * 10n ** BigInt(Math.max(shift, 0)),
    BigInt(by) * 10n ** BigInt(Math.max(-shift, 0)),
  ];
  const [n, d] = [up < 0n ? -up : up, down < 0n ? -down : down];
  const rounded = (2n * n + d) / (2n * d);
  return exact(Number(up < 0n === down < 0n ? rounded : -rounded));
}

/** Both overloads of a rounding function: to an integer, and to a number of decimal places. */
function rounding(name: string, rounds: Rounds): readonly Overload[] {
  const to = (units: number, places: number, has: number): number | null => {
    if (places >= has) return exact(units * 10 ** (places - has));
    return rounds(units, 10 ** (has - places)) + 0;
  };
  return [
    {
      id: `math_${name}`,
      takes: [NUMBER],
      gives: () => t.INTEGER,
      does: (units: number, has: number) => to(units, 0, has),
      also: scale,
    },
    {
      id: `math_${name}_to`,
      takes: [NUMBER, PLACES],
      gives: ([, places]) => decimalOf(places, false),
      does: to,
      also: scale,
    },
  ];
}

const trunc: Rounds = (units, size) => Math.trunc(units / size);

/** The remainder of the division, which is exact: a quotient could be rounded. */
const cut = (units: number, size: number): number => Math.abs(units % size);

/** The quotient without its fraction, moved by one away from zero if `further` is true. */
const away = (units: number, size: number, further: boolean): number =>
  trunc(units - (units % size), size) + (further ? Math.sign(units) : 0);

/** The largest or the smallest of several numbers. */
function extreme(name: string, pick: (...numbers: number[]) => number): readonly Overload[] {
  const several = Array.from({ length: MOST_COMPARED }, () => NUMBER);
  return [
    {
      id: `math_${name}`,
      takes: several,
      optional: MOST_COMPARED - 1,
      gives: sameAs,
      does: (...numbers: number[]) => pick(...numbers),
    },
    {
      id: `math_${name}_of`,
      takes: [listOf(NUMBER)],
      gives: ([list]) => (list!.type.kind === 'list' ? t.nullable(list!.type.of, list!.op !== 'list') : t.INTEGER),
      does: (numbers: readonly number[]) => (numbers.length ? pick(...numbers) : null),
    },
  ];
}

/** cel-spec’s extension “math”; roundEven is IEEE 754’s roundToIntegralTiesToEven. */
export const NUMBERS: Partial<Record<LibraryFn, readonly Overload[]>> = {
  'math.abs': [{ id: 'math_abs', takes: [kind('integer', 'decimal', 'duration')], gives: sameAs, does: Math.abs }],
  'math.sign': [
    {
      id: 'math_sign',
      takes: [kind('integer', 'decimal', 'duration')],
      gives: () => t.INTEGER,
      does: (units: number) => Math.sign(units) + 0,
    },
  ],
  'math.divide': [
    {
      id: 'math_divide',
      takes: [NUMBER, NUMBER, PLACES],
      gives: ([, by, places]) => decimalOf(places, by?.op !== 'const' || by.value === 0),
      does: quotient,
      also: ([number, by]) => [scaleOf(number!.type) ?? 0, scaleOf(by!.type) ?? 0],
    },
  ],
  'math.greatest': extreme('greatest', Math.max),
  'math.least': extreme('least', Math.min),
  'math.round': rounding('round', (units, size) => away(units, size, cut(units, size) * 2 >= size)),
  'math.roundEven': rounding('round_even', (units, size) => {
    const half = cut(units, size) * 2;
    return away(units, size, half > size || (half === size && Math.abs(away(units, size, false)) % 2 === 1));
  }),
  'math.trunc': rounding('trunc', (units, size) => away(units, size, false)),
  'math.ceil': rounding('ceil', (units, size) => away(units, size, units > 0 && cut(units, size) > 0)),
  'math.floor': rounding('floor', (units, size) => away(units, size, units < 0 && cut(units, size) > 0)),
};
