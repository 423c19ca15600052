import type { Expr } from '../../expression/tree/expression.ts';
import { type Bounds, Results } from '../../expression/tree/results.ts';
import { MOST_STEPS, stepsOf } from '../../expression/tree/work.ts';
import type { Allowed } from '../../language/values.ts';
import { longest } from '../../text/longest.ts';
import type { Resolved } from './resolve.ts';

/** Finds computations that may have no result, given the allowed values of fields. */
export function resultsOf(r: Resolved): Results {
  return new Results({
    bounds: (resource, field) => {
      const found = r.resourceNamed(resource)?.fields.find(({ name }) => name.text === field);
      return found?.allowed ? boundsOf(found.allowed.value) : null;
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
      return { range: boundsOf(allowed.each).range, items: allowed.max };
    default:
      return { range: null, items: 1 };
  }
}
