import { StoreError } from '../store.ts';
import type { Address } from './address.ts';
import type { DatabaseClock } from './clock.ts';
import { CONNECT, Link, type QueryResult } from './connections.ts';
import { unusable } from './errors.ts';
import { mustBeUnaltered } from './identity.ts';
import { connect } from './open.ts';

/** How often the check for a pooler is repeated, since a pooler’s other clients may hide the result once. */
const TRIES = 3;

const OWN = { text: 'SELECT pg_backend_pid()' };

/**
 * Connects for a command or service that begins to use a database. Checks that commits are durable, that no pooler
 * shares sessions, and that no other program’s objects act on the rows. Throws StoreError otherwise.
 */
export async function enter(address: Address, clock?: DatabaseClock): Promise<Link> {
  const link = await connect(address, clock);
  try {
    await mustKeepSessions(link, address);
    await mustBeUnaltered(link, address.where);
    return link;
  } catch (error) {
    await link.close();
    throw unusable(error, address.where);
  }
}

/**
 * Throws if a pooler gives the transactions of a session to different connections. The lock on the rows’ shape,
 * prepared statements, limits and LISTEN would then belong to other sessions, without any error. A pooler is recognized
 * by its process ID. To see whether it keeps sessions, a second session opens a transaction: a pooler that does not
 * keep sessions gives it the connection of the first.
 */
async function mustKeepSessions(link: Link, address: Address): Promise<void> {
  const first = processOf(await link.send(OWN));
  if (first === link.peer) return;
  let other: Link;
  try {
    other = await Link.open(address.last.config);
  } catch {
    throw tooFew(address);
  }
  try {
    for (let i = 0; i < TRIES; i++) {
      if ((await inTime(begun(other, address), address)) === first) throw moves(address);
      if (processOf(await inTime(link.send(OWN), address)) !== first) throw moves(address);
      await other.send({ text: 'ROLLBACK' });
    }
  } finally {
    // A session that waits for a connection ends only once it has got the first one’s.
    void other.close();
  }
}

const processOf = ({ rows }: QueryResult): unknown => rows[0]?.[0];

/** Opens a transaction, which a pooler of single statements refuses. Returns the server process of the transaction. */
async function begun(link: Link, address: Address): Promise<unknown> {
  try {
    await link.send({ text: 'BEGIN' });
    return processOf(await link.send(OWN));
  } catch {
    throw moves(address);
  }
}

/** A pooler without free connections lets its clients wait for minutes. */
async function inTime<T>(work: Promise<T>, address: Address): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooFew(address)), CONNECT);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const moves = ({ where }: Address): StoreError =>
  new StoreError(
    'failed',
    `${where} is behind a connection pooler that pools transactions or statements, and Ninefold needs sessions (pool_mode = session in PgBouncer). Have the pooler keep sessions, or give the address of the database itself.`,
  );

const tooFew = ({ where }: Address): StoreError =>
  new StoreError(
    'busy',
    `${where} is behind a connection pooler that has no second connection to give. Each node needs 13: let the pooler have more (default_pool_size in PgBouncer).`,
  );
