import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../../expression/values/value.ts';
import type { Plan } from '../../plan/step.ts';
import { runsBeside } from '../migration/change-kinds.ts';
import { compareShapes } from '../migration/compare.ts';
import { rewriteTables } from '../migration/rewrite.ts';
import { NAMED_TABLES } from '../migration/rewrite-renames.ts';
import type { Migrated, Upgrade } from '../migration/upgrade.ts';
import { type StoredShape, same, shapeOf } from '../shape.ts';
import { compileSystem } from '../sql/compiler.ts';
import { StoreError } from '../store.ts';
import { quoted, tableName } from '../tables.ts';
import { type Address, readAddress } from './address.ts';
import { DatabaseClock } from './clock.ts';
import type { Link } from './connections.ts';
import { alone, Making } from './create.ts';
import { postgresDialect } from './dialect.ts';
import { stateOf } from './errors.ts';
import { connect, HOLDERS, SHAPE_LOCK } from './open.ts';
import { enter } from './pooler.ts';
import { PostgresRewriter } from './rewriter.ts';
import { furnish, openTables, prepareSystem, storedShape, wasBefore, writeShape } from './tables.ts';

/** The input of a migration of a shared database. */
export interface SharedUpgrade extends Upgrade {
  /**
   * Whether rows may be migrated back to an earlier document of theirs, although other nodes may serve the newer one.
   */
  readonly back: boolean;
}

/** How long connections of other nodes are ended repeatedly, and the pause between, in milliseconds. */
const NODES_TIMEOUT_MS = 15_000;
const NODES_PAUSE_MS = 20;
/** How long the migration waits for the lock of a table, in milliseconds: requests wait behind it meanwhile. */
const LOCK_TIMEOUT_MS = 5000;

/**
 * Migrates a database to the shape of a plan, in one transaction. If nodes with the old document cannot continue, their
 * connections are ended first, and new ones are refused. Returns null if nothing has to be done. Rejects with
 * StoreError where the database cannot be used.
 */
export async function upgradePostgres(url: string, plan: Plan, asked: SharedUpgrade): Promise<Migrated | null> {
  return onDatabase(url, async (link, address, now) => {
    if (!(await isThere(link))) return null;
    const upgrade = { ...asked, now };
    const stored = await known(link, plan);
    if (stored === null || same(stored, shapeOf(plan))) return null;
    if (upgrade.dry) return tried(link, plan, upgrade);
    const work = (making: Making) => withRightOfWay(making, address, () => bring(making, plan, upgrade, address));
    return alone(link, work, refused);
  });
}

/** The shape of the rows in a database; null if there are none, or the shape was not recorded. */
export async function shapeStoredAt(url: string): Promise<StoredShape | null> {
  return onDatabase(url, async (link) => {
    if (!(await isThere(link))) return null;
    const { rows } = await link.send({ text: "SELECT value FROM ninefold_meta WHERE key = 'shape'" });
    return rows.length ? (JSON.parse(rows[0]![0] as string) as StoredShape) : null;
  });
}

/** The receivers in a database, as “list receivers” gives them; none where nothing is stored. */
export async function receiversStoredAt(url: string): Promise<Row[]> {
  return onDatabase(url, async (link) => {
    if (!(await isThere(link, 'ninefold_receiver'))) return [];
    return (
      await link.send({
        text: compileSystem(
          'list receivers',
          postgresDialect([], () => {}),
        ).sql,
      })
    ).rows as Row[];
  });
}

/** Works on a database. Timers are due by the database’s own clock. */
async function onDatabase<T>(url: string, work: (link: Link, address: Address, now: number) => Promise<T>): Promise<T> {
  const address = readAddress(url);
  const clock = new DatabaseClock();
  const link = await enter(address, clock);
  try {
    return await work(link, address, clock.now());
  } catch (error) {
    throw toldAs(error, address);
  } finally {
    await link.close();
  }
}

/** Converts an error to the one that the operator sees. */
function toldAs(error: unknown, { where }: Address): StoreError {
  if (error instanceof StoreError) return error;
  const state = stateOf(error);
  if (state === '55P03')
    return new StoreError(
      'busy',
      `${where}: another session locks a table, such as an open transaction or a backup. Nothing has been changed: try again.`,
    );
  const right =
    state === '42501'
      ? ' A dry run makes a schema of its own, and a migration changes tables: this user has to be allowed to.'
      : '';
  return new StoreError('failed', `${where}: ${(error as Error).message}.${right}`);
}

/** Whether a table exists. `ninefold_meta` exists before all others, and alone while another node creates them. */
async function isThere(link: Link, table = 'ninefold_meta'): Promise<boolean> {
  const { rows } = await link.send({ text: 'SELECT to_regclass($1) IS NOT NULL', values: [table] });
  return rows[0]![0] === true;
}

/** The shape of the rows. An unrecorded shape must be that of the plan, or this throws. */
async function known(link: Link, plan: Plan): Promise<StoredShape | null> {
  const stored = await storedShape(new Making(link));
  if (stored !== 'unknown') return stored;
  await openTables(link, plan);
  return shapeOf(plan);
}

const refused = (migrated: Migrated | null): boolean =>
  migrated !== null && (migrated.hindrances.length > 0 || migrated.mistakes.length > 0);

