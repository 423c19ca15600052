import type { Type } from '../../expression/tree/types.ts';
import type { Value } from '../../expression/values/value.ts';
import type { StatementId } from '../../plan/lines.ts';
import type { Cause, EmittedPlan, Plan } from '../../plan/step.ts';
import type { Checks } from './checks.ts';
import type { Compiled } from './compiled.ts';
import type { Draws } from './draws.ts';
import type { OracleRow, Rows } from './rows.ts';
import type { Trace } from './trace.ts';

/** Values by name; a value that is `undefined` or missing was not sent. */
type Bag = ReadonlyMap<string, Given>;

/** A value, a row, a list of either, or values by name. */
export type Given = Value | OracleRow | Bag | readonly Given[] | undefined;

/** The caller of a request. */
export interface OracleCaller {
  readonly row: OracleRow;
  readonly scopes: readonly string[];
  readonly claims: Bag;
  readonly scheme: string;
  /** The key of its credentials. */
  readonly credentials: string;
}

/** A transaction in progress, on a copy of the rows. */
export interface Transaction {
  readonly plan: Plan;
  readonly checks: Checks;
  readonly compiled: Compiled;
  readonly rows: Rows;
  readonly now: number;
  readonly version: string;
  /** The cause of the transaction. */
  readonly cause: Cause;
  readonly caller: OracleCaller | null;
  /** The receiver of a payload, where receivers are rows: `Hears of` decides which rows it sees, and not `Visible`. */
  readonly receiver?: OracleRow | null;
  /** The URL of the service; null where it is not known. */
  readonly url: string | null;
  readonly draws: Draws;
  /** The name of the transaction, by which its random values are identified. */
  readonly name: string;
  readonly counts: { drawn: number; usedNow: boolean };
  readonly trace: Trace[];
  /** The changes of rows, from which events follow. */
  readonly happened: Happened[];
  /** The events that steps have emitted, in their order. */
  readonly emitted: EmittedValues[];
  /** The values of rows before this transaction first changed them. */
  readonly before: Map<OracleRow, ReadonlyMap<string, Value>>;
}

/** An event that a step has emitted, with the values of its members and their types. */
export interface EmittedValues {
  readonly event: EmittedPlan;
  readonly members: ReadonlyMap<string, { readonly value: Given; readonly type: Type }>;
}

export interface Happened {
  readonly what: 'created' | 'removed' | 'moved' | 'changed' | 'at';
  readonly row: OracleRow;
  /** The name of the transition, or of the timed event. */
  readonly by: string | null;
  /** All rows as they were before this one was removed. */
  readonly rows?: Rows;
}

/** The context in which an expression is computed. */
export interface Scope {
  readonly work: Transaction;
  /** The values of `path`, `query`, `header` and `request`, and of the names that steps have declared. */
  readonly names: ReadonlyMap<string, Given>;
  /** The row that `this` means. */
  readonly row: OracleRow | null;
  /** Whether rows that the caller may not see are left out. */
  readonly sighted: boolean;
}

/** The scope of an expression of a row: names of steps are not known, and every row is seen. */
export function scopeOfRow(work: Transaction, row: OracleRow | null): Scope {
  return { work, names: new Map(), row, sighted: false };
}

export function note(work: Transaction, statement: StatementId, what: string): void {
  work.trace.push({ statement, what });
}

/** A text by which a transaction draws another value each time. */
export function nextDraw({ name, counts }: Transaction): string {
  counts.drawn += 1;
  return `${name} ${counts.drawn}`;
}
