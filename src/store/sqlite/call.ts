import type Database from 'better-sqlite3';
import { jsonOf } from '../../expression/values/json.ts';
import { uuidBytes } from '../../expression/values/uuid.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import type { Memo } from '../memo.ts';
import type { Argument, Statement } from '../store.ts';
import type { columnDecoders } from './results.ts';

/** A statement with SQLite’s prepared statement, and the decoding of its rows. */
export interface Prepared extends Statement {
  readonly sqlite: Database.Statement;
  /** The statement on the connection that reads while a slow disk syncs; null until it is needed there. */
  pinned: Database.Statement | null;
  readonly reads: boolean;
  /** Whether the statement returns the key of the inserted row. */
  readonly numbers: boolean;
  /** Which arguments are UUIDs, stored as 16 bytes. */
  readonly blobs: readonly boolean[];
  readonly decode: ReturnType<typeof columnDecoders>;
  /** Converts results to whole rows; null where results are whole rows. */
  readonly widen: ((values: Row) => Row) | null;
  /** Earlier results, for a statement that is often called with equal arguments. */
  readonly memo: Memo | null;
  /** The table that the statement writes. */
  readonly writes: string | null;
}

/** Runs a query, and decodes its rows. */
export function readRows(prepared: Prepared, sqlite: Database.Statement, args: readonly Argument[]): Row[] {
  return decoded(prepared, sqlite.all(...bind(args, prepared.blobs)) as Row[]);
}

/** Decodes rows that a query has returned. */
export function decoded({ decode, widen }: Pick<Prepared, 'decode' | 'widen'>, rows: Row[]): Row[] {
  if (decode)
    for (const row of rows) for (const { at, value } of decode) if (row[at] !== null) row[at] = value(row[at]);
  return widen ? rows.map(widen) : rows;
}

/**
 * Runs a statement that changes rows. Returns the rows that it returns, or else the number of changed rows or the new
 * key.
 */
export function changeRows(prepared: Prepared, args: readonly Argument[]): Row[] {
  if (prepared.reads) return readRows(prepared, prepared.sqlite, args);
  const { changes, lastInsertRowid } = prepared.sqlite.run(...bind(args, prepared.blobs));
  return [[prepared.numbers ? (lastInsertRowid as number) : changes]];
}

/** Converts values to arguments for the driver of SQLite. */
export function bind(args: readonly Argument[], blobs: readonly boolean[]): unknown[] {
  const out = new Array<unknown>(args.length);
  for (let i = 0; i < args.length; i++) {
    const value = args[i];
    // UUIDs are bound as 16 bytes. Text that is no UUID equals nothing.
    if (typeof value === 'string') out[i] = blobs[i] ? uuidBytes(value) : value;
    // The driver would bind numbers as REAL, which SQLite divides and prints differently from INTEGER.
    else if (typeof value === 'number') out[i] = BigInt(value);
    else if (typeof value === 'boolean') out[i] = value ? 1 : 0;
    else out[i] = Array.isArray(value) || value instanceof Map ? jsonOf(value as Value) : value;
  }
  return out;
}
