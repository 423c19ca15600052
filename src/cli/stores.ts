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
import type { Use } from '../store/sqlite/open.ts';
import { type Restored, type Restoring, restoreDatabase } from '../store/sqlite/restore.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { receiversStoredIn, shapeStoredIn, upgradeDatabase } from '../store/sqlite/upgrade.ts';
import type { Store } from '../store/store.ts';

/** The place of the rows: a directory, or a database if one is given. */
export interface Place {
  readonly data: string;
  readonly store?: string;
}

/** Adds the options for the place of the rows. */
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

/** The database file inside a data directory. */
export const databaseFile = (data: string): string =>
  // The SQLite driver removes white space at the start of a path.
  join(data === data.trimStart() ? data : resolve(data), 'ninefold.sqlite');

/** Checks that a directory can hold rows, and creates it if `make` is set; throws PathError otherwise. */
function checkData(data: string, make: boolean): void {
  mustBeUsable(data, make);
  mustBeOpenable(databaseFile(data));
}

/** Whether a place has a store. Rejects with PathError or StoreError if this cannot be determined. */
export async function isStored({ data, store }: Place): Promise<boolean> {
  if (store !== undefined) return (await import('../store/postgres/upgrade.ts')).isStoredAt(store);
  checkData(data, false);
  return isThere(databaseFile(data));
}

/**
 * Rejects with PathError if nothing is stored yet. Otherwise, a command that reads would create an empty store at a
 * mistyped name.
 */
export async function mustBeStored(place: Place): Promise<void> {
  if (await isStored(place)) return;
  const [where, which] =
    place.store === undefined
      ? [`in “${place.data}”. Is --data`, 'directory']
      : [`at ${placeName(place)}. Is --store`, 'address'];
  throw new PathError(`There is no store ${where} the ${which} of the service? \`serve\` creates a new store.`);
}

/** Opens the store. Rejects with StoreError if it cannot be opened. */
export async function openStore({ data, store }: Place, plan: Plan, use: Use = 'successor'): Promise<Store> {
  if (store === undefined) checkData(data, true);
  if (store === undefined) return new SqliteStore(databaseFile(data), plan, use);
  // The driver is loaded only if it is used, because it takes time and memory.
  const { PostgresStore } = await import('../store/postgres/store.ts');
  return PostgresStore.open(store, plan);
}

/** Migrates the rows of a store to the shape of a plan; null if nothing has to change. Rejects with StoreError. */
export async function bringStore({ data, store }: Place, plan: Plan, upgrade: SharedUpgrade): Promise<Migrated | null> {
  if (store === undefined) checkData(data, false);
  if (store === undefined) return upgradeDatabase(databaseFile(data), plan, upgrade);
  const { upgradePostgres } = await import('../store/postgres/upgrade.ts');
  return upgradePostgres(store, plan, upgrade);
}

/** The stored shape of the rows in a store; null if there are no rows, or no shape is stored. */
export async function storedShapeOf({ data, store }: Place): Promise<StoredShape | null> {
  if (store === undefined) checkData(data, false);
  if (store === undefined) return shapeStoredIn(databaseFile(data));
  const { shapeStoredAt } = await import('../store/postgres/upgrade.ts');
  return shapeStoredAt(store);
}

/** The registered receivers in a store, regardless of the document of its rows. */
export async function receiversIn({ data, store }: Place): Promise<Row[]> {
  if (store === undefined) return receiversStoredIn(databaseFile(data));
  const { receiversStoredAt } = await import('../store/postgres/upgrade.ts');
  return receiversStoredAt(store);
}

/**
 * Locks a data directory for one service; any number of services can share a database. `lost` is called if another
 * process has taken the lock.
 */
export function holdPlace({ data, store }: Place, lost?: () => void): DirectoryLock | null {
  if (store !== undefined) return null;
  const held = holdDirectory(data, lost);
  // A killed restore leaves its partial copy behind, including secrets.
  removeParts(databaseFile(data));
  return held;
}

/** The place of the rows for messages, without passwords. */
export function placeName({ data, store }: Place): string {
  if (store === undefined) return data;
  try {
    const url = new URL(store);
    url.password = '';
    url.search = '';
    return url.href;
  } catch {
    // A connection string with several servers is no valid URL: shows the user and the servers, without the password.
    const [, scheme, user = '', rest] = /^(\w+:\/\/)(?:([^:@/?#]*)(?::[^@]*)?@)?([^@?#]*)/.exec(store) ?? [];
    return scheme === undefined ? 'the database' : `${scheme}${user && `${user}@`}${rest}`;
  }
}

/** Backs up and restores a store, in one format for all stores. */
interface Keeping {
  backup(to: string, plan: Plan): Promise<Backup>;
  restore(from: string, plan: Plan, how: Restoring): Promise<Restored>;
}

/** The backup and restore functions of a place. */
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
