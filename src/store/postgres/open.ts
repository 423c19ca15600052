import { MOVED_ON } from '../migration/compare.ts';
import { StoreError } from '../store.ts';
import type { Address, Host } from './address.ts';
import { DATABASE_TIME, type DatabaseClock } from './clock.ts';
import { CONNECT, Link, STATEMENT } from './connections.ts';
import { unusable } from './errors.ts';
import { GOES_ON } from './tables.ts';

/** The settings without which a power failure could lose a committed change. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'];
/** The setting for the durability of commits, and the one that lists synchronous standbys. */
const WAITS = 'synchronous_commit';
const STANDBYS = 'synchronous_standby_names';

/** If this setting is on, the server continues after a refused sync, and may lose committed changes. */
const RETRIES = 'data_sync_retry';

/** A unique name of a server process: after a restart, a server may reuse process numbers. */
const PROCESS = (process: string): string => `${process}::text || ' ' || pg_postmaster_start_time()::text`;
const SETTINGS = `SELECT name, setting, ${DATABASE_TIME}, ${PROCESS('pg_backend_pid()')} FROM pg_settings
  WHERE name IN ('${DURABLE.join("', '")}', '${STANDBYS}', '${RETRIES}', 'server_encoding')`;
const WORKING = `SELECT ${PROCESS('pid')} FROM pg_stat_activity WHERE ${PROCESS('pid')} IN
  (SELECT jsonb_array_elements_text($1::jsonb)) AND coalesce(state, 'active') NOT LIKE 'idle%'`;

/** How long the connection to one server may take before another server is tried as well, in milliseconds. */
const HEAD_START_MS = 300;

/**
 * Connects to a server that accepts changes, and checks that its commits are durable; `clock` receives the server’s
 * time. Of several servers, the last used one is tried first. Throws StoreError where no server can be used, or commits
 * are not durable.
 */
