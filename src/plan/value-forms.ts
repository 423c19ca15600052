import { showDecimal } from '../expression/values/decimal.ts';
import { showIsoDuration } from '../expression/values/duration.ts';
import type { ColumnKind } from '../expression/values/kinds.ts';

/** The form of decimals, and the treatment of a decimal with more decimal places than its field has. */
export interface DecimalForm {
  readonly as: 'strings' | 'numbers';
  readonly rounding: 'refused' | 'half even' | 'half up' | 'down';
}

/** Formats of strings: those with a length limited by a standard, and the others. */
export const BOUNDED_FORMATS = ['hostname', 'ipv4', 'ipv6', 'time zone', 'webhook secret'] as const;
export const OPEN_FORMATS = ['email', 'uri'] as const;

/** The formats of strings that are stored unchanged. */
export type TextFormat = (typeof OPEN_FORMATS | typeof BOUNDED_FORMATS)[number];

/** The requirements for a value from any source. For a list or a set, `min` and `max` count items. */
export interface ValueRule {
  readonly kind: ColumnKind;
  readonly format: TextFormat | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly pattern: string | null;
  readonly oneOf: readonly string[] | null;
  /** The number of decimal places of a decimal. */
  readonly scale: number | null;
  /** The unit of a timestamp in milliseconds: timestamps are whole multiples of it. */
  readonly whole: number | null;
  /** The requirements for each item of a list, a set or a map, and for each key of a map. */
  readonly items: ValueRule | null;
  readonly keys: ValueRule | null;
}

/** A rule without limits, for a value of any kind. */
export const FREE: Omit<ValueRule, 'kind'> = {
  format: null,
  min: null,
  max: null,
  pattern: null,
  oneOf: null,
  scale: null,
  whole: null,
  items: null,
  keys: null,
};

/** A bound in readable form. The plan has decimals in units of the last digit, and durations in milliseconds. */
export function boundText({ kind, scale }: Pick<ValueRule, 'kind' | 'scale'>, bound: number): string {
  if (kind === 'decimal') return showDecimal(bound, scale ?? 0);
  return kind === 'duration' ? showIsoDuration(bound) : String(bound);
}
