import { StoreError } from '../store.ts';
import type { Address } from './address.ts';
import type { DatabaseClock } from './clock.ts';
import { CONNECT, Link, type QueryResult } from './connections.ts';
import { unusable } from './errors.ts';
import { mustBeUnaltered } from './identity.ts';
import { connect } from './open.ts';

/** How often it is tried whether a session stays on its connection: other clients of a pooler may hide it once. */
const TRIES = 3;

const OWN = { text: 'SELECT pg_backend_pid()' };

/**
 * Connects, and sees that what is committed stays, that sessions are the database’s own, and that nothing of another
 * program acts on the rows. A command that begins to use a database begins here. Throws StoreError where it can’t.
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
 * A pooler may hand each transaction of a session to another connection of the database. The lock that keeps a node from
 * going on with rows of another document, prepared statements, bounds and LISTEN would then belong to nobody, and nothing
 * would say so. A pooler is known by what it says to be; whether it keeps sessions, by a second one with an open
 * transaction, which takes the connection of the first where it does not.
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
    // One that waits for a connection ends only once it has been given that of the first.
    void other.close();
  }
}

const processOf = ({ rows }: QueryResult): unknown => rows[0]?.[0];

/** Opens a transaction, which a pooler that pools statements refuses; gives the process that it is in. */
async function begun(link: Link, address: Address): Promise<unknown> {
  try {
    await link.send({ text: 'BEGIN' });
    return processOf(await link.send(OWN));
  } catch {
    throw moves(address);
  }
}

/** A pooler that has no connection left lets its clients wait, for minutes. */
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