export function connect(address: Address, clock?: DatabaseClock): Promise<Link> {
  const { hosts, last } = address;
  if (hosts.length === 1) return connectTo(address, last, clock);
  const waiting = [last, ...hosts.filter((host) => host !== last)];
  const errors: Error[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Link>();
  let timer: NodeJS.Timeout | undefined;
  let found = false;
  const next = (): void => {
    clearTimeout(timer);
    const host = found ? undefined : waiting.shift();
    if (!host) return;
    timer = setTimeout(next, HEAD_START_MS);
    connectTo(address, host, clock).then(
      (link) => {
        if (found) return void link.close();
        found = true;
        clearTimeout(timer);
        address.last = host;
        resolve(link);
      },
      (error: Error) => {
        errors.push(error);
        if (errors.length === hosts.length)
          reject(new StoreError('failed', errors.map((one) => one.message).join(' ')));
        else next();
      },
    );
  };
  next();
  return promise;
}

async function connectTo(address: Address, { config, where }: Host, clock?: DatabaseClock): Promise<Link> {
  let link: Link | null = null;
  try {
    link = await Link.open(config);
    await Promise.all([
      address.mustWrite ? mustTakeChanges(link, address, where) : null,
      mustBeDurable(link, where, clock),
    ]);
    return link;
  } catch (error) {
    await link?.close();
    throw unusable(error, where);
  }
}

/** Whether a server is a standby or read-only, and its timeline. */
const ROLE = "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'";
const TIMELINE = "SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int";

/**
 * Throws for a standby, which accepts no changes, and for a former primary, which must get none: its timeline is older
 * than that of the server that replaced it.
 */
async function mustTakeChanges(link: Link, address: Address, where: string): Promise<void> {
  const [[standsBy, readOnly] = []] = (await link.send({ text: ROLE }, CONNECT)).rows;
  if (standsBy === true) throw new StoreError('busy', `${where} stands by for another server.`);
  if (readOnly === true)
    throw new StoreError('busy', `${where} accepts no changes: default_transaction_read_only is on.`);
  // Other databases with this protocol have no timelines.
  const timeline = await link.send({ text: TIMELINE }, CONNECT).then(
    ({ rows }) => rows[0]![0] as number,
    () => 0,
  );
  if (timeline < address.timeline)
    throw new StoreError(
      'busy',
      `${where} is a former primary: its timeline is ${timeline}, and another server has been promoted to timeline ${address.timeline}. Stop it, or make it a standby.`,
    );
  address.timeline = timeline;
  link.timeline = timeline;
}

/** Checks that commits are durable, and limits the idle time of transactions. */
async function mustBeDurable(link: Link, where: string, clock?: DatabaseClock): Promise<void> {
  // The limit is no connection parameter, since poolers let few of those pass.
  const bounding = bound(link, { idle_in_transaction_session_timeout: ALONE });
  const asked = clock?.asked() ?? 0;
  const [{ rows }] = await Promise.all([link.send({ text: SETTINGS }, CONNECT), bounding]);
  clock?.heard(asked, rows[0]![2] as number);
  link.process = rows[0]![3] as string;
  const set = new Map((rows as [string, string, number, string][]).map(([name, setting]) => [name, setting]));
  const encoding = set.get('server_encoding') ?? 'UTF8';
  if (encoding !== 'UTF8')
    throw new StoreError('failed', `${where} has the encoding ${encoding}. Create a database with ENCODING 'UTF8'.`);
  if (set.get(RETRIES) === 'on')
    throw new StoreError(
      'failed',
      `${where} is not durable: ${RETRIES} is on, so a write that the disk refused to sync could be lost. Switch it off.`,
    );
  const off = DURABLE.filter((name) => set.get(name) === 'off');
  if (off.length === 0) return mustReachStandbys(link, where, set);
  const [are, them] = off.length === 1 ? ['is', 'it'] : ['are', 'them'];
  throw new StoreError(
    'failed',
    `${where} is not durable: ${off.join(', ')} ${are} off, so an acknowledged change could be lost. Switch ${them} on.`,
  );
}

/**
 * Checks that commits wait for standbys, since a failover could lose other changes. The setting is fixed for the
 * session: if the server’s setting changes, acknowledged changes of this session have waited nevertheless.
 */
async function mustReachStandbys(link: Link, where: string, set: ReadonlyMap<string, string>): Promise<void> {
  const waits = set.get(WAITS) ?? 'on';
  if (waits !== 'on' && waits !== 'remote_apply' && (set.get(STANDBYS) ?? '').trim() !== '')
    throw new StoreError(
      'failed',
      `${where} is not durable: ${WAITS} is ${waits} and ${STANDBYS} is set, so a failover to a standby could lose an acknowledged change. Set ${WAITS} to on or remote_apply.`,
    );
  const text = `SELECT set_config('${WAITS}', '${waits === 'remote_apply' ? waits : 'on'}', false)`;
  await link.send({ text }, CONNECT);
}

/**
 * Returns the server processes, out of those given, that are running. Rejects with StoreError where the server cannot
 * be asked.
 */
export async function workingAt(address: Address, processes: readonly string[]): Promise<ReadonlySet<string>> {
  const link = await connect(address);
  try {
    const { rows } = await link.send({ text: WORKING, values: [JSON.stringify(processes)] }, CONNECT);
    return new Set(rows.map(([process]) => process as string));
  } finally {
    await link.close();
  }
}

/** How long a transaction may be idle, in milliseconds. */
const ALONE = 30_000;
/** How long a transaction of a node may be idle, in milliseconds: long computations run outside of transactions. */
const LEFT_ALONE = 2000;
/**
 * How long a statement waits for a lock before its change is run again from the start, in milliseconds. A stopped node
 * would get the locks that it waits for one after another, and keep each until its session ends.
 */
const LOCKED = 3000;
/**
 * How long sent data may stay unacknowledged, in milliseconds, and the TCP keepalive of idle connections, in seconds.
 */
const UNREAD = 10_000;
const KEEPALIVE = { idle: 5, interval: 2, count: 3 };

/**
 * Limits that the database enforces for the sessions of a node: a node that is stopped during a transaction holds locks
 * on rows, and an old snapshot. No limit concerns a transaction as a whole, only its statements and idle times. Lower
 * limits of the operator stay, and settings that this database lacks are skipped.
 */
const BOUND = `SELECT set_config(s.name, CASE WHEN s.setting::bigint BETWEEN 1 AND b.most - 1 THEN s.setting
    ELSE b.most::text END, false)
  FROM jsonb_to_recordset($1::jsonb) AS b (name text, most bigint) JOIN pg_settings s ON s.name = b.name`;

/** Limits the session of a node that serves, so that it cannot block others for long. */
export async function boundSession(link: Link): Promise<void> {
  await bound(link, {
    idle_in_transaction_session_timeout: LEFT_ALONE,
    lock_timeout: LOCKED,
    statement_timeout: STATEMENT,
    tcp_user_timeout: UNREAD,
    tcp_keepalives_idle: KEEPALIVE.idle,
    tcp_keepalives_interval: KEEPALIVE.interval,
    tcp_keepalives_count: KEEPALIVE.count,
  });
  link.bounded = true;
}

async function bound(link: Link, most: Readonly<Record<string, number>>): Promise<void> {
  const bounds = Object.entries(most).map(([name, milliseconds]) => ({ name, most: milliseconds }));
  await link.send({ text: BOUND, values: [JSON.stringify(bounds)] }, CONNECT);
}

/**
 * Class and object of an advisory lock on the service’s own table, of which each schema has one. Every connection of a
 * node holds the lock in shared mode. A migration during which nodes may not continue holds it exclusively.
 */
const CLASS = 0x9f01d;
const OBJECT = "'ninefold_meta'::regclass::oid";
export const SHAPE_LOCK = `(${OBJECT}::bigint + (${CLASS}::bigint << 32))`;

/** The connections that hold the lock. */
export const HOLDERS = `pg_locks WHERE locktype = 'advisory' AND classid = ${CLASS} AND objid = ${OBJECT} AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND granted`;

/**
 * Locks the rows’ shape for a connection. Throws StoreError if the rows are being migrated to another document, or have
 * a shape with which nodes of `shape` cannot continue.
 */
export async function holdShape(link: Link, shape: string): Promise<void> {
  const held = link.send({ text: `SELECT pg_try_advisory_lock_shared(${SHAPE_LOCK})` }, CONNECT);
  const goesOn = link.send({ text: GOES_ON, values: [shape] }, CONNECT);
  if ((await held).rows[0]![0] !== true)
    throw new StoreError('busy', 'The rows are being migrated to another document.');
  if ((await goesOn).rows[0]?.[0] !== true) throw MOVED_ON;
}
