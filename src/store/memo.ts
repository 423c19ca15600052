import type { Row } from '../expression/values/value.ts';

/** The largest number of arguments in a statement’s memo. */
const MOST = 10_000;

/**
 * The rows that a statement returned for each argument, valid while the tables that the statement reads are unchanged.
 * Callers must not modify the rows.
 */
export class Memo {
  readonly tables: readonly string[];
  private readonly rows = new Map<unknown, Row[]>();

  constructor(tables: readonly string[]) {
    this.tables = tables;
  }

  get(argument: unknown): Row[] | undefined {
    return this.rows.get(argument);
  }

  keep(argument: unknown, rows: Row[]): void {
    // The oldest goes first.
    if (this.rows.size >= MOST) this.rows.delete(this.rows.keys().next().value);
    this.rows.set(argument, rows);
  }

  clear(): void {
    this.rows.clear();
  }
}

/** The memos of a store, and the events that clear them. */
export class Memos {
  private readonly all: Memo[] = [];
  /** Tables that the current transaction has written: rows read from them may never be committed. */
  private readonly written = new Set<string>();

  of(tables: readonly string[]): Memo {
    const memo = new Memo(tables);
    this.all.push(memo);
    return memo;
  }

  /** To be called when a row of a table is written. */
  spoil(table: string): void {
    if (this.written.has(table)) return;
    this.written.add(table);
    for (const memo of this.all) if (memo.tables.includes(table)) memo.clear();
  }

  /** Whether results of a memo’s statement can be kept now. */
  isSettled(memo: Memo): boolean {
    return this.written.size === 0 || !memo.tables.some((table) => this.written.has(table));
  }

  /** To be called when the transaction has ended. */
  settle(): void {
    this.written.clear();
  }

  /** To be called when another process has written. */
  forget(): void {
    for (const memo of this.all) memo.clear();
  }
}
