import { StoreError } from './store.ts';

/**
 * What has become of a statement that PostgreSQL refused: `again` when the transaction met another and may be run from
 * its start, `lost` when the connection has ended under it.
 */
export type Failure = 'again' | 'lost' | StoreError;

/** SQLSTATE (PostgreSQL documentation, appendix A) of what was refused; null where nothing of PostgreSQL’s is known. */
export function stateOf(error: unknown): string | null {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** Says what kind of failure PostgreSQL met. Its own words may hold values, and are kept only where they can’t. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StoreError) return error;
  const state = stateOf(error);
  if (state === null) return 'lost';
  if (state === '40001' || state === '40P01') return 'again';
  // Serialization failures that a constraint shows first are run again with everything else that breaks one.
  if (state.startsWith('23')) return new StoreError('constraint', `A constraint is broken (${state}).`);
  if (state === '53100') return new StoreError('full', 'The database server has no room left.');
  if (state === '53300') return new StoreError('busy', 'The database server takes no more connections.');
  if (state.startsWith('57P') || state.startsWith('08') || state === '25P03' || state === '25P04') return 'lost';
  if (state === '57014' || state === '55P03') return new StoreError('busy', 'A statement took too long.');
  const said = state.startsWith('42') ? `: ${(error as Error).message}` : '';
  return new StoreError('failed', `PostgreSQL refused a statement (${state})${said}.`);
}

/**
 * What a long piece of work on one connection has met, as the operator is told it: `lost` and `again` say what to tell
 * of either. What PostgreSQL has nothing to do with, such as a full disk here, passes through.
 */
export function workFailure(error: unknown, broken: boolean, lost: string, again: string): unknown {
  if (error instanceof StoreError || (stateOf(error) === null && !broken)) return error;
  const failure = failureOf(error);
  return failure instanceof StoreError ? failure : new StoreError('busy', failure === 'lost' ? lost : again);
}

/** Why a database can’t be used, said once at the start; never with its password. */
export function unusable(error: unknown, where: string): StoreError {
  if (error instanceof StoreError) return error;
  const state = stateOf(error);
  const { code, message } = error as { code?: string; message: string };
  if (state === '28P01' || state === '28000')
    return new StoreError(
      'failed',
      `${where} does not take this user and password. The password may stand in PGPASSWORD instead of the address.`,
    );
  if (state === '3D000') return new StoreError('failed', `${where} has no such database: create it first.`);
  if (state === '42501') return new StoreError('failed', `${where} does not let this user make tables: ${message}.`);
  if (state !== null) return new StoreError('failed', `${where} answered ${state}: ${message}.`);
  if (/password must be a string|no password/i.test(message))
    return new StoreError('failed', `${where} asks for a password: give it in PGPASSWORD.`);
  return new StoreError(
    'failed',
    `${where} can’t be reached (${code ?? message}). Is it running, and is that its address?`,
  );
}
