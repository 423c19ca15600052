import { type Expr, parts } from '../../expression/tree/expression.ts';
import { parseJson } from '../../http/json.ts';
import type { Plan } from '../../plan/step.ts';
import { Calls } from './calls.ts';
import { Checks } from './checks.ts';
import { once } from './once.ts';
import { Routes } from './routes.ts';

/**
 * The compiled parts of plans, shared by all predictions. One request is compared with many documents that differ in a
 * single statement; to compile these parts again each time would cost more than the rest of the prediction.
 */
export class Compiled {
  readonly calls = new Calls();
  private readonly checks = new WeakMap<Plan['wire'], Checks>();
  private readonly routes = new WeakMap<Plan, Routes>();
  private readonly rules = new WeakMap<Expr, ReadonlySet<string> | null>();
  private readonly bodies = new WeakMap<Buffer, ReturnType<typeof parseJson>>();

  checksOf({ wire }: Plan): Checks {
    return once(this.checks, wire, () => new Checks(wire));
  }

  routesOf(plan: Plan): Routes {
    return once(this.routes, plan, () => new Routes(plan));
  }

  /**
   * The resources whose rows a rule reads, besides its own row; null where the rule reads the time or a derived field.
   */
  lookedAt(test: Expr): ReadonlySet<string> | null {
    return once(this.rules, test, () => resourcesBeside(test));
  }

  /** The parsed JSON of a body. It is shared, so that readers must not change it. */
  json(body: Buffer): ReturnType<typeof parseJson> {
    return once(this.bodies, body, () => parseJson(body));
  }
}

function resourcesBeside(test: Expr): ReadonlySet<string> | null {
  const found = new Set<string>();
  const walk = (expr: Expr): boolean => {
    if (expr.op === 'call' && expr.fn === 'now') return false;
    if (expr.op === 'rows' || expr.op === 'query') found.add(expr.resource);
    if (expr.op === 'get' && expr.of.type.kind === 'row') {
      if (expr.derived) return false;
      if (expr.of.op !== 'name' || expr.of.name !== 'this') found.add(expr.of.type.resource);
    }
    return parts(expr).every(walk);
  };
  return walk(test) ? found : null;
}
