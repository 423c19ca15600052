import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Row } from '../expression/values/value.ts';
import type { Plan } from '../plan/step.ts';
import type { Migrated } from '../store/migration/upgrade.ts';
import { isThere, mustBeOpenable, mustBeUsable, PathError } from '../store/paths.ts';
import type { SharedUpgrade } from '../store/postgres/upgrade.ts';
import type { StoredShape } from '../store/shape.ts';
import { type Backup, backupDatabase, removeParts } from '../store/sqlite/backup.ts';
import { type DirectoryLock, holdDirectory } from '../store/sqlite/lock.ts';
import type { Use } from '../store/sqlite/opening.ts';
import { type Restored, type Restoring, restoreDatabase } from '../store/sqlite/restore.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { receiversStoredIn, shapeStoredIn, upgradeDatabase } from '../store/sqlite/upgrade.ts';
import type { Store } from '../store/store.ts';

/** Where rows are kept: in a directory, unless a database is named. */
export interface Place {
  readonly data: string;
  readonly store?: string;
}

/** Adds the options that say where rows are kept. */
export function withPlace(command: Command): Command {
  return command
    .option('--data <DIR>', 'the data directory', './data')
    .addOption(
      new Option(
        '--store <URL>',
        'store rows in PostgreSQL: postgres://USER@HOST:PORT/DATABASE; the password may be in PGPASSWORD',
      ).conflicts('data'),
    );
}

/** Where rows are kept inside a data directory. */
export const databaseFile = (data: string): string =>
  // SQLite’s driver leaves out white space before the path that it is to open.
  join(data === data.trimStart() ? data : resolve(data), 'ninefold.sqlite');

/** Sees that a directory can hold rows, and makes it where `make` says so; throws PathError otherwise. */
function checkData(data: string, make: boolean): void {
  mustBeUsable(data, make);
  mustBeOpenable(databaseFile(data));
}

/** Whether anything has ever been stored at a place. Rejects with PathError or StoreError where that can’t be told. */
export async function isStored({ data, store }: Place): Promise<boolean> {
  if (store !== undefined) return (await import('../store/postgres/exists.ts')).isStoredAt(store);
  checkData(data, false);
  return isThere(databaseFile(data));
}

/**
 * Rejects with PathError where nothing has been stored yet: whoever reads would otherwise make a store by a mistyped
 * name, and find it empty.
 */
export async function mustBeStored(place: Place): Promise<void> {
  if (await isStored(place)) return;
  const [where, which] =
    place.store === undefined
      ? [`in “${place.data}”. Is --data`, 'directory']
      : [`at ${placeName(place)}. Is --store`, 'address'];
  throw new PathError(`There is no store ${where} the ${which} of the service? \`serve\` creates a new store.`);
}

/** Opens the store. Rejects with StoreError where it can’t be had. */
export async function openStore({ data, store }: Place, plan: Plan, use: Use = 'successor'): Promise<Store> {
  if (store === undefined) checkData(data, true);
  if (store === undefined) return new SqliteStore(databaseFile(data), plan, use);
  // Its driver is loaded only where it is used: it takes time and memory.
  const { PostgresStore } = await import('../store/postgres/store.ts');
  return PostgresStore.open(store, plan);
}

/** Brings the rows of a store to the shape of a plan; null where nothing has to be done. Rejects with StoreError. */
export async function bringStore({ data, store }: Place, plan: Plan, upgrade: SharedUpgrade): Promise<Migrated | null> {
  if (store === undefined) checkData(data, false);
  if (store === undefined) return upgradeDatabase(databaseFile(data), plan, upgrade);
  const { upgradePostgres } = await import('../store/postgres/upgrade.ts');
  return upgradePostgres(store, plan, upgrade);
}

/** The shape of the rows in a store; null where there are none, or nobody wrote down which it is. */
export async function storedShapeOf({ data, store }: Place): Promise<StoredShape | null> {
  if (store === undefined) checkData(data, false);
  if (store === undefined) return shapeStoredIn(databaseFile(data));
  const { shapeStoredAt } = await import('../store/postgres/upgrade.ts');
  return shapeStoredAt(store);
}

/** The receivers that the operator has registered in a store, whichever document its rows are of. */
export async function receiversIn({ data, store }: Place): Promise<Row[]> {
  if (store === undefined) return receiversStoredIn(databaseFile(data));
  const { receiversStoredAt } = await import('../store/postgres/upgrade.ts');
  return receiversStoredAt(store);
}

/**
 * Holds a data directory for one service; any number of services share a database. `lost` is called where another
 * process has come to hold it.
 */
export function holdPlace({ data, store }: Place, lost?: () => void): DirectoryLock | null {
  if (store !== undefined) return null;
  const held = holdDirectory(data, lost);
  // A restore that was killed leaves what it had copied, secrets among it.
  removeParts(databaseFile(data));
  return held;
}

/** Where rows are, for people to read: never with a password. */
export function placeName({ data, store }: Place): string {
  if (store === undefined) return data;
  try {
    const url = new URL(store);
    url.password = '';
    url.search = '';
    return url.href;
  } catch {
    // Several servers, each with a port, are no URL of the web’s: the user and the servers, and no password.
    const [, scheme, user = '', rest] = /^(\w+:\/\/)(?:([^:@/?#]*)(?::[^@]*)?@)?([^@?#]*)/.exec(store) ?? [];
    return scheme === undefined ? 'the database' : `${scheme}${user && `${user}@`}${rest}`;
  }
}

/** Backs up what is stored at a place, or puts a backup there: in one format, whichever store it is. */
interface Keeping {
  backup(to: string, plan: Plan): Promise<Backup>;
  restore(from: string, plan: Plan, how: Restoring): Promise<Restored>;
}

/** What keeps the rows of a place. */
export function keepingOf({ data, store }: Place): Keeping {
  if (store === undefined)
    return {
      backup: (to, plan) => backupDatabase(databaseFile(data), to, plan),
      restore: async (from, plan, how) => restoreDatabase(from, databaseFile(data), plan, how),
    };
  return {
    backup: async (to, plan) => (await import('../store/postgres/backup.ts')).backupPostgres(store, to, plan),
    restore: async (from, plan, how) =>
      (await import('../store/postgres/restore.ts')).restorePostgres(from, store, plan, how),
  };
}
