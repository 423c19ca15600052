import type { Model } from '../../model/model.ts';
import type { Said } from '../../source/read.ts';
import { type Effective, isBelow } from '../endpoints/effective.ts';
import type { LimitName, OwnLimit, Rate, Target } from './model.ts';

/** How closely targets speak of an endpoint: by its name, by the nearest path above it, or (null) not at all. */
function closeness(at: readonly Target[], { endpoint }: Effective): number | null {
  const found = at.flatMap(({ kind, name }) => {
    if (kind === 'endpoint') return name.text === endpoint.name ? [Number.POSITIVE_INFINITY] : [];
    return isBelow(endpoint.path, name.text) ? [name.text.length] : [];
  });
  return found.length ? Math.max(...found) : null;
}

type ValueOf<L extends LimitName> = Extract<OwnLimit, { limit: L }>['value'];

/** The limit that is in force at an endpoint: the nearest one, of several equally near the first; `but` is left aside. */
export function limitAt<L extends LimitName>(
  model: Model,
  one: Effective,
  limit: L,
  but: OwnLimit | null = null,
): Said<ValueOf<L>> | null {
  let best: { row: OwnLimit; near: number } | null = null;
  for (const row of model.limits.own) {
    const near = row.limit === limit && row !== but ? closeness(row.at, one) : null;
    if (near !== null && near > (best?.near ?? -1)) best = { row, near };
  }
  if (best) return { value: best.row.value as ValueOf<L>, from: best.row.span.from, to: best.row.span.to };
  return generalLimit(model, limit) as Said<ValueOf<L>> | null;
}

/** The limit of every endpoint that has none of its own. */
export function generalLimit({ limits }: Model, limit: LimitName): Said<unknown> | null {
  if (limit === 'Page size') return limits.pageSize;
  if (limit === 'Whole list') return limits.wholeList;
  return limit === 'Time-out' ? limits.timeout : limits.requestSize;
}

/** Whether a rate counts the requests of an endpoint. */
export function counts(rate: Pick<Rate, 'at'>, one: Effective): boolean {
  return rate.at.length === 0 || closeness(rate.at, one) !== null;
}
