import type Database from 'better-sqlite3';
import type { Plan } from '../plan/step.ts';
import type { Change } from './changes.ts';
import type { Answers } from './migrate.ts';
import type { RowRules } from './migration.ts';
import type { ResourceShape, StoredShape } from './shape.ts';
import type { Checks } from './sqlite.checks.ts';
import type { Rewriter } from './sqlite.rewrite.ts';

/** Everything that the steps of a migration share. */
export interface Migration {
  readonly db: Database.Database;
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
export const shapeIn = (shape: StoredShape, resource: string): ResourceShape =>
  shape.resources.find((one) => one.name === resource)!;
