import { type Condition, type Outcome, STAGES } from '../../plan/conditions.ts';
import type { FaultAt } from './request-context.ts';

/** The conditions that steps raise by themselves. */
const OF_STEPS: ReadonlySet<Condition> = new Set(STAGES.Steps);

/**
 * The reason why a request stops: a condition, or a code that a step or rule raises. It is thrown, but is no Error:
 * nothing is broken.
 */
export class Refusal {
  readonly outcome: Outcome | null;
  readonly condition: Condition | null;
  readonly faults: readonly FaultAt[];
  readonly headers: readonly string[];
  /** The text of a rule that states no code: only the operator can break one. */
  readonly rule: string | null;

  constructor(
    outcome: Outcome | null,
    condition: Condition | null,
    faults: readonly FaultAt[] = [],
    headers: readonly string[] = [],
    rule: string | null = null,
  ) {
    this.rule = rule;
    this.outcome = outcome;
    this.condition = condition;
    this.faults = faults;
    this.headers = headers;
  }

  /** True for refusals that steps and rules raise, which an idempotency key keeps like answers. */
  get stated(): boolean {
    return this.condition === null || OF_STEPS.has(this.condition);
  }
}
