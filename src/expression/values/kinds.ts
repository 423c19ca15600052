import { keysOf } from '../../text/own-members.ts';

/** Facts about the values of a kind, from which expressions, columns, checks and texts derive. */
interface ScalarFacts {
  /** The kind of their type in expressions, which is also the word of the type in a document. */
  readonly type: string;
  /** How computations and columns hold a value. `whole` is a number without fraction, exact in a double. */
  readonly held: 'text' | 'uuid' | 'whole' | 'boolean';
  /** The forms of allowed values that a document may state (`Allowed` in `language/values.ts`), beside any. */
  readonly allowed: readonly string[];
  /** Whether a document may limit values by the least and the greatest one. */
  readonly bounded?: true;
  /** The number of characters of every value, for text that is always as long. */
  readonly length?: number;
}

/**
 * The kinds of values without parts, each once. A layer that needs code for each kind has a record of its own, with
 * these keys: `language/values.ts` reads the type, `validation/wire.ts` reads and writes a value, `contract/kinds.ts`
 * describes it, `export/schema.ts` gives its JSON Schema, and `verify/requests/kinds.ts` tries it.
 */
const SCALARS = {
  text: { type: 'string', held: 'text', allowed: ['length', 'pattern', 'one of'] },
  uuid: { type: 'string', held: 'uuid', allowed: [] },
  integer: { type: 'integer', held: 'whole', allowed: ['range'], bounded: true },
  /** In units of the last digit. */
  decimal: { type: 'decimal', held: 'whole', allowed: ['range', 'decimals'], bounded: true },
  boolean: { type: 'boolean', held: 'boolean', allowed: [] },
  /** In milliseconds since the epoch. */
  timestamp: { type: 'timestamp', held: 'whole', allowed: ['whole minutes'] },
  /** In the form of ISO 8601. */
  date: { type: 'date', held: 'text', allowed: [], length: 10 },
  /** In milliseconds. */
  duration: { type: 'duration', held: 'whole', allowed: ['durations'], bounded: true },
} as const satisfies Readonly<Record<string, ScalarFacts>>;

export type ScalarKind = keyof typeof SCALARS;
/** The kinds of types without parts. */
export type ScalarType = (typeof SCALARS)[ScalarKind]['type'];
/** The kinds of stored values. */
export type ColumnKind = ScalarKind | 'list' | 'set' | 'map';

export const SCALAR_KINDS: readonly ScalarKind[] = keysOf(SCALARS);
export const SCALAR_TYPES: readonly ScalarType[] = [...new Set(SCALAR_KINDS.map((kind) => SCALARS[kind].type))];

/** The kind of the values of a type, which may be a UUID if a document states that format. */
export const scalarOf = (type: ScalarType): ScalarKind => (type === 'string' ? 'text' : type);

/** The facts about a kind of value. */
export const factsOf = (kind: ScalarKind): ScalarFacts & Pick<(typeof SCALARS)[ScalarKind], 'type' | 'allowed'> =>
  SCALARS[kind];

/** Whether values of a kind have no parts. */
export const isScalarKind = (kind: string): kind is ScalarKind => Object.hasOwn(SCALARS, kind);

/** Whether values of a type of some kind have no parts. */
export const isScalarType = (kind: string): kind is ScalarType => (SCALAR_TYPES as readonly string[]).includes(kind);

/** How a column holds a value; lists, sets and maps are JSON. */
export const heldAs = (kind: ColumnKind): ScalarFacts['held'] | 'json' =>
  isScalarKind(kind) ? SCALARS[kind].held : 'json';
