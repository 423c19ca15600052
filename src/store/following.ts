import type { NullsPlace } from '../plan/inside-step.ts';

/** The direction of a sort key, and the place of rows where it is null; absent where it never is. */
export interface Way {
  readonly descending: boolean;
  readonly nulls?: NullsPlace | undefined;
}

/**
 * A part of the rows that follow a given row in an order: they are equal to it in the first `equal` sort keys, and come
 * after it in the next keys, up to `until`. One range of an index has all rows of a part, in their order.
 */
export interface Following {
  readonly equal: number;
  /** Which of the first `equal` keys are null in the given row. */
  readonly nulls: readonly boolean[];
  /** Whether the next keys come after those of the given row, or the next key is null, or is not null. */
  readonly next: 'after' | 'null' | 'not null';
  readonly until: number;
}

/** The parts of the rows that follow a row, in their order. `nulls`: which of its sort keys are null. */
export function followingParts(keys: readonly Way[], nulls: readonly boolean[]): Following[] {
  const out: Following[] = [];
  let until = keys.length;
  while (until > 0) {
    const from = runFrom(keys, until);
    const part = { equal: from, nulls: nulls.slice(0, from), until };
    const place = keys[from]!.nulls;
    if (!nulls[from]) out.push({ ...part, next: 'after' });
    if (place === 'last' && !nulls[from]) out.push({ ...part, next: 'null' });
    if (place === 'first' && nulls[from]) out.push({ ...part, next: 'not null' });
    until = from;
  }
  return out;
}

/** The begin of the longest run of keys that one comparison of row values covers: of one direction, and never null. */
function runFrom(keys: readonly Way[], until: number): number {
  let from = until - 1;
  if (keys[from]!.nulls) return from;
  while (from > 0 && !keys[from - 1]!.nulls && keys[from - 1]!.descending === keys[from]!.descending) from--;
  return from;
}

/** The places of the sort keys whose values in the given row a statement takes, in the order of its arguments. */
export const takenKeys = ({ equal, nulls, next, until }: Following): number[] => [
  ...nulls.flatMap((isNull, at) => (isNull ? [] : [at])),
  ...(next === 'after' ? Array.from({ length: until - equal }, (_, i) => equal + i) : []),
];
