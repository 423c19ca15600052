import type { Expr } from '../../expression/tree/expression.ts';
import { type Bounds, Results } from '../../expression/tree/results.ts';
import { MOST_STEPS, stepsOf } from '../../expression/tree/work.ts';
import type { Allowed } from '../../language/values.ts';
import { longest } from '../../text/longest.ts';
import type { Resolved } from './resolve.ts';

/** Which computations of a document may have no result, as its allowed values bound what fields hold. */
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

/** How much an expression may go through, where that is too much. */
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
    // One that is derived from itself is refused.
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
      // A character is two units of UTF-16 at most.
      return { range: [0, allowed.max * 2], items: 1 };
    case 'one of':
      return { range: [0, longest(allowed.values.map(({ text }) => text))], items: 1 };
    case 'items':
      return { range: boundsOf(allowed.each).range, items: allowed.max };
    default:
      return { range: null, items: 1 };
  }
}
