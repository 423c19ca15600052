import { libraryCall } from '../../expression/library/compile.ts';
import { inLibrary } from '../../expression/library/index.ts';
import { isSearch, operatorOf, searchingOf } from '../../expression/operators.ts';
import { type Expr, parts } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';
import { parseForm } from '../../http/form.ts';
import { parseJson } from '../../http/json.ts';
import type { Plan } from '../../plan/step.ts';
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
  private readonly forms = new WeakMap<Buffer, ReturnType<typeof parseForm>>();
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

  /** The pairs of a form; null where it is malformed. They are shared, too. */
  form(body: Buffer): ReturnType<typeof parseForm> {
    return once(this.forms, body, () => parseForm(body));
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

type Call = Extract<Expr, { op: 'call' }>;

/** Computes the result of a call from the values of its arguments. */
type Computes = (values: readonly Value[]) => Value;

/** The functions and operators that expressions call, each compiled once: that costs far more than to compute one. */
class Calls {
  private readonly compiled = new WeakMap<Call, Computes>();
  private readonly names = new WeakMap<Call, string>();
  private named = 0;

  /** A name of a call that no other call has. */
  nameOf(call: Call): string {
    return once(this.names, call, () => `call ${++this.named}`);
  }

  /**
   * Computes a call with the functions of `src/expression`. Where an argument of a function is null, the result is
   * null.
   */
  compute(call: Call, values: readonly Value[]): Value {
    return once(this.compiled, call, () => compile(call))(values);
  }
}

/**
 * Compiles a call. Functions read only their arguments, so that the frame that they receive is the list of these
 * values.
 */
function compile({ fn, args }: Call): Computes {
  const given = args.map(
    (_, i) =>
      (frame: unknown): Value =>
        (frame as readonly Value[])[i] ?? null,
  );
  const nothing = (): Value => null;
  const does = inLibrary(fn)
    ? libraryCall(fn, args, given)
    : isSearch(fn)
      ? searchingOf(fn, args, given)
      : operatorOf(fn, args, given[0] ?? nothing, given[1] ?? nothing);
  return does as unknown as Computes;
}
