import { parseJson } from '../../http/json.ts';
import type { Plan } from '../../plan/step.ts';
import { Calls } from './calls.ts';
import { Checks } from './checks.ts';
import { Routes } from './routes.ts';

/**
 * What is compiled once for all that is predicted, by whatever document: one request is held to many that differ in a
 * single statement, and making these again would cost more than the rest of it.
 */
export class Compiled {
  readonly calls = new Calls();
  private readonly checks = new WeakMap<Plan['wire'], Checks>();
  private readonly routes = new WeakMap<Plan, Routes>();
  private readonly bodies = new WeakMap<Buffer, ReturnType<typeof parseJson>>();

  checksOf({ wire }: Plan): Checks {
    return once(this.checks, wire, () => new Checks(wire));
  }

  routesOf(plan: Plan): Routes {
    return once(this.routes, plan, () => new Routes(plan));
  }

  /** What a body holds. Whoever reads it changes nothing of it. */
  json(body: Buffer): ReturnType<typeof parseJson> {
    return once(this.bodies, body, () => parseJson(body));
  }
}

function once<K extends object, V>(made: WeakMap<K, V>, key: K, make: () => V): V {
  const known = made.get(key);
  if (known !== undefined) return known;
  const value = make();
  made.set(key, value);
  return value;
}
