import type { Row, Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { Plan, ValueRule } from '../../plan/step.ts';
import type { ResourceShape, StoredShape, TimedShape } from '../shape.ts';
import type { Change } from './changes.ts';
import type { Checks } from './checks.ts';
import type { Answers } from './compare.ts';
import type { Hindrance } from './hindrances.ts';
import type { Rewriter } from './rewriter.ts';

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

/** Everything that the steps of a migration share. */
export interface Migration {
  readonly plan: Plan;
  /** The shape before: as it was stored, and as it is called now. */
  readonly old: StoredShape;
  readonly was: StoredShape;
  /** The shape to come. */
  readonly next: StoredShape;
  readonly changes: readonly Change[];
  readonly answers: Answers;
  readonly rules: RowRules;
  readonly to: Rewriter;
  readonly checks: Checks;
  readonly notes: string[];
}

/** Whether a resource’s table was there before, and stays. */
export function isOld({ changes }: Migration, resource: string): boolean {
  return !changes.some((change) => change.kind === 'add resource' && change.resource === resource);
}

/** A resource as a shape has it. */
export const shapeIn = (shape: StoredShape, resource: string): ResourceShape => named(shape.resources, resource);
