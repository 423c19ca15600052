import type { LibraryFn } from '../tree/library-names.ts';
import * as t from '../tree/types.ts';
import { jsonOf } from '../values/json.ts';
import { SCALAR_TYPES } from '../values/kinds.ts';
import { exact } from '../values/overflow.ts';
import { compareText, type Value } from '../values/value.ts';
import { always, kind, listOf, MAP, type Overload, TEXT, WHOLE } from './overload.ts';
import { bounded } from './texts.ts';

type List = readonly Value[];
type Dict = ReadonlyMap<string, Value>;

const LIST = listOf();
const ORDERED = {
  ...listOf(kind(...SCALAR_TYPES)),
  says: 'a list of numbers, texts, times or booleans, none of them absent',
};

const same: Overload['gives'] = ([list]) => t.nullable(list!.type, false);
/** The item of a list; absent if the list has no such item. */
const item: Overload['gives'] = ([list]) =>
  list!.type.kind === 'list' || list!.type.kind === 'map' ? t.nullable(list!.type.of, true) : t.UNKNOWN;

/** Compares values of one type: strings by code point, `false` before `true`. */
export function compareValues(a: Value, b: Value): number {
  return typeof a === 'string' ? compareText(a, b as string) : Number(a) - Number(b);
}

/** cel-spec’s extension “lists”; `min` and `max` as in Kubernetes. */
export const LISTS: Partial<Record<LibraryFn, readonly Overload[]>> = {
  join: [
    {
      id: 'join',
      takes: [listOf(TEXT), TEXT],
      optional: 1,
      gives: always(t.STRING),
      does: (list: readonly string[], between = '') => bounded(list, between),
    },
  ],
  distinct: [{ id: 'list_distinct', takes: [LIST], gives: same, does: distinct }],
  reverse: [{ id: 'list_reverse', takes: [LIST], gives: same, does: (list: List) => [...list].reverse() }],
  sort: [{ id: 'list_sort', takes: [ORDERED], gives: same, does: (list: List) => [...list].sort(compareValues) }],
  first: [{ id: 'list_first', takes: [LIST], gives: item, does: (list: List) => list[0] ?? null }],
  last: [{ id: 'list_last', takes: [LIST], gives: item, does: (list: List) => list.at(-1) ?? null }],
  min: [{ id: 'list_min', takes: [ORDERED], gives: item, does: (list: List) => extreme(list, -1) }],
  max: [{ id: 'list_max', takes: [ORDERED], gives: item, does: (list: List) => extreme(list, 1) }],
  slice: [
    {
      id: 'list_slice',
      takes: [LIST, WHOLE, WHOLE],
      gives: same,
      does: (list: List, from: number, to: number) => list.slice(Math.max(from, 0), Math.max(to, 0)),
    },
  ],
  flatten: [
    {
      id: 'list_flatten',
      takes: [{ ...listOf(LIST), says: 'a list of lists' }],
      gives: ([list]) => (list!.type.kind === 'list' ? t.nullable(list!.type.of, false) : t.UNKNOWN),
      does: (list: readonly List[]) => list.flat(),
    },
  ],
  '[]': [
    { id: 'list_item', takes: [LIST, WHOLE], gives: item, does: (list: List, at: number) => list[at] ?? null },
    { id: 'map_item', takes: [MAP, TEXT], gives: item, does: (map: Dict, key: string) => map.get(key) ?? null },
  ],
  keys: [
    {
      id: 'map_keys',
      takes: [MAP],
      gives: always({ kind: 'list', of: t.STRING, nullable: false }),
      does: (map: Dict) => [...map.keys()],
    },
  ],
};

/** The distinct items, in the order of their first occurrences. */
function distinct(list: List): List {
  const scalar = list.every((one) => one === null || typeof one !== 'object');
  // Scalars are compared directly, and all other values by their JSON: equal values have equal JSON.
  if (scalar) return [...new Set(list)];
  const seen = new Set<string>();
  return list.filter((one) => {
    const text = jsonOf(one);
    const first = !seen.has(text);
    seen.add(text);
    return first;
  });
}

function extreme(list: List, sign: 1 | -1): Value {
  return list.reduce<Value>((best, one) => (best === null || compareValues(one, best) * sign > 0 ? one : best), null);
}

/** The sum of numbers; null if it is beyond the exact range, whatever the partial sums are. */
export function total(list: readonly Value[]): number | null {
  let sum = 0;
  for (const [i, one] of list.entries()) {
    if (one === null) return null;
    const next = sum + (one as number);
    if (!Number.isSafeInteger(next)) return totalBeyond(list, i, sum);
    sum = next;
  }
  return sum + 0;
}

/** Continues a sum that has left the range of exact numbers, since later items may bring it back. */
function totalBeyond(list: readonly Value[], from: number, before: number): number | null {
  let sum = BigInt(before);
  for (const one of list.slice(from)) {
    if (one === null) return null;
    sum += BigInt(one as number);
  }
  return exact(Number(sum));
}
