import { libraryCall } from '../../expression/library/compile.ts';
import { inLibrary } from '../../expression/library/index.ts';
import { operatorOf } from '../../expression/operators.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';
import { once } from './once.ts';

type Call = Extract<Expr, { op: 'call' }>;

/** Computes the result of a call from the values of its arguments. */
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
    : operatorOf(fn, args, given[0] ?? nothing, given[1] ?? nothing);
  return does as unknown as Computes;
}
