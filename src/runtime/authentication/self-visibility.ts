import { emptyFrame, type Row } from '../../expression/values/value.ts';
import { conditionOfCallers } from '../../plan/caller-condition.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { Told } from '../context/request-context.ts';
import { type Compiled, type Expressions, evaluate, NO_NAMES } from '../expressions/layout.ts';

/** Whether the row of some credentials is visible to itself: a row that is hidden from itself is no caller. */
export class SelfVisibility {
  private readonly resource: string;
  private readonly test: Compiled;

  private constructor(resource: string, test: Compiled) {
    this.resource = resource;
    this.test = test;
  }

  /**
   * Compiles the test whether a caller's row is visible to itself; null if every row is. `expressions`: a compiler
   * whose queries see every row.
   */
  static of(scheme: SchemePlan, resources: readonly ResourcePlan[], expressions: Expressions): SelfVisibility | null {
    const condition = conditionOfCallers(resources, scheme);
    return condition && new SelfVisibility(scheme.resource, expressions.compile(condition, NO_NAMES));
  }

  *holds(row: Row, told: Told, now: number): Program<boolean> {
    const { resource: callerOf } = this;
    // Derived fields may read the caller.
    const frame = { ...emptyFrame(now, ''), row, caller: row, callerOf, ...told };
    return (yield* evaluate(this.test, frame)) === true;
  }
}
