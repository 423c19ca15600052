import { showDecimal } from '../expression/values/decimal.ts';
import { showIsoDuration } from '../expression/values/duration.ts';
import type { ScalarKind } from '../expression/values/kinds.ts';
import { unixTime } from '../expression/values/unix-time.ts';
import type { ValueRule, WirePlan } from '../plan/step.ts';
import type { DecimalForm, TextFormat } from '../plan/value-forms.ts';
import { showDuration } from '../text/units.ts';

/** The facts that a contract states about values of each kind: limits of the rule, and the form in JSON. */
interface Facts {
  readonly text: Readonly<Pick<ValueRule, 'min' | 'max' | 'pattern' | 'oneOf'>> & {
    readonly format: TextFormat | 'uuid' | 'password' | null;
  };
  readonly integer: Bounds;
  /** An exact number; its bounds are written with all their digits. */
  readonly decimal: {
    readonly digits: number;
    readonly min: string | null;
    readonly max: string | null;
    readonly as: DecimalForm['as'];
    readonly rounding: DecimalForm['rounding'];
  };
  /** `only`: the constant value, if it is one. */
  readonly boolean: { readonly only?: boolean };
  /** RFC 3339, in UTC, written with `Z`; or a number of seconds since 1970. */
  readonly timestamp: {
    readonly precision: NonNullable<WirePlan['timestamps']>;
  } & Readonly<Pick<ValueRule, 'whole'>>;
  /** RFC 3339’s full-date. */
  readonly date: unknown;
  /** ISO 8601, in days or less; bounds in milliseconds. */
  readonly duration: { readonly precision: NonNullable<WirePlan['durations']> } & Bounds;
}

type Bounds = Readonly<Pick<ValueRule, 'min' | 'max'>>;

/** The type of a value without parts. A UUID is a text with that format. */
export type ScalarContract<K extends keyof Facts = keyof Facts> = {
  [Kind in K]: { readonly kind: Kind } & Facts[Kind];
}[K];

/** The source of the values that requests send as samples. */
export interface SampleSource<Content> {
  text(type: ScalarContract<'text'>, name: string): Content;
  integer(type: ScalarContract<'integer'>): Content;
  decimal(type: ScalarContract<'decimal'>): Content;
  boolean(): Content;
  duration(type: ScalarContract<'duration'>): Content;
  /** The next instant, in milliseconds since the epoch: a whole number of `unit` milliseconds. */
  instant(unit: number): number;
  /** A day, as the instant at which it begins or a later one. */
  day(): number;
}

/** One kind of value in contracts. */
interface ContractKind<K extends keyof Facts> {
  /** The type of a value with validation rules. */
  readonly of: (rule: ValueRule, wire: WirePlan) => ScalarContract<K>;
  /** Describes a type in English. */
  readonly words: (type: ScalarContract<K>) => string;
  /** Describes what the type in JSON does not say. */
  readonly note: (type: ScalarContract<K>) => string;
  /** The types of the value in JSON, one of which a type has. */
  readonly json: readonly JsonType[];
  readonly sample: <Content>(
    type: ScalarContract<K>,
    from: SampleSource<Content>,
    name: string,
  ) => Content | string | number;
}

type JsonType = 'string' | 'number' | 'boolean';

const SECOND_MS = 1000;

const KINDS: { readonly [K in keyof Facts]: ContractKind<K> } = {
  text: {
    of: ({ min, max, pattern, format, oneOf }) => ({ kind: 'text', min, max, pattern, format, oneOf }),
    words: ({ format, min, max, pattern, oneOf }) => {
      if (oneOf) return oneOf.length === 1 ? JSON.stringify(oneOf[0]) : `one of ${oneOf.join(', ')}`;
      const length = counted(min, max);
      return spaced(format ?? 'text', length && `${length} characters`, pattern !== null && `/${pattern}/`);
    },
    note: ({ format, min, max, pattern, oneOf }) =>
      oneOf
        ? ''
        : joined(
            format ?? '',
            range(min || null, max, String, ' characters'),
            pattern !== null && `matches \`${pattern}\``,
          ),
    json: ['string'],
    sample: (type, from, name) => from.text(type, name),
  },
  integer: {
    of: ({ min, max }) => ({ kind: 'integer', min, max }),
    words: ({ kind, min, max }) => spaced(kind, between(min, max, String)),
    note: ({ min, max }) => range(min, max, String),
    json: ['number'],
    sample: (type, from) => from.integer(type),
  },
  decimal: {
    of: ({ min, max, scale }, { decimals }) => {
      const digits = scale ?? 0;
      const bound = (units: number | null): string | null => (units === null ? null : showDecimal(units, digits));
      const { as, rounding } = decimals ?? ({ as: 'strings', rounding: 'refused' } as const);
      return { kind: 'decimal', digits, min: bound(min), max: bound(max), as, rounding };
    },
    words: ({ kind, min, max, digits, as }) => {
      const form = as === 'strings' ? 'in text' : 'as a number';
      return spaced(kind, between(min, max, String), `of ${places(digits)}, ${form}`);
    },
    note: ({ min, max, digits }) => joined(range(min, max, String), places(digits)),
    json: ['string', 'number'],
    sample: (type, from) => from.decimal(type),
  },
  boolean: {
    of: () => ({ kind: 'boolean' }),
    words: ({ kind, only }) => (only === undefined ? kind : String(only)),
    note: () => '',
    json: ['boolean'],
    sample: (_, from) => from.boolean(),
  },
  timestamp: {
    of: ({ whole }, { timestamps }) => ({ kind: 'timestamp', precision: timestamps ?? 'milliseconds', whole }),
    words: ({ kind, whole, precision }) =>
      spaced(
        kind,
        precision === 'Unix seconds' && 'in Unix seconds',
        whole !== null && `in whole ${showDuration(whole).replace('1 ', '')}s`,
      ),
    note: ({ whole, precision }) =>
      joined(
        precision === 'Unix seconds' ? 'Unix time, in seconds' : 'RFC 3339 date and time',
        whole !== null && `in whole steps of ${showDuration(whole)}`,
      ),
    json: ['string', 'number'],
    sample: ({ whole, precision }, from) => timestampValue(from.instant(whole ?? SECOND_MS), precision),
  },
  date: {
    of: () => ({ kind: 'date' }),
    words: ({ kind }) => kind,
    note: () => 'RFC 3339 date',
    json: ['string'],
    sample: (_, from) => new Date(from.day()).toISOString().slice(0, 10),
  },
  duration: {
    of: ({ min, max }, { durations }) => ({ kind: 'duration', precision: durations ?? 'milliseconds', min, max }),
    words: ({ kind, min, max }) => spaced(kind, between(min, max, showIsoDuration)),
    note: ({ min, max }) => joined('ISO 8601 duration', range(min, max, showIsoDuration)),
    json: ['string'],
    sample: (type, from) => from.duration(type),
  },
};

