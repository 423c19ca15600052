import type { Row } from '../expression/values/value.ts';
import { transitionsIn } from '../plan/machines.ts';
import type { TransitionPlan } from '../plan/step.ts';
import type { Program } from '../store/store.ts';
import type { Engine } from './engine/engine.ts';
import { evaluate } from './expressions/layout.ts';
import type { Resource } from './resources/rules.ts';
import type { UnitOfWork } from './resources/unit-of-work.ts';
import { type Mover, mover } from './states/states.ts';

/** The result of a move: null if it is made, or the reason for which it is refused. */
type Refused = string | null;

const BY_ITSELF = 'The transition is timed: the service makes it at the stated time.';

/** Moves of rows by the operator: by transitions that are not timed, subject to their guards. */
export class OperatorMoves {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Returns the transitions that the operator may use. */
  transitionsOf(resource: Resource): readonly TransitionPlan[] {
    return transitionsIn(resource.plan.machines).filter(({ timed }) => timed === null);
  }

  /** Moves a row; returns the reason for a refusal. */
  *make(work: UnitOfWork, resource: Resource, transition: string, row: Row): Program<Refused> {
    const one = this.mover(resource, transition);
    const refused = yield* this.refusal(work, one, row);
    if (refused !== null) return refused;
    yield* resource.move(work, row, one);
    yield* this.engine.finish(work);
    return null;
  }

  /** Returns every transition of a resource, with the reason why a row can't make it; null where it can. */
  *judge(work: UnitOfWork, resource: Resource, row: Row): Program<ReadonlyMap<TransitionPlan, Refused>> {
    const out = new Map<TransitionPlan, Refused>();
    for (const plan of transitionsIn(resource.plan.machines)) {
      const one = this.mover(resource, plan.name);
      const refused = yield* this.refusal(work, one, row);
      out.set(plan, plan.timed ? (refused ?? BY_ITSELF) : refused);
    }
    return out;
  }

  private mover(resource: Resource, transition: string): Mover {
    const { expressions, errors } = this.engine;
    return mover(resource, transition, expressions, errors);
  }

  private *refusal(work: UnitOfWork, { plan, state: column, guard, refusal }: Mover, row: Row): Program<Refused> {
    const state = row[column] as string;
    const code = refusal?.outcome ? `${refusal.outcome.code}: ` : '';
    if (!plan.from.includes(state))
      return `${code}${plan.name} leads from ${plan.from.join(' or ')}, and this row is ${state}.`;
    if (guard === null) return null;
    const { frame } = work;
    frame.row = row;
    const holds = (yield* evaluate(guard, frame)) === true;
    frame.row = null;
    return holds ? null : `${code}the guard of ${plan.name} does not hold for this row.`;
  }
}
