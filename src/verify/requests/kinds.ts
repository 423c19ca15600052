import { isScalar, jsonTypesOf, type ScalarContract, timestampValue } from '../../contract/kinds.ts';
import type { TextType } from '../../contract/types.ts';
import { dayFrom } from '../../expression/values/days.ts';
import { decimalOf, Numeral } from '../../expression/values/decimal.ts';
import { isoDuration, showIsoDuration } from '../../expression/values/duration.ts';
import { FREE } from '../../plan/value-forms.ts';
import { allowedBy } from '../../validation/wire.ts';
import type { Content } from './draft.ts';
import { decimals, integers } from './number-values.ts';
import { decimalAs } from './samples.ts';
import { textVariants } from './text-values.ts';
import { dates, durations, timestamps } from './time-values.ts';
import { allowed, refused, type Variant, type Varying } from './variant.ts';

type Accepts = (value: unknown) => boolean;

/** How the test tries values of one kind. */
interface TriedKind<K extends ScalarContract['kind']> {
  /** Values at the bounds of a type and a step past them, and values that are nearly of the kind. */
  readonly variants: (type: ScalarContract<K>, varying: Varying) => readonly Variant[];
  /** Compiles the check whether an answer may have a value where the contract has a type. */
  readonly accepts: (type: ScalarContract<K>) => Accepts;
  /** The place of values on a line; null where a kind has no such order. */
  readonly quantity: Quantity<K> | null;
}

/** Values of a kind as numbers: of their last digits, or of milliseconds. */
interface Quantity<K extends ScalarContract['kind']> {
  /** Whether the number is that of milliseconds since the epoch. */
  readonly isInstant: boolean;
  /** The smallest step from one value to the next. */
  readonly unit: (type: ScalarContract<K>) => number;
  /** The number of a value; null where it is no such value. */
  readonly of: (type: ScalarContract<K>, value: unknown) => number | null;
  readonly content: (type: ScalarContract<K>, quantity: number) => Content;
}

const DAY_MS = 86_400_000;
const SECOND_MS = 1000;
/** RFC 3339 has years of four digits. */
const LAST_MS = Date.UTC(9999, 11, 31);

const isNumeric = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

function instantOf(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : null;
}

/** The instant of a number of seconds since 1970, also where the number is in the text of a parameter. */
function unixInstant(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return Number.isInteger(seconds) ? (seconds as number) * SECOND_MS : null;
}

const KINDS: { readonly [K in ScalarContract['kind']]: TriedKind<K> } = {
  text: { variants: textVariants, accepts: textTest, quantity: null },
  integer: {
    variants: ({ min, max }) => integers(min, max),
    accepts: (type) => (value) => Number.isSafeInteger(value) && isBetween(value as number, type),
    quantity: {
      isInstant: false,
      unit: () => 1,
      of: (_, value) => {
        if (typeof value === 'number') return value;
        return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : null;
      },
      content: (_, quantity) => quantity,
    },
  },
  decimal: {
    variants: decimals,
    accepts: decimalTest,
    quantity: {
      isInstant: false,
      unit: () => 1,
      of: ({ digits }, value) => (isNumeric(value) ? Math.round(Number(value) * 10 ** digits) : null),
      content: ({ as, digits }, quantity) => decimalAs(as, quantity, digits),
    },
  },
  boolean: {
    variants: () => [allowed(true, 'is true'), allowed(false, 'is false'), refused('true', 'is the text true')],
    accepts:
      ({ only }) =>
      (value) =>
        typeof value === 'boolean' && (only ?? value) === value,
    quantity: null,
  },
  timestamp: {
    variants: (type, { now }) => timestamps(type, now),
    accepts: timestampTest,
    quantity: {
      isInstant: true,
      unit: ({ whole, precision }) => whole ?? (precision === 'milliseconds' ? 1 : SECOND_MS),
      of: ({ precision }, value) => (precision === 'Unix seconds' ? unixInstant(value) : instantOf(value)),
      content: ({ precision }, quantity) => timestampValue(quantity, precision),
    },
  },
  date: {
    variants: (_, { now }) => dates(now),
    accepts: () => (value) => typeof value === 'string' && dayFrom(value) === value,
    quantity: {
      isInstant: true,
      unit: () => DAY_MS,
      of: (_, value) => instantOf(value),
      content: (_, quantity) => new Date(quantity).toISOString().slice(0, 10),
    },
  },
  duration: {
    variants: durations,
    accepts: durationTest,
    quantity: {
      isInstant: false,
      unit: ({ precision }) => (precision === 'whole seconds' ? SECOND_MS : 1),
      of: (_, value) => (typeof value === 'string' ? isoDuration(value) : null),
      content: (_, quantity) => showIsoDuration(quantity),
    },
  },
};

/** The member of the record for the kind of a type; its functions take types of that kind alone. */
const kindOf = (type: ScalarContract): TriedKind<ScalarContract['kind']> =>
  KINDS[type.kind] as unknown as TriedKind<ScalarContract['kind']>;

