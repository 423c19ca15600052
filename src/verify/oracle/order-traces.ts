import { show } from '../../expression/tree/expression.ts';
import { sameValue, type Value } from '../../expression/values/value.ts';
import type { OrderKey } from '../../plan/step.ts';

/** A trace of an order of several sort keys, or of keys that can be null, and its words. */
interface OrderTrace {
  readonly what: string;
  readonly words: string;
}

/** Whether an order has more to try than one sort key that is never null. */
export const hasTraces = (keys: readonly OrderKey[]): boolean => keys.length > 1 || keys.some(({ nulls }) => nulls);

/** The traces of a list in an order. `placed`: also those of pages that begin after a row. */
export function orderTraces(keys: readonly OrderKey[], placed: boolean): OrderTrace[] {
  if (!hasTraces(keys)) return [];
  return keys.flatMap((key, at) => {
    const name = show(key.by);
    const equal = at === 0 ? '' : 'equal in the keys before and ';
    const all = [
      { what: decided(keys, at), words: `two rows are ${equal}in the order of “${name}”` },
      ...(key.nulls
        ? [{ what: besideNull(keys, at), words: `two rows are ${equal}in the order of “${name}”, which one lacks` }]
        : []),
    ];
    const parts = placed ? ['', 'page '] : [''];
    return parts.flatMap((part) =>
      all.map(({ what, words }) => ({ what: part + what, words: part ? `a page begins where ${words}` : words })),
    );
  });
}

/** The trace of two neighbours in an order; null where all of their sort keys are equal. */
export function traceOf(keys: readonly OrderKey[], a: readonly Value[], b: readonly Value[]): string | null {
  const at = keys.findIndex((_, i) => !isSame(a[i], b[i]));
  if (at < 0) return null;
  const hasNull = keys[at]?.nulls !== undefined && (isNull(a[at]) || isNull(b[at]));
  return hasNull ? besideNull(keys, at) : decided(keys, at);
}

const isNull = (value: Value | undefined): boolean => value === null || value === undefined;
const isSame = (a: Value | undefined, b: Value | undefined): boolean =>
  isNull(a) || isNull(b) ? isNull(a) && isNull(b) : sameValue(a!, b!);

const keyText = ({ by, descending }: OrderKey): string => `${show(by)}${descending ? ' descending' : ''}`;
const decided = (keys: readonly OrderKey[], at: number): string =>
  `decided by ${keys
    .slice(0, at + 1)
    .map(keyText)
    .join(', ')}`;
const besideNull = (keys: readonly OrderKey[], at: number): string => `${decided(keys, at)} and null`;
