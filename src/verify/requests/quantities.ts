import { timestampText } from '../../contract/kinds.ts';
import type { ContractType } from '../../contract/types.ts';
import { isoDuration, showIsoDuration } from '../../expression/values/duration.ts';
import type { Content } from './draft.ts';
import { decimalAs } from './samples.ts';

/** The types whose values lie on a line: numbers, times and lengths of time. */
export type QuantityType = Extract<ContractType, { kind: 'integer' | 'decimal' | 'timestamp' | 'date' | 'duration' }>;

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;
/** RFC 3339 has years of four digits. */
const LAST_MS = Date.UTC(9999, 11, 31);

export const isQuantity = (type: ContractType): type is QuantityType =>
  ['integer', 'decimal', 'timestamp', 'date', 'duration'].includes(type.kind);

/** The smallest step from one value to the next. */
export function unitOf(type: QuantityType): number {
  if (type.kind === 'date') return DAY_MS;
  if (type.kind === 'timestamp') return type.whole ?? (type.precision === 'seconds' ? SECOND_MS : 1);
  if (type.kind === 'duration') return type.precision === 'whole seconds' ? SECOND_MS : 1;
  return 1;
}

/** A quantity of a type to begin with: an instant that is now, the least number, or no time. */
export function anyQuantity(type: QuantityType, now: number): number {
  if (type.kind === 'timestamp' || type.kind === 'date') return Math.floor(now / unitOf(type)) * unitOf(type);
  return 'min' in type && type.min !== null ? Number(quantityOf(type, type.min)) : 0;
}

/** A value as a number: of its last digits, or of milliseconds. Null where it is no such value. */
export function quantityOf(type: QuantityType, value: unknown): number | null {
  if (type.kind === 'integer')
    return typeof value === 'number'
      ? value
      : typeof value === 'string' && /^-?\d{1,15}$/.test(value)
        ? Number(value)
        : null;
  if (type.kind === 'decimal')
    return typeof value === 'string' || typeof value === 'number'
      ? Math.round(Number(value) * 10 ** type.digits)
      : null;
  if (typeof value !== 'string') return null;
  if (type.kind === 'duration') return isoDuration(value);
  const at = Date.parse(value);
  return Number.isFinite(at) ? at : null;
}

/** Whether a number, in units of its last digit, lies within the bounds of its type. */
export function isWithin(type: Extract<QuantityType, { kind: 'integer' | 'decimal' }>, quantity: number): boolean {
  const units = (bound: number | string | null): number | null =>
    bound === null ? null : type.kind === 'integer' ? Number(bound) : Math.round(Number(bound) * 10 ** type.digits);
  const [min, max] = [units(type.min), units(type.max)];
  return (min === null || quantity >= min) && (max === null || quantity <= max);
}

/** A number as a value of a type; null where the type has none for it. */
export function contentOf(type: QuantityType, quantity: number): Content {
  if (!Number.isSafeInteger(quantity)) return null;
  if (type.kind === 'integer') return quantity;
  if (type.kind === 'decimal') return decimalAs(type.as, quantity, type.digits);
  if (type.kind === 'duration') return showIsoDuration(quantity);
  if (quantity < 0 || quantity > LAST_MS) return null;
  if (type.kind === 'date') return new Date(quantity).toISOString().slice(0, 10);
  return timestampText(quantity, type.precision);
}
