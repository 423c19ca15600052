import type { Row, Value } from '../expression/values/value.ts';
import { type Argument, call, PAUSE, type Program, type Statement } from '../store/store.ts';

/** A statement with the values of its first parameters. */
interface PreparedSearch {
  readonly statement: Statement;
  readonly values: readonly Value[];
}

/** The statements of a search in pieces. */
export interface SearchStatements {
  /** The ids of the next rows of the table. */
  readonly ids: Statement;
  /** The listed rows that match. */
  readonly matching: PreparedSearch;
  /** The first of listed rows, in the order of the list. */
  readonly ordered: Statement;
}

/** The rows that one statement looks at, and those that one statement puts in order with the first ones before them. */
const ROWS_AT_ONCE = 2000;

/**
 * Finds rows whose texts no index finds, where a statement blocks the event loop: it looks at some rows at a time, and
 * other programs may run between two statements. Returns a part of them in their order, and the number of all.
 */
export function* searchInPieces(
  { ids, matching, ordered }: SearchStatements,
  offset: number,
  limit: number,
): Program<{ total: number; rows: Row[] }> {
  const most = offset + limit;
  const batch = Math.max(ROWS_AT_ONCE, most);
  let total = 0;
  let first: Row[] = [];
  let waiting: Argument[] = [];
  const order = function* (): Program<void> {
    const listed = [...first.map((row) => row.at(-1)!), ...waiting];
    first = yield* call(ordered, [JSON.stringify(listed), most]);
    waiting = [];
  };
  for (let last: Value = Number.MIN_SAFE_INTEGER; ; ) {
    const looked: Row[] = yield* call(ids, [last, ROWS_AT_ONCE]);
    const listed = looked.map(([id]) => id!);
    const found = yield* call(matching.statement, [...matching.values, JSON.stringify(listed), listed.length]);
    total += found.length;
    for (const row of found) waiting.push(row.at(-1)!);
    if (looked.length < ROWS_AT_ONCE) break;
    last = listed.at(-1)!;
    yield PAUSE;
    if (waiting.length < batch) continue;
    yield* order();
    yield PAUSE;
  }
  if (waiting.length > 0) yield* order();
  return { total, rows: first.slice(offset).map((row) => row.slice(0, -1)) };
}
