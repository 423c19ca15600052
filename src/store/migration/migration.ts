import { named } from '../../plan/named.ts';
import type { Plan } from '../../plan/step.ts';
import type { ResourceShape, StoredShape } from '../shape.ts';
import type { Answers } from './answers.ts';
import type { Change } from './changes.ts';
import type { Checks } from './checks.ts';
import type { Rewriter } from './rewriter.ts';
import type { RowRules } from './upgrade.ts';

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
