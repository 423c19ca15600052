import type { Expr } from '../tree/expression.ts';
import type { LibraryFn } from '../tree/library-names.ts';
import type { Frame, Value } from '../values/value.ts';
import { inLibrary, meaningOf } from './index.ts';

type Evaluate = (frame: Frame) => unknown;
type Does = (...args: unknown[]) => Value;

/** Compiles a call; if an argument is null, the result is null. */
export function libraryCall(
  fn: LibraryFn,
  args: readonly Expr[],
  values: readonly Evaluate[],
): (frame: Frame) => Value {
  const constant = constantOf({ op: 'call', fn, args, type: args[0]!.type });
  if (constant !== undefined) return () => constant;
  const meaning = meaningOf(fn, args);
  const does = meaning.does as unknown as Does;
  const also = meaning.also?.(args) ?? [];
  const [a, b] = values as [Evaluate, Evaluate];
  if (values.length === 1 && also.length === 0)
    return (f) => {
      const x = a(f);
      return x === null ? null : does(x);
    };
  if (values.length === 2 && also.length === 0)
    return (f) => {
      const x = a(f);
      const y = b(f);
      return x === null || y === null ? null : does(x, y);
    };
  return (f) => {
    const given = values.map((value) => value(f));
    return given.includes(null) ? null : does(...given, ...also);
  };
}

/** The value of a constant expression: a literal, or a function of literals. Undefined for any other expression. */
export function constantOf(expr: Expr): Value | undefined {
  if (expr.op === 'const') return expr.value;
  if (expr.op !== 'call') return undefined;
  const args = expr.args.map(constantOf);
  if (args.length === 0 || args.some((arg) => arg === undefined)) return undefined;
  if (expr.fn === 'negate') return typeof args[0] === 'number' ? 0 - args[0] : undefined;
  if (!inLibrary(expr.fn)) return undefined;
  if (args.includes(null)) return null;
  const meaning = meaningOf(expr.fn, expr.args);
  return (meaning.does as unknown as Does)(...args, ...(meaning.also?.(expr.args) ?? []));
}
