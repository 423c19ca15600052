import { type Expr, parts } from '../../expression/tree/expression.ts';
import { type Bounds, Results } from '../../expression/tree/results.ts';
import type { Allowed } from '../../language/values.ts';
import { longest } from '../../text/lists.ts';
import type { Resolved } from './resolve.ts';

/** Finds computations that may have no result, given the allowed values of fields. */
export function resultsOf(r: Resolved): Results {
  return new Results({
    bounds: (resource, field) => {
      const found = r.resourceNamed(resource)?.fields.find(({ name }) => name.text === field);
      return found?.allowed ? boundsOf(found.allowed.value) : null;
    },
    claim: (name) => {
      const claims = r.model.authentication.schemes.flatMap((scheme) => scheme.claims);
      const allowed = claims.find((one) => one.name.text === name)?.allowed;
      return allowed ? boundsOf(allowed.value) : null;
    },
    derived: (resource, field) => {
      const derived = r.resourceNamed(resource)?.derived.find(({ name }) => name.text === field);
      return (derived && r.expr(derived.value)) ?? false;
    },
  });
}

/** The number of steps of evaluating an expression, if it exceeds the limit; else null. */
export function excessiveWork(r: Resolved, expr: Expr): { steps: string; most: string } | null {
  const results = r.once(resultsOf);
  const known = r.once(derivedWork);
  const derived = (resource: string, field: string): number => {
    const path = `${resource}.${field}`;
    const found = known.get(path);
    if (found !== undefined) return found;
    const one = r.resourceNamed(resource)?.derived.find(({ name }) => name.text === field);
    const value = one && r.expr(one.value);
    if (!value) return 0;
    // A field that is derived from itself has a finding of its own; 0 ends the recursion here.
    known.set(path, 0);
    const steps = stepsOf(value, results, derived);
    known.set(path, steps);
    return steps;
  };
  const steps = stepsOf(expr, results, derived);
  return steps > MOST_STEPS ? { steps: count(steps), most: count(MOST_STEPS) } : null;
}

const derivedWork = (): Map<string, number> => new Map();
const count = (steps: number): string => Math.round(steps).toLocaleString('en-US');

function boundsOf(allowed: Allowed): Bounds {
  switch (allowed.kind) {
    case 'range':
    case 'durations':
    case 'decimals':
      return { range: [allowed.min, allowed.max], items: 1 };
    case 'length':
      // A character has at most two UTF-16 units.
      return { range: [0, allowed.max * 2], items: 1 };
    case 'one of':
      return { range: [0, longest(allowed.values.map(({ text }) => text))], items: 1 };
    case 'items':
      return { range: allowed.each && boundsOf(allowed.each).range, items: allowed.max };
    default:
      return { range: null, items: 1 };
  }
}

/** The largest number of items and characters that one expression may process for one row or request. */
const MOST_STEPS = 10_000_000;

/** About as many characters as a simple function processes in the time of one item. */
const CHARACTERS = 64;

/**
 * The number of items and characters that an expression processes if lists and strings have their greatest length. Rows
 * are left to the store and not counted. `derived` gives this number for derived fields.
 */
function stepsOf(expr: Expr, results: Results, derived: (resource: string, field: string) => number): number {
  const steps = (part: Expr): number => stepsOf(part, results, derived);
  if (expr.op === 'get' && expr.derived && expr.of.type.kind === 'row')
    return steps(expr.of) + derived(expr.of.type.resource, expr.member);
  if (expr.op === 'each') return steps(expr.list) + results.countOf(expr.list) * Math.max(1, steps(expr.body));
  const inside = parts(expr).reduce((sum, part) => sum + steps(part), 0);
  if (expr.op !== 'call') return inside;
  const own = expr.args.map((arg) => {
    if (arg.type.kind === 'list') return results.countOf(arg);
    return arg.type.kind === 'string' ? results.lengthOf(arg) / (expr.fn === 'matches' ? 1 : CHARACTERS) : 0;
  });
  return inside + 1 + own.reduce((sum, one) => sum + one, 0);
}
