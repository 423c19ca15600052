import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from './address.ts';
import type { Link } from './connections.ts';
import type { Making } from './create.ts';
import { connect, HOLDERS } from './open.ts';

/**
 * How often blocking sessions are looked for, in milliseconds: well below PostgreSQL’s `deadlock_timeout` of a second.
 */
const LOOK_MS = 100;

/**
 * Ends the sessions of nodes that block a transaction and are blocked themselves, by it or by its queue. In such a
 * deadlock, PostgreSQL would roll back the transaction that began to wait first, which usually is a migration. A node
 * whose session ends repeats its transaction on another connection.
 */
const CLEAR = `SELECT pg_terminate_backend(blocking) FROM unnest(pg_blocking_pids($1::int)) AS blocking
  WHERE cardinality(pg_blocking_pids(blocking)) > 0 AND blocking IN (SELECT pid FROM ${HOLDERS})`;

/** Does work in the open transaction, and ends the sessions of nodes that block it in a deadlock. */
export async function withRightOfWay<T>(making: Making, address: Address, work: () => Promise<T>): Promise<T> {
  const [[own]] = (await making.run('SELECT pg_backend_pid()::text')) as [[string]];
  const other = await connect(address);
  const over = new AbortController();
  const looking = clearing(other, own, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await looking;
    await other.close();
  }
}

/** If the second connection is lost, PostgreSQL resolves deadlocks. Never rejects. */
async function clearing(other: Link, own: string, over: AbortSignal): Promise<void> {
  try {
    while (!over.aborted) {
      await other.send({ text: CLEAR, values: [own] });
      await sleep(LOOK_MS, undefined, { signal: over });
    }
  } catch {}
}
