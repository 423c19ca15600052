import { decimalOf } from '../values/decimal.ts';
import type { Expr, Fn } from './expression.ts';
import { INTEGER, type Type } from './types.ts';

/** The largest number of digits of a decimal, so that JSON numbers are exact. */
export const MOST_DIGITS = 15;

/** A decimal literal with its decimal places; null if it has too many digits. */
export function decimalLiteral(text: string): Expr | null {
  const match = /^\d+\.(\d+)$/.exec(text);
  const scale = match?.[1]?.length ?? 0;
  const value = match && scale <= MOST_DIGITS ? decimalOf(text, scale, 'refused') : null;
  if (value === null || !Number.isSafeInteger(value)) return null;
  return { op: 'const', value, type: { kind: 'decimal', scale, nullable: false } };
}

/** Number of decimal places; null where a type is not numeric. */
export function scaleOf(type: Type): number | null {
  if (type.kind === 'decimal') return type.scale;
  return type.kind === 'integer' ? 0 : null;
}

/** Converts a number to more decimal places. */
function rescaled(expr: Expr, scale: number): Expr {
  const has = scaleOf(expr.type);
  if (has === null || (has === scale && expr.type.kind === 'decimal')) return expr;
  const type: Type = { kind: 'decimal', scale, nullable: expr.type.nullable };
  const value = expr.op === 'const' && typeof expr.value === 'number' ? expr.value * 10 ** (scale - has) : null;
  if (value !== null && Number.isSafeInteger(value)) return { op: 'const', value, type };
  return { op: 'call', fn: 'rescale', args: [expr, { op: 'const', value: scale, type: INTEGER }], type };
}

/**
 * Gives all numbers as many decimal places as the number with the most: decimals are added and compared as integers in
 * units of the last digit. Integers alone stay as they are.
 */
export function levelled(exprs: readonly Expr[]): readonly Expr[] {
  const decimals = exprs.flatMap(({ type }) => (type.kind === 'decimal' ? [type.scale] : []));
  return decimals.length === 0 ? exprs : exprs.map((expr) => rescaled(expr, Math.max(...decimals)));
}

/** Converts a value to an expected type: a number with fewer decimal places gets more. */
export function fitted(expr: Expr, expected: Type): Expr {
  const has = scaleOf(expr.type);
  if (expected.kind === 'decimal' && has !== null && has <= expected.scale) return rescaled(expr, expected.scale);
  if (expected.kind === 'list' && expr.op === 'list') {
    const items = expr.items.map((item) => fitted(item, expected.of));
    return { ...expr, items, type: { ...expr.type, of: items[0]?.type ?? expected.of } as Type };
  }
  if (expected.kind !== 'map' || expr.op !== 'map') return expr;
  const values = expr.values.map((value) => fitted(value, expected.of));
  return { ...expr, values, type: { ...expr.type, of: values[0]?.type ?? expected.of } as Type };
}

const LEVELLED: readonly Fn[] = ['+', '-', '<', '<=', '>', '>=', '==', '!=', 'math.greatest', 'math.least'];

/** Gives numbers that are added or compared the same number of decimal places. */
export function levelledFor(fn: Fn, args: readonly Expr[]): readonly Expr[] {
  const [item, list] = args;
  if (fn === 'in' && item && list?.op === 'list') {
    const [first, ...items] = levelled([item, ...list.items]);
    return [first!, fitted(list, { kind: 'list', of: items[0]?.type ?? first!.type, nullable: false })];
  }
  return LEVELLED.includes(fn) ? levelled(args) : args;
}

/** Number of further decimal places from the present scale to a new one. */
export function rescaledBy(value: Expr, scale: Expr): number {
  const has = value.type.kind === 'decimal' ? value.type.scale : 0;
  return Number(scale.op === 'const' ? scale.value : has) - has;
}