async function bring(making: Making, plan: Plan, upgrade: SharedUpgrade, address: Address): Promise<Migrated | null> {
  const next = shapeOf(plan);
  // The shape is read again, since another node may have migrated the rows meanwhile.
  const stored = await storedShape(making);
  if (stored === null || stored === 'unknown' || same(stored, next)) return null;
  if (!upgrade.back && (await wasBefore(making, next)))
    throw new StoreError(
      'shape',
      'The rows have been migrated from this document to a newer one, which other nodes may serve. Serve the newer document, or migrate the rows back with `ninefold migrate`.',
    );
  const beside = compareShapes(stored, next, upgrade.answers).changes.every(runsBeside);
  await making.run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  if (!beside) await hold(making, stored);
  const migrated = await rewriteAll(making, stored, plan, upgrade);
  // A refused migration has only delayed other nodes.
  if (refused(migrated)) return migrated;
  if (!beside) await sendAway(making, address);
  upgrade.watcher.step('The shape is written down', '');
  await writeShape(making, plan, next, beside);
  await furnish(making, plan);
  upgrade.watcher.step('The migration is committed', 'COMMIT');
  return migrated;
}

async function rewriteAll(making: Making, stored: StoredShape, plan: Plan, upgrade: Upgrade): Promise<Migrated> {
  const to = new PostgresRewriter(making, plan, upgrade.watcher, upgrade.now);
  await prepareSystem(making, plan);
  return to.work(rewriteTables(stored, plan, upgrade, to));
}

/** Locks the rows against changes by others while they are checked and rewritten. */
async function hold(making: Making, { resources }: StoredShape): Promise<void> {
  const tables = [...resources.map(({ name }) => tableName(name)), ...NAMED_TABLES].sort().map(quoted);
  await making.run(`LOCK TABLE ${tables.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
}

/**
 * Ends the connections of all other nodes, and accepts none until this transaction ends, so that no node writes with
 * the old document. While this transaction waits for the lock, no other session gets it.
 */
async function sendAway(making: Making, address: Address): Promise<void> {
  const other = await connect(address);
  try {
    await making.run(`SET LOCAL lock_timeout = ${NODES_TIMEOUT_MS}`);
    const [[own]] = (await making.run('SELECT pg_backend_pid()')) as [[number]];
    const waiting = { got: false };
    const lock = making.run(`SELECT pg_advisory_xact_lock(${SHAPE_LOCK})`).finally(() => {
      waiting.got = true;
    });
    lock.catch(() => {});
    while (!waiting.got) {
      await other.send({ text: `SELECT pg_terminate_backend(pid) FROM ${HOLDERS} AND pid <> $1`, values: [`${own}`] });
      await sleep(NODES_PAUSE_MS);
    }
    await lock;
  } catch (error) {
    if (stateOf(error) !== '55P03') throw error;
    throw new StoreError(
      'busy',
      `${address.where}: other nodes do not close their connections. Stop them, and try again.`,
    );
  } finally {
    await other.close();
  }
}

/** Migrates a copy of all tables, in a schema that is never committed: requests do not wait, and nothing remains. */
async function tried(link: Link, plan: Plan, upgrade: Upgrade): Promise<Migrated | null> {
  const making = new Making(link);
  const schema = quoted(`ninefold_trial_${process.pid}`);
  await making.run('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    const [[from]] = (await making.run('SELECT current_schema()')) as [[string]];
    const tables = await making.run('SELECT tablename FROM pg_tables WHERE schemaname = $1', from);
    await making.run(`CREATE SCHEMA ${schema}`);
    for (const [name] of tables as [string][]) {
      const [copy, table] = [`${schema}.${quoted(name)}`, `${quoted(from)}.${quoted(name)}`];
      await making.run(`CREATE TABLE ${copy} (LIKE ${table} INCLUDING ALL)`);
      await making.run(`INSERT INTO ${copy} OVERRIDING SYSTEM VALUE SELECT * FROM ${table}`);
    }
    // All names now refer to the copy, so that the rehearsal also creates the SQL functions that it needs there.
    await making.run(`SET LOCAL search_path = ${schema}`);
    await making.run("DELETE FROM ninefold_meta WHERE key LIKE 'function %' OR key IN ('zones', 'letters')");
    const stored = await storedShape(making);
    return stored === null || stored === 'unknown' ? null : await rewriteAll(making, stored, plan, upgrade);
  } finally {
    await making.run('ROLLBACK').catch(() => {});
  }
}

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
async function withRightOfWay<T>(making: Making, address: Address, work: () => Promise<T>): Promise<T> {
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

/** Whether a database has ever stored rows of a document. Rejects with StoreError where it cannot be reached. */
export async function isStoredAt(url: string): Promise<boolean> {
  const link = await enter(readAddress(url));
  try {
    const [[there] = []] = (await link.send({ text: "SELECT to_regclass('ninefold_meta') IS NOT NULL" })).rows;
    if (!there) return false;
    const made = "SELECT EXISTS (SELECT 1 FROM ninefold_meta WHERE key LIKE 'table %')";
    return (await link.send({ text: made })).rows[0]?.[0] === true;
  } finally {
    await link.close();
  }
}
