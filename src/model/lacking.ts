import type { Expr } from '../expression/expr.ts';
import { type Bounds, Results } from '../expression/results.ts';
import { MOST_STEPS, stepsOf } from '../expression/work.ts';
import type { Allowed } from '../parts/resources/model.ts';
import type { Resolved } from './resolve.ts';

/** Which computations of a document may have no result, as its allowed values bound what fields hold. */
export function lackingIn(r: Resolved): Results {
  const visited = new Set<string>();
  const results: Results = new Results({
    bounds: (resource, field) => {
      const found = r.resourceNamed(resource)?.fields.find(({ name }) => name.text === field);
      return found?.allowed ? boundsOf(found.allowed.value) : null;
    },
    derivedLacks: (resource, field) => {
      const path = `${resource}.${field}`;
      const derived = r.resourceNamed(resource)?.derived.find(({ name }) => name.text === field);
      // One that is derived from itself is refused.
      if (!derived || visited.has(path) || !r.settled(derived.value)) return false;
      visited.add(path);
      const lacks = results.lacks(r.expr(derived.value));
      visited.delete(path);
      return lacks;
    },
  });
  return results;
}

/** How much an expression may go through, where that is too much. */
export function workIn(r: Resolved, expr: Expr): { steps: string; most: string } | null {
  const results = r.once(lackingIn);
  const known = r.once(derivedWork);
  const derived = (resource: string, field: string): number => {
    const path = `${resource}.${field}`;
    const found = known.get(path);
    if (found !== undefined) return found;
    const one = r.resourceNamed(resource)?.derived.find(({ name }) => name.text === field);
    if (!one || !r.settled(one.value)) return 0;
    // One that is derived from itself is refused.
    known.set(path, 0);
    known.set(path, stepsOf(r.expr(one.value), results, derived));
    return known.get(path)!;
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
      return { range: [0, Math.max(...allowed.values.map(({ text }) => text.length))], items: 1 };
    case 'items':
      return { range: boundsOf(allowed.each).range, items: allowed.max };
    default:
      return { range: null, items: 1 };
  }
}
