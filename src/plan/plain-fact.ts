import { keysOf } from '../text/own-members.ts';
import { showDuration } from '../text/units.ts';

/** How callers notice a change of a fact: a name of the verdicts of `diff`. */
export type Change =
  | 'refused'
  | 'unknown'
  | 'missing'
  | 'otherwise'
  | 'unreadable'
  | 'untold'
  | 'accepted'
  | 'known'
  | 'unused'
  | 'words'
  | 'unmet'
  | 'order';

/** The form of a value: its JSON Schema, and its words. The type of the value follows from the form. */
interface Form<T> {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly words: (value: T) => string;
}

/** A duration in milliseconds. */
export const TIME: Form<number> = { schema: { type: 'integer', minimum: 0 }, words: showDuration };
/** A text, or the name of something that the document declares. */
export const TEXT: Form<string> = { schema: { type: 'string' }, words: (text) => text };

/** A value that may be absent; `none` is the word for its absence. */
export const orNone = <T>({ schema, words }: Form<T>, none = 'none'): Form<T | null> => ({
  schema: { ...schema, type: [schema.type, 'null'] },
  words: (value) => (value === null ? none : words(value)),
});

/** One of several words. */
export const wordOf = <W extends string>(...words: readonly W[]): Form<W> => ({
  schema: { enum: words },
  words: (word) => word,
});

/** A variation of a fact that `test` has to try: its words in the report, and the trace that shows it. */
interface FactTry {
  readonly name: string;
  readonly what: string;
  /** Whether the test has to move the clock of the service. */
  readonly clock?: boolean;
}

/**
 * A fact of a part that has the same value in the document, in the plan and in the contract. `T` is the type of its
 * value.
 */
interface PlainFact<T> {
  readonly form: Form<T>;
  /** The member of the contract, if its name differs from the member of the plan. */
  readonly contract?: string;
  /** The description of the member in the schema of the contract. */
  readonly about?: string;
  /** The row that `contract` prints: its noun, and the words of the value, if they differ from those of the form. */
  readonly row: readonly [noun: string, words?: (value: T) => string];
  /** The words that `plan` prints; null or empty for none. */
  readonly says: ((value: T) => string) | null;
  /** The noun in messages of `diff`, and how callers notice a change. */
  readonly change: readonly [noun: string, change: Change | ((old: T, next: T) => Change)];
  /** The variations that `test` tries. `an event`: every event that arrives shows the fact. */
  readonly tries: readonly FactTry[] | ((value: T) => readonly FactTry[]) | 'an event';
  /** Why no request can try the fact, in a sentence. */
  readonly untestable?: string;
}

/** A fact whose plan, contract and words have code of their own, in its place among the others. */
export const IRREGULAR = 'irregular';

// Any value: a record of facts has facts of several types.
// biome-ignore lint/suspicious/noExplicitAny: the type of each fact is inferred from its form.
type AnyFact = PlainFact<any>;
/** The facts of a part, by the members of their statements, in the order in which the contract has them. */
export type Facts = Readonly<Record<string, AnyFact | typeof IRREGULAR>>;

/** A plain fact, typed by its form. */
export const fact = <T, const F extends PlainFact<T>>(of: F & { readonly form: Form<T> }): F => of;

type Irregular<F extends Facts> = { [K in keyof F]: F[K] extends AnyFact ? never : K }[keyof F] & string;
type Plain<F extends Facts> = { [K in keyof F]: F[K] extends AnyFact ? K : never }[keyof F] & string;
type ValueOf<F> = F extends { readonly form: Form<infer T> } ? T : never;
type ContractName<F, K> = F extends { readonly contract: infer C extends string } ? C : K;

/** The members of the plan for the plain facts of a part. */
export type PlanFacts<F extends Facts> = { readonly [K in Plain<F>]: ValueOf<F[K]> };
/** The members of the contract for the plain facts of a part. */
export type ContractFacts<F extends Facts> = {
  readonly [K in Plain<F> as ContractName<F[K], K> & string]: ValueOf<F[K]>;
};
/** Code for the irregular facts of a part: the type makes a forgotten one a compile error. */
export type ByHand<F extends Facts, T> = { readonly [K in Irregular<F>]: T };

/** An object with the members of all objects of a union. */
export type Joined<M> = (M extends unknown ? (members: M) => void : never) extends (members: infer All) => void
  ? All
  : never;

/** A plain fact with its member of the plan and of the contract. */
interface FactEntry {
  readonly member: string;
  readonly contract: string;
  readonly fact: AnyFact;
}

/** Goes through the facts of a part in their order: `plain` for each plain fact, and the values for the irregular ones. */
export const eachFact = <F extends Facts, T>(
  facts: F,
  plain: (entry: FactEntry) => T,
  irregular: ByHand<F, T>,
): T[] => {
  const byHand: Readonly<Record<string, T>> = irregular;
  return keysOf(facts).map((member) => {
    const fact: AnyFact | typeof IRREGULAR = facts[member]!;
    return fact === IRREGULAR ? byHand[member]! : plain({ member, contract: fact.contract ?? member, fact });
  });
};

/** The verdict of `diff` on a number that gets lower, or is new. */
export const whereLower =
  (change: Change) =>
  (old: number | null, next: number | null): Change =>
    next !== null && (old === null || next < old) ? change : 'unused';
