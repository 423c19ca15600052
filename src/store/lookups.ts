import type { Expr } from '../expression/expr.ts';
import { everyInside, orderKeys } from '../plan/inside.ts';
import type { EndpointPlan } from '../plan/step.ts';

/** What steps that select rows of each resource compare with `==`, then what they order by. */
export function listKeys(endpoints: readonly EndpointPlan[]): Map<string, string[][]> {
  const out = new Map<string, string[][]>();
  for (const step of endpoints.flatMap((endpoint) => [...everyInside(endpoint.inside)])) {
    const select = step.do === 'for each' ? step.over : step;
    if (!('where' in select)) continue;
    const fixed = select.where ? equalFields(select.where) : [];
    for (const by of 'order' in select && select.order ? orderKeys(select.order) : [null]) {
      const order = by?.op === 'get' && by.of.op === 'name' && !by.derived ? [by.member] : [];
      const keys = [...new Set([...fixed, ...order])];
      if (keys.length)
        out
          .set(select.resource, out.get(select.resource) ?? [])
          .get(select.resource)!
          .push(keys);
    }
  }
  return out;
}

function equalFields(expr: Expr): string[] {
  if (expr.op !== 'call') return [];
  if (expr.fn === 'and') return expr.args.flatMap(equalFields);
  const [a] = expr.args;
  return expr.fn === '==' && a?.op === 'get' && a.of.op === 'name' && a.of.name === 'this' && !a.derived
    ? [a.member]
    : [];
}
