import { named } from '../../plan/named.ts';
import type { Plan } from '../../plan/step.ts';
import type { ResourceShape, StoredShape } from '../shape.ts';
import type { Change } from './changes.ts';
import type { Checks } from './checks.ts';
import type { Rewriter } from './rewriter.ts';
import type { Answers, RowRules } from './upgrade.ts';

/** The common state of all steps of a migration. */
export interface Migration {
  readonly plan: Plan;
  /** The old shape: `old` as it was stored, `was` with the new names of renamed resources and fields. */
  readonly old: StoredShape;
  readonly was: StoredShape;
  /** The new shape. */
  readonly next: StoredShape;
  readonly changes: readonly Change[];
  readonly answers: Answers;
  readonly rules: RowRules;
  readonly to: Rewriter;
  readonly checks: Checks;
  readonly notes: string[];
}

/** Whether a resource has a table already, and keeps it. */
export function isOld({ changes }: Migration, resource: string): boolean {
  return !changes.some((change) => change.kind === 'add resource' && change.resource === resource);
}

/** A resource in a shape. */
export const shapeIn = (shape: StoredShape, resource: string): ResourceShape => named(shape.resources, resource);
