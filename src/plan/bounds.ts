import { type Bounds, Results } from '../expression/results.ts';
import type { ResourcePlan, ValueRule } from './rows.ts';

/** Which computations over the rows of a plan may have no result, as the rules of its columns bound what they hold. */
export function resultsOf(resources: readonly ResourcePlan[]): Results {
  const rules = new Map(
    resources.map(({ name, columns }) => [name, new Map(columns.map((column) => [column.name, column.rule]))]),
  );
  return new Results({
    bounds: (resource, field) => {
      const rule = rules.get(resource)?.get(field);
      return rule ? boundsOf(rule) : null;
    },
    // Lowered, an expression has in place of derived fields what they are derived from.
    derivedLacks: () => true,
  });
}

function boundsOf(rule: ValueRule): Bounds {
  const { kind, min, max, items, oneOf } = rule;
  if (items) return { range: boundsOf(items).range, items: max ?? Number.POSITIVE_INFINITY };
  // A character is two units of UTF-16 at most.
  if (oneOf) return { range: [0, Math.max(...oneOf.map((one) => one.length))], items: 1 };
  if (kind === 'text') return { range: max === null ? null : [0, max * 2], items: 1 };
  const bounded = kind === 'integer' || kind === 'decimal' || kind === 'duration';
  return { range: bounded && min !== null && max !== null ? [min, max] : null, items: 1 };
}
