import type { Expr } from '../../expression/tree/expression.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import type { ValueRule } from '../../plan/step.ts';
import type { TimedShape } from '../shape.ts';
import type { Change, Fill, Hindrance, Replacement } from './changes.ts';

/** The document’s rules for values and rows. A store receives them for a migration, since stores know no rules. */
export interface RowRules {
  /** Whether a stored value is allowed. */
  allows(rule: ValueRule): (value: Value) => boolean;
  /** The value of an expression of a row alone. */
  computed(resource: string, expr: Expr): (row: Row) => Value;
  /**
   * The new value of the hidden column of a timed event or transition, for a row in its present state. `held` is the
   * column’s present value, and `before` the timing from which that value was computed; null where there is none.
   */
  due(
    resource: string,
    timed: TimedShape,
    before: TimedShape | null,
    now: number,
  ): (row: Row, held: number | null) => number | null;
}

/** Observer of a migration, which reports its progress. */
export interface Watcher {
  /** Called with all changes before the first is made. */
  planned(changes: readonly Change[]): void;
  /** Called before each statement and before the commit, since long ones deserve a line of output. */
  step(what: string, sql: string): void;
}

/** Result of a migration, which has been done unless there are hindrances or mistakes. */
export interface Migrated {
  readonly changes: readonly Change[];
  readonly hindrances: readonly Hindrance[];
  readonly mistakes: readonly string[];
  /** Further remarks about the rows, for the operator. */
  readonly notes: readonly string[];
}

/** The input of a migration. */
export interface Upgrade {
  readonly answers: Answers;
  readonly rules: RowRules;
  readonly watcher: Watcher;
  readonly now: number;
  /** True for a dry run, which makes all changes to a copy of the rows, so that requests need not wait. */
  readonly dry: boolean;
}

/** A resource or field of the old document that has another name in the new one. */
export interface Rename {
  readonly resource: string;
  /** Null where the resource itself is renamed. */
  readonly field: string | null;
  readonly to: { readonly resource: string; readonly field: string | null };
}

/** Returns the old names of a resource that is renamed. */
export const namesBefore =
  (renames: readonly Rename[]) =>
  (resource: string): string[] =>
    renames.flatMap((one) => (one.field === null && one.to.resource === resource ? [one.resource] : []));

/** The operator's decisions for a migration. Ninefold guesses none of them. */
export interface Answers {
  readonly renames: readonly Rename[];
  /** Values for rows that lack one, by `Resource.field`: from the operator, or else from the document. */
  readonly fills: ReadonlyMap<string, Fill>;
  /** Replacements of values that an enumeration no longer has, or splits, by `Resource.field` and then by the old value. */
  readonly replaced: ReadonlyMap<string, ReadonlyMap<string, Replacement>>;
  /** The names of the changes by which values may be lost. */
  readonly accepted: ReadonlySet<string>;
}

export const NO_ANSWERS: Answers = { renames: [], fills: new Map(), replaced: new Map(), accepted: new Set() };
