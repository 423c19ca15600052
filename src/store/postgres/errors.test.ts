import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { StoreError } from '../store.ts';
import { failureOf, stateOf, Unsent, unusable, workFailure } from './errors.ts';

/** An error of the server, as the driver throws it. */
function said(state: string): Error {
  const error = new pg.DatabaseError('in its words', 12, 'error');
  error.code = state;
  return error;
}

/** An error of the system, as Node.js throws it. */
const system = (code: string): Error =>
  Object.assign(new Error(`write ${code}`), { code, errno: -1, syscall: 'write' });

const kindOf = (error: unknown): string => {
  const failure = failureOf(error);
  return failure instanceof StoreError ? failure.kind : failure;
};

test('a code of the system is no SQLSTATE, however much it looks like one', () => {
  for (const code of ['EPIPE', 'EPERM', 'EROFS', 'EBUSY', 'EBADF', 'ECONNRESET', '40001', '23505']) {
    assert.equal(stateOf(system(code)), null, code);
    assert.equal(kindOf(system(code)), 'lost', code);
  }
  assert.equal(kindOf(new Error('Connection terminated unexpectedly')), 'lost');
  assert.match(unusable(system('EPERM'), 'The database').message, /cannot be reached \(EPERM\)/);
  const full = system('EROFS');
  assert.equal(workFailure(full, false, 'lost', 'again'), full, 'what is here alone is told as it is');
});

test('each SQLSTATE is taken for what can be done about it', () => {
  const kinds = {
    again: ['40001', '40P01', '40000', '53200', '55P03'],
    lost: ['57P01', '57P02', '57P03', '57P05', '08006', '25P04', '40003'],
    ended: ['25P03'],
    'read-only': ['25006'],
    busy: ['57014', '53300', '53000', '53400', '55006'],
    full: ['53100'],
    constraint: ['23505', '23503', '23514', '23P01'],
    failed: ['42P01', '42501', '22012', 'XX001', '58030', '0A000', '25P02', 'P0001'],
  };
  for (const [kind, states] of Object.entries(kinds))
    for (const state of states) assert.equal(kindOf(said(state)), kind, state);
});

test('what was not sent was not done, and a defect of ours is none of the connection’s', () => {
  assert.equal(kindOf(new Unsent('The connection has ended.')), 'ended');
  assert.equal(kindOf(new TypeError('x is not a function')), 'failed');
});

test('what a server says of itself holds no values, but for what is written wrong', () => {
  for (const state of ['22P02', '23505', '53200', '57014', 'XX000']) {
    const failure = failureOf(said(state));
    if (failure instanceof StoreError) assert.doesNotMatch(failure.message, /in its words/);
  }
  assert.match((failureOf(said('42601')) as StoreError).message, /in its words/);
});