/** Describes bounds, and their unit. */
export function range<T>(min: T | null, max: T | null, show: (one: T) => string, unit = ''): string {
  if (min === null && max === null) return '';
  if (max === null) return min === null ? '' : `at least ${show(min)}${unit}`;
  return min === null ? `at most ${show(max)}${unit}` : `${show(min)} to ${show(max)}${unit}`;
}

/** Describes bounds; equal ones by the only value. */
const between = <T>(min: T | null, max: T | null, show: (one: T) => string): string =>
  min !== null && min === max ? show(min) : range(min, max, show);

/** Describes a number of characters, items or entries; the minimum 0 is not printed. */
export const counted = (min: number | null, max: number | null): string => between(min || null, max, String);

const places = (digits: number): string => `${digits} ${digits === 1 ? 'digit' : 'digits'} after the point`;
const joined = (...parts: ReadonlyArray<string | false>): string => parts.filter(Boolean).join(', ');
const spaced = (...parts: ReadonlyArray<string | false>): string => parts.filter(Boolean).join(' ');

type TimestampForm = Facts['timestamp']['precision'];

/** An instant as the document writes instants in JSON. */
export const timestampValue = (at: number, form: TimestampForm): string | number =>
  form === 'Unix seconds' ? unixTime(at) : timestampText(at, form);

/** An instant as RFC 3339 writes it; with milliseconds only where there are some. */
function timestampText(at: number, precision: 'milliseconds' | 'seconds'): string {
  const text = new Date(at).toISOString();
  return precision === 'seconds' || at % SECOND_MS === 0 ? `${text.slice(0, 19)}Z` : text;
}

/** The member of the record for a kind; its functions take types of that kind alone. */
const kindOf = <K extends keyof Facts>(kind: K): ContractKind<keyof Facts> =>
  KINDS[kind] as unknown as ContractKind<keyof Facts>;

/** Any text. */
export const TEXT: ScalarContract<'text'> = {
  kind: 'text',
  min: null,
  max: null,
  pattern: null,
  format: null,
  oneOf: null,
};

/** Whether a type is that of a value without parts. */
export const isScalar = (type: { readonly kind: string }): type is ScalarContract => Object.hasOwn(KINDS, type.kind);

/** The type of a value without parts that has validation rules. */
export function scalarOfRule(kind: ScalarKind, rule: ValueRule, wire: WirePlan): ScalarContract {
  if (kind === 'uuid') return { ...KINDS.text.of(rule, wire), format: kind };
  return kindOf(kind).of(rule, wire);
}

/** Describes a type in English. */
export const scalarWords = (type: ScalarContract): string => kindOf(type.kind).words(type);

/** Describes what the type in JSON does not say of a value. */
export const scalarNote = (type: ScalarContract): string => kindOf(type.kind).note(type);

/** The types in JSON that values of a kind may have. */
export const jsonTypesOf = (kind: ScalarContract['kind']): readonly JsonType[] => KINDS[kind].json;

/** The type in JSON that every value of a type has. */
export function jsonTypeOf(type: ScalarContract): JsonType {
  if ('as' in type) return type.as === 'strings' ? 'string' : 'number';
  if (type.kind === 'timestamp') return type.precision === 'Unix seconds' ? 'number' : 'string';
  return KINDS[type.kind].json[0]!;
}

/** A value that a type allows. `name` is that of the member. */
export const sampleOf = <Content>(
  type: ScalarContract,
  from: SampleSource<Content>,
  name: string,
): Content | string | number | number => kindOf(type.kind).sample(type, from, name);
