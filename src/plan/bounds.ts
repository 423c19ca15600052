import { type Bounds, Results } from '../expression/tree/results.ts';
import { factsOf, isScalarKind } from '../expression/values/kinds.ts';
import { longest } from '../text/lists.ts';
import type { ClaimPlan } from './callers.ts';
import type { ResourcePlan } from './rows.ts';
import type { ValueRule } from './value-forms.ts';

/** Determines which computations over the rows of a plan may have no result, by the rules of the columns. */
export function resultsOf(resources: readonly ResourcePlan[]): Results {
  // Lowered expressions contain no derived fields.
  return new Results({ bounds: boundsIn(resources), derived: () => true });
}

/** Like `resultsOf`, for expressions that are not lowered; the claims of tokens have the bounds of their rules. */
export function statedResultsOf(resources: readonly ResourcePlan[], claims: readonly ClaimPlan[] = []): Results {
  const derived = new Map(
    resources.map(({ name, derived: all }) => [name, new Map(all.map((one) => [one.name, one.value]))]),
  );
  return new Results({
    bounds: boundsIn(resources),
    claim: (name) => {
      const rule = claims.find((one) => one.name === name)?.rule;
      return rule ? boundsOf(rule) : null;
    },
    derived: (resource, field) => derived.get(resource)?.get(field) ?? false,
  });
}

function boundsIn(resources: readonly ResourcePlan[]): (resource: string, field: string) => Bounds | null {
  const rules = new Map(
    resources.map(({ name, columns }) => [name, new Map(columns.map((column) => [column.name, column.rule]))]),
  );
  return (resource, field) => {
    const rule = rules.get(resource)?.get(field);
    return rule ? boundsOf(rule) : null;
  };
}

function boundsOf(rule: ValueRule): Bounds {
  const { kind, min, max, items, oneOf } = rule;
  if (items) return { range: boundsOf(items).range, items: max ?? Number.POSITIVE_INFINITY };
  // A character has at most two UTF-16 units.
  if (oneOf) return { range: [0, longest(oneOf)], items: 1 };
  if (kind === 'text') return { range: max === null ? null : [0, max * 2], items: 1 };
  const bounded = isScalarKind(kind) && factsOf(kind).bounded;
  return { range: bounded && min !== null && max !== null ? [min, max] : null, items: 1 };
}
