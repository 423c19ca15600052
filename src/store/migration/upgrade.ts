import type { Row, Value } from '../../expression/values/value.ts';
import type { ValueRule } from '../../plan/step.ts';
import type { TimedShape } from '../shape.ts';
import type { Answers } from './answers.ts';
import type { Change, Hindrance } from './changes.ts';

/** What the document's rules say of values and rows. A store that migrates is handed them, since it knows of none. */
export interface RowRules {
  /** Whether a stored value is allowed. */
  allows(rule: ValueRule): (value: Value) => boolean;
  /**
   * What the hidden column of something timed is to hold of a row as it stands now: `held` is what it holds, and
   * `before` what that followed from; null where there was nothing.
   */
  due(
    resource: string,
    timed: TimedShape,
    before: TimedShape | null,
    now: number,
  ): (row: Row, held: number | null) => number | null;
}

/** Whoever watches a migration. */
export interface Watcher {
  /** Told of what will be done, before anything is. */
  planned(changes: readonly Change[]): void;
  /** Told of each statement before it is run, and of the commit: long ones are worth a line. */
  step(what: string, sql: string): void;
}

/** What became of a migration: done, unless something stood in its way, or the answers fit neither document. */
export interface Migrated {
  readonly changes: readonly Change[];
  readonly hindrances: readonly Hindrance[];
  readonly mistakes: readonly string[];
  /** What else there is to be told of rows. */
  readonly notes: readonly string[];
}

/** How rows are brought to another document. */
export interface Upgrade {
  readonly answers: Answers;
  readonly rules: RowRules;
  readonly watcher: Watcher;
  readonly now: number;
  /** Only to see what would become of it: everything is done to a copy, so that nothing is held up. */
  readonly dry: boolean;
}
