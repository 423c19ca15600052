import pg from 'pg';
import { Cancelled, StoreError } from '../store.ts';

/**
 * The kind of a statement’s failure: `again` where its transaction may be run again from the start; `lost` where the
 * connection ended during the statement; `ended` where the connection had ended before, so that the statement had no
 * effect; `read-only` where the server accepts no changes, as a standby or by its configuration.
 */
type Failure = 'again' | 'lost' | 'ended' | 'read-only' | StoreError;

/** A statement that was not sent, since its connection had ended before. */
export class Unsent extends Error {}

/**
 * The SQLSTATE (PostgreSQL documentation, appendix A) of an error of the server; null for an error of the system or the
 * driver. Errors of the system have codes too, and some of five capitals: EPIPE, EPERM, EROFS.
 */
export function stateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

/** Failures of transactions that conflicted with others, or for which the server had no room: they may be run again. */
const AGAIN: ReadonlySet<string> = new Set([
  '40000', // transaction_rollback
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '53200', // out_of_memory: as a rule no room for more predicate locks, until an older transaction ends
  '55P03', // lock_not_available: it was waited for as long as `lock_timeout` says
  '72000', // snapshot_too_old
]);

/** Conditions of the server in which a statement fails now, and may succeed later. */
const BUSY: Readonly<Record<string, string>> = {
  '53000': 'The database server has run out of a resource.', // insufficient_resources
  '53300': 'The database server accepts no more connections.', // too_many_connections
  '53400': 'The database server has run out of a resource.', // configuration_limit_exceeded
  '55006': 'An object of the database is in use.', // object_in_use
};

const OURS = [TypeError, RangeError, SyntaxError, ReferenceError] as const;

/** Classifies a failure. PostgreSQL’s own message may hold values of rows, and is kept only where it cannot. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StoreError) return error;
  if (error instanceof Unsent) return 'ended';
  // A programming error of Ninefold, before sending or after receiving, is no failure of the connection.
  if (OURS.some((type) => error instanceof type)) return new StoreError('failed', 'A statement could not be sent.');
  const state = stateOf(error);
  if (state === null) return 'lost';
  if (AGAIN.has(state)) return 'again';
  // read_only_sql_transaction
  if (state === '25006') return 'read-only';
  // A constraint may fail because of a serialization conflict: the program is then run again like any other.
  if (state.startsWith('23')) return new StoreError('constraint', `A constraint is violated (${state}).`);
  if (state === '53100') return new StoreError('full', 'The database server has no disk space left.');
  // The session was idle in a transaction for too long. The server checks its clock before it reads the next statement.
  if (state === '25P03') return 'ended';
  // The server was shut down or is starting, or a limit of the session was reached: the result of statements is
  // unknown.
  if (state.startsWith('57P') || state.startsWith('08') || state === '25P04' || state === '40003') return 'lost';
  // query_canceled: `statement_timeout`, or an operator’s word
  if (state === '57014') return new Cancelled();
  const busy = BUSY[state];
  if (busy !== undefined) return new StoreError('busy', busy);
  const said = state.startsWith('42') ? `: ${(error as Error).message}` : '';
  return new StoreError('failed', `PostgreSQL refused a statement (${state})${said}.`);
}

/**
 * The error to report when long work on one connection fails: with the message `lost` where the connection was lost,
 * and `again` after a conflict. Errors that do not come from PostgreSQL, such as a full local disk, are returned
 * unchanged.
 */
export function workFailure(error: unknown, broken: boolean, lost: string, again: string): unknown {
  if (error instanceof StoreError || (stateOf(error) === null && !broken)) return error;
  const failure = failureOf(error);
  if (failure instanceof StoreError) return failure;
  if (failure === 'read-only') return new StoreError('busy', 'The database server accepts no changes.');
  return new StoreError('busy', failure === 'again' ? again : lost);
}

/** The reason why a database cannot be used, reported once at the start, without the password. */
export function unusable(error: unknown, where: string): StoreError {
  if (error instanceof StoreError) return error;
  const state = stateOf(error);
  const { code, message } = error as { code?: string; message: string };
  if (state === '28P01' || state === '28000')
    return new StoreError(
      'failed',
      `${where} does not accept this user and password. The password can be in PGPASSWORD instead of the address.`,
    );
  if (state === '3D000') return new StoreError('failed', `${where} does not exist. Create it first.`);
  if (state === '42501') return new StoreError('failed', `${where} does not let this user create tables: ${message}.`);
  if (state !== null) return new StoreError('failed', `${where} answered ${state}: ${message}.`);
  if (/password must be a string|no password/i.test(message))
    return new StoreError('failed', `${where} requires a password: give it in PGPASSWORD.`);
  return new StoreError(
    'failed',
    `${where} cannot be reached (${code ?? message}). Check that the database runs, and that the address is right.`,
  );
}
