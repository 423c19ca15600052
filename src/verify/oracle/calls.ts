import { libraryCall } from '../../expression/library/compile.ts';
import { inLibrary } from '../../expression/library/index.ts';
import { operatorOf } from '../../expression/operators.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';
import { once } from './once.ts';

type Call = Extract<Expr, { op: 'call' }>;

/** What a call gives for the values of its arguments. */
type Computes = (values: readonly Value[]) => Value;

/** The functions and operators that expressions call, each compiled once: that costs far more than to compute one. */
export class Calls {
  private readonly compiled = new WeakMap<Call, Computes>();
  private readonly names = new WeakMap<Call, string>();
  private named = 0;

  /** A name of a call that no other call has. */
  nameOf(call: Call): string {
    return once(this.names, call, () => `call ${++this.named}`);
  }

  /** What `src/expression` computes for a call; where an argument of a function is null, so is the result. */
  compute(call: Call, values: readonly Value[]): Value {
    return once(this.compiled, call, () => compile(call))(values);
  }
}

/** Functions look at their arguments alone: what they are given as a frame are the values of these. */
function compile({ fn, args }: Call): Computes {
  const given = args.map(
    (_, i) =>
      (frame: unknown): Value =>
        (frame as readonly Value[])[i] ?? null,
  );
  const nothing = (): Value => null;
  const does = inLibrary(fn)
    ? libraryCall(fn, args, given)
    : operatorOf(fn, args, given[0] ?? nothing, given[1] ?? nothing);
  return does as unknown as Computes;
}