const quantityIn = (type: ScalarContract): Quantity<ScalarContract['kind']> => kindOf(type).quantity!;

/** Values at the bounds of a type, a step past them, and values that are nearly of the kind. */
export const scalarVariants = (type: ScalarContract, varying: Varying): readonly Variant[] =>
  kindOf(type).variants(type, varying);

/** Compiles the check whether an answer may have a value where the contract has a type. */
export const accepts = (type: ScalarContract): Accepts => kindOf(type).accepts(type);

/** The types whose values lie on a line: numbers, times and lengths of time. */
export type QuantityType = Exclude<ScalarContract, { kind: 'text' | 'boolean' }>;

export const isQuantity = (type: { readonly kind: string }): type is QuantityType =>
  isScalar(type) && KINDS[type.kind].quantity !== null;

/** Whether the values of a type are instants or days. */
export const isInstant = (type: QuantityType): boolean => quantityIn(type).isInstant;

/** The smallest step from one value to the next. */
export const unitOf = (type: QuantityType): number => quantityIn(type).unit(type);

/** A quantity of a type to begin with: an instant that is now, the least number, or no time. */
export function anyQuantity(type: QuantityType, now: number): number {
  if (isInstant(type)) return Math.floor(now / unitOf(type)) * unitOf(type);
  return 'min' in type && type.min !== null ? Number(quantityOf(type, type.min)) : 0;
}

/** A value as a number: of its last digits, or of milliseconds. Null where it is no such value. */
export const quantityOf = (type: QuantityType, value: unknown): number | null => quantityIn(type).of(type, value);

/** A number as a value of a type; null where the type has none for it. */
export function contentOf(type: QuantityType, quantity: number): Content {
  if (!Number.isSafeInteger(quantity)) return null;
  const isYear = quantity >= 0 && quantity <= LAST_MS;
  return isInstant(type) && !isYear ? null : quantityIn(type).content(type, quantity);
}

/** Whether a number, in units of its last digit, lies within the bounds of its type. */
export function isWithin(type: ScalarContract<'integer' | 'decimal'>, quantity: number): boolean {
  const [min, max] = [type.min, type.max].map((bound) => (bound === null ? null : quantityOf(type, bound)));
  return isBetween(quantity, { min: min ?? null, max: max ?? null });
}

/** Whether JSON has values of a kind as a type. */
export const isWrittenAs = (kind: string, json: 'string' | 'number' | 'boolean'): boolean =>
  isScalar({ kind }) && jsonTypesOf(kind as ScalarContract['kind']).includes(json);

const isBetween = (
  value: number,
  { min, max }: { readonly min: number | null; readonly max: number | null },
): boolean => (min === null || value >= min) && (max === null || value <= max);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIMESTAMP = {
  milliseconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
} as const;

function textTest({ min, max, pattern, format, oneOf }: TextType): Accepts {
  if (format === 'uuid') return (value) => typeof value === 'string' && UUID.test(value);
  const own = format === 'password' ? null : format;
  const allowed = allowedBy({ ...FREE, kind: 'text', format: own, min, max, pattern, oneOf });
  return (value) => typeof value === 'string' && value.isWellFormed() && allowed(value) === null;
}

function decimalTest({ digits, min, max, as }: ScalarContract<'decimal'>): Accepts {
  const [least, most] = [min, max].map((bound) => (bound === null ? null : decimalOf(bound, digits, 'refused')));
  const isAllowed = (text: string): boolean => {
    const units = decimalOf(text, digits, 'refused');
    return units !== null && isBetween(units, { min: least ?? null, max: most ?? null });
  };
  if (as === 'numbers')
    return (value) => {
      // A number that no double holds is read as its text.
      if (value instanceof Numeral) return isAllowed(value.text);
      if (typeof value !== 'number') return false;
      const text = value.toFixed(digits);
      return Number(text) === value && isAllowed(text);
    };
  const form = new RegExp(`^-?(?:0|[1-9]\\d*)${digits > 0 ? `\\.\\d{${digits}}` : ''}$`);
  return (value) => typeof value === 'string' && form.test(value) && isAllowed(value);
}

function timestampTest({ precision, whole }: ScalarContract<'timestamp'>): Accepts {
  if (precision === 'Unix seconds')
    return (value) => Number.isInteger(value) && (whole === null || ((value as number) * SECOND_MS) % whole === 0);
  return (value) => {
    if (typeof value !== 'string' || !TIMESTAMP[precision].test(value)) return false;
    const instant = Date.parse(value);
    if (Number.isNaN(instant) || new Date(instant).toISOString().slice(0, 19) !== value.slice(0, 19)) return false;
    return whole === null || instant % whole === 0;
  };
}

function durationTest({ min, max, precision }: ScalarContract<'duration'>): Accepts {
  return (value) => {
    const length = typeof value === 'string' ? isoDuration(value) : null;
    if (length === null || (precision === 'whole seconds' && length % 1000 !== 0)) return false;
    return isBetween(length, { min, max });
  };
}
