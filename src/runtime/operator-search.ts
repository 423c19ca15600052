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
  /** The listed rows that match; null where all do. */
  readonly matching: PreparedSearch | null;
  /** The ids of listed rows, in the order of the list. */
  readonly ordered: Statement;
  /** Listed rows, in the order of the list. */
  readonly rows: Statement;
  /** The ids of the first rows, in the order of the list, of a part of the table. */
  readonly first: Statement;
}

/** The ids that one statement reads: they are in the order of the table. */
const IDS_AT_ONCE = 2000;
/** The rows that the first statement looks at, the least and the most. */
const FIRST_ROWS = 64;
const LEAST_ROWS = 8;
const MOST_ROWS = 2000;
/** The most rows that one statement counts. */
const COUNTED_AT_ONCE = 100_000;
/** How long a statement may take, in milliseconds: after one that takes longer, the next looks at fewer rows. */
const STATEMENT_MS = 5;
/** The most rows by which one statement tells the places of others. */
const MOST_PIVOTS = 63;

/**
 * Finds rows whose texts no index finds, where a statement blocks the event loop: each statement looks at as many rows as
 * take a few milliseconds, and other programs may run between two statements. Returns a part of the rows in their order,
 * and the number of all. Throws the reason of `signal` once it is aborted.
 */
export function* searchInPieces(
  { ids, matching, ordered, rows, first }: SearchStatements,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  signal?: AbortSignal,
): Program<{ total: number; rows: Row[] }> {
  const ordering = new Ordering(ordered, new Pace(signal));
  const isTop = !matching && offset + limit <= MOST_ROWS / 2;
  const { found, total } = isTop
    ? yield* firstIds(ids, first, ordering, { most: offset + limit, pace: new Pace(signal) })
    : yield* matchingIds(ids, matching, new Pace(signal));
  const part = yield* ordering.part(found, offset, offset + limit);
  const pace = new Pace(signal);
  const out: Row[] = [];
  for (let at = 0; at < part.length; ) {
    const some = part.slice(at, at + pace.rows);
    for (const row of yield* pace.call(rows, [JSON.stringify(some), some.length])) out.push(row.slice(0, -1));
    at += some.length;
  }
  return { total, rows: out };
}

/** Whether a table has at most so many rows. */
export function* isTableSmall({ ids }: SearchStatements, most: number): Program<boolean> {
  return (yield* call(ids, [Number.MIN_SAFE_INTEGER, most + 1])).length <= most;
}

/** Counts the rows of a table for each value of a field, by a statement that counts a part of them. */
export function* countInPieces(part: Statement): Program<ReadonlyMap<string, number>> {
  const pace = new Pace(undefined, COUNTED_AT_ONCE);
  const out = new Map<string, number>();
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const most = pace.rows;
    let counted = 0;
    for (const [value = null, count, id] of yield* pace.call(part, [last, most])) {
      out.set(String(value), (out.get(String(value)) ?? 0) + Number(count));
      counted += Number(count);
      last = Math.max(last, Number(id));
    }
    if (counted < most) return out;
  }
}

/** The ids among which the first rows of the whole table are, and the number of all rows. */
interface Found {
  readonly found: number[];
  readonly total: number;
}

/** The ids of the first rows: each statement orders a part of the table, which takes less time than ordering listed rows. */
function* firstIds(
  ids: Statement,
  first: Statement,
  ordering: Ordering,
  { most, pace }: { readonly most: number; readonly pace: Pace },
): Program<Found> {
  let found: number[] = [];
  let total = 0;
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const looked = yield* call(ids, [last, pace.rows]);
    const isLast = looked.length < pace.rows;
    for (const row of yield* pace.call(first, [last, looked.length, most])) found.push(row.at(-1) as number);
    total += looked.length;
    if (found.length > MOST_ROWS) found = yield* ordering.part(found, 0, most);
    if (isLast) return { found, total };
    last = looked.at(-1)![0] as number;
  }
}

function* matchingIds(ids: Statement, matching: PreparedSearch | null, pace: Pace): Program<Found> {
  const found: number[] = [];
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const looked = (yield* call(ids, [last, IDS_AT_ONCE])).map(([id]) => id as number);
    if (!matching) found.push(...looked);
    for (let at = 0; matching && at < looked.length; ) {
      const some = looked.slice(at, at + pace.rows);
      const args: Argument[] = [...matching.values, JSON.stringify(some), some.length];
      for (const row of yield* pace.call(matching.statement, args)) found.push(row.at(-1) as number);
      at += some.length;
    }
    if (looked.length < IDS_AT_ONCE) return { found, total: found.length };
    last = looked.at(-1)!;
    yield PAUSE;
  }
}

/** Orders ids, of which one statement compares a few. */
class Ordering {
  private readonly statement: Statement;
  private readonly pace: Pace;

  constructor(statement: Statement, pace: Pace) {
    this.statement = statement;
    this.pace = pace;
  }

  /** The ids from a place in their order up to another one; the rest is ordered only as far as it must be. */
  *part(ids: readonly number[], from: number, to: number, out: number[] = []): Program<number[]> {
    if (from >= ids.length || to <= 0) return out;
    if (ids.length <= this.pace.rows) {
      const all = yield* this.order(ids);
      for (const id of all.slice(Math.max(from, 0), to)) out.push(id);
      return out;
    }
    let before = 0;
    for (const some of yield* this.buckets(ids)) {
      yield* this.part(some, from - before, to - before, out);
      before += some.length;
    }
    return out;
  }

  /** Divides ids into parts, of which each comes in the order before the next one. Each has fewer ids than all. */
  private *buckets(ids: readonly number[]): Program<number[][]> {
    const { rows } = this.pace;
    const sample = yield* this.order(Array.from({ length: rows }, (_, i) => ids[Math.floor((i * ids.length) / rows)]!));
    const count = Math.min(MOST_PIVOTS, rows >> 2);
    const pivots = Array.from({ length: count }, (_, i) => sample[Math.floor(((i + 1) * rows) / (count + 1))]!);
    const places = new Map(pivots.map((id, i) => [id, i + 1]));
    const out: number[][] = [[], ...pivots.map((id) => [id])];
    const others = ids.filter((id) => !places.has(id));
    for (let at = 0; at < others.length; ) {
      const some = others.slice(at, at + this.pace.rows);
      let bucket = out[0]!;
      for (const id of yield* this.order([...some, ...pivots])) {
        const place = places.get(id);
        if (place === undefined) bucket.push(id);
        else bucket = out[place]!;
      }
      at += some.length;
    }
    return out;
  }

  private *order(ids: readonly number[]): Program<number[]> {
    const rows = yield* this.pace.call(this.statement, [JSON.stringify(ids), ids.length]);
    return rows.map((row) => row.at(-1) as number);
  }
}

/** Runs statements that look at some rows, and says at how many the next may look. */
class Pace {
  rows = FIRST_ROWS;
  private readonly signal: AbortSignal | undefined;
  private readonly most: number;

  constructor(signal: AbortSignal | undefined, most = MOST_ROWS) {
    this.signal = signal;
    this.most = most;
  }

  *call(statement: Statement, args: readonly Argument[]): Program<Row[]> {
    yield PAUSE;
    this.signal?.throwIfAborted();
    const began = performance.now();
    const rows = yield* call(statement, args);
    const took = performance.now() - began;
    if (took > STATEMENT_MS) this.rows = Math.max(LEAST_ROWS, Math.floor((this.rows * STATEMENT_MS) / took));
    else if (took < STATEMENT_MS / 2) this.rows = Math.min(this.most, this.rows * 2);
    return rows;
  }
}
