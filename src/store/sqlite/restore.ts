import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Plan } from '../../plan/step.ts';
import { giveToOwner, isThere, lookAt, makeDirectory, PathError, syncPath, unmakeDirectory, whyOf } from '../paths.ts';
import { RefusedError, StoreError } from '../store.ts';
import { BESIDE, lookThrough, partFor, removeParts } from './backup.ts';
import { readSealed } from './checksum.ts';
import { storeError } from './errors.ts';
import { bearsOurNumber, mustBeOurs } from './identity.ts';
import { holdDirectory } from './lock.ts';
import { BUSY, openDatabase, storeFailure } from './open.ts';
import { openTables, storedShape } from './tables.ts';
import { emptyLog } from './wal-recovery.ts';

/** Options of a restore. */
export interface Restoring {
  /** Whether the backup replaces the existing database. */
  readonly replace: boolean;
  /** Whether to accept a backup without a checksum, whose content cannot be verified. */
  readonly unsealed: boolean;
}

/** The result of a restore. */
export interface Restored {
  readonly bytes: number;
  /** The path to which the existing database was moved; null where there was none. */
  readonly kept: string | null;
}

/** Thrown for a file that is no backup. */
export const NO_BACKUP = new StoreError('failed', 'It has no rows of a Ninefold document.');

/**
 * Reads a backup. Where the backup is at fault, and not the store, throws a RefusedError that begins with the file’s
 * name.
 */
export function ofBackup<T>(from: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const told = storeError(error);
    // A full disk, say, is not the backup’s fault.
    if (!(told instanceof StoreError) || !['failed', 'shape', 'unreadable'].includes(told.kind)) throw told;
    const { message } = told;
    throw new RefusedError(message.startsWith(`“${from}”`) ? message : `“${from}” can’t be restored: ${message}`);
  }
}

/** Throws PathError unless a backup is a readable file without other files of SQLite beside it. */
export function mustBeThere(from: string): void {
  const found = lookAt(from, true);
  if (!found) throw new PathError(`There is no backup “${from}”. Give the file that \`backup\` made.`);
  if (!found.isFile()) throw new PathError(`“${from}” is not a file. A backup is one file.`);
  // A backup that has been opened with SQLite may have a log beside it. An empty log holds nothing.
  for (const suffix of BESIDE)
    if ((lookAt(from + suffix, true)?.size ?? 0) > 0)
      throw new PathError(
        `SQLite would read “${from}${suffix}” together with “${from}”. If “${from}” is a database, back it up with \`ninefold backup\`. If it is a backup, move it to another directory.`,
      );
}

/** Verifies a backup before anything is changed. Throws StoreError where its content differs from the original. */
export function mustBeWhole(from: string, unsealed: boolean, to: string | null = null): void {
  try {
    ofBackup(from, () => readSealed(from, to, unsealed));
  } catch (error) {
    const why = whyOf(error);
    throw why === null ? error : new PathError(`“${to ?? from}” can’t be ${to ? 'created' : 'read'}: ${why}.`);
  }
}

/**
 * Restores a backup as the database of a directory that no service holds. The backup is verified, has the plan’s shape,
 * and is on the disk before it gets the database’s name. An existing database is refused, or, with `replace`, renamed
 * with its other files, unless another process has it open. No file of it remains beside the new database: SQLite would
 * apply it. Throws StoreError or PathError on failure, and leaves no files behind.
 */
export function restoreDatabase(from: string, path: string, plan: Plan, { replace, unsealed }: Restoring): Restored {
  mustBeThere(from);
  mustBeVacant(path, replace);
  if (!bearsOurNumber(path)) mustBeOurs(path, plan);
  mustBeWhole(from, unsealed);
  const directory = dirname(path);
  const made = makeDirectory(directory);
  let done = false;
  try {
    const held = holdDirectory(directory);
    try {
      const restored = put(from, path, plan, { replace, unsealed });
      done = true;
      return restored;
    } finally {
      held.release();
    }
  } finally {
    if (!done && made !== null) unmakeDirectory(directory, made);
  }
}

function mustBeVacant(path: string, replace: boolean): void {
  if (replace || !isThere(path)) return;
  throw new RefusedError(
    'A database exists already. To restore the backup in its place, add --replace; the existing database is then renamed.',
  );
}

function put(from: string, path: string, plan: Plan, { replace, unsealed }: Restoring): Restored {
  // Checked again: the earlier holder of the directory may have made a database.
  mustBeVacant(path, replace);
  removeParts(path);
  const part = partFor(path);
  try {
    mustBeWhole(from, unsealed, part.file);
    ofBackup(from, () => {
      lookThrough(part.file, from);
      mustFit(part.file, plan);
    });
    giveToOwner(part.file, dirname(path));
    syncPath(part.file);
    const kept = putAside(path, () => renameSync(part.file, path));
    syncPath(dirname(path));
    return { bytes: statSync(path).size, kept };
  } catch (error) {
    throw storeError(error);
  } finally {
    rmSync(part.directory, { recursive: true, force: true });
  }
}

/** Throws for a backup of another document’s rows, before the existing database is renamed. */
function mustFit(part: string, plan: Plan): void {
  const db = openDatabase(part);
  try {
    if (storedShape(db) === null) throw NO_BACKUP;
    openTables(db, plan);
    // Copies the log into the database, so that the backup is one file.
    db.pragma('journal_mode = DELETE');
  } finally {
    db.close();
  }
}

/**
 * Renames the existing files of a database, and calls `take` to put the new one in place. Returns the new name of the
 * first file; null if there was none.
 */
function putAside(path: string, take: () => void): string | null {
  const to = `${path}.before-${new Date().toISOString().replaceAll(':', '')}`;
  const whole = isThere(path) && foldInto(path, to, take);
  return whole ? to : asItIs(path, to, take);
}

/**
 * Renames an intact database as one file, while no other process has it open, so that at every moment one of the two
 * databases is in place. Returns false, without any change, if the database is unreadable, which is a common reason for
 * a restore.
 */
function foldInto(path: string, to: string, take: () => void): boolean {
  let db: ReturnType<typeof openDatabase>;
  try {
    if (!emptyLog(path, BUSY)) throw IN_USE;
    db = openDatabase(path);
  } catch (error) {
    return mayGoOn(error);
  }
  try {
    // SQLite leaves WAL mode, and copies the log, only if no other process has the database open.
    db.pragma('journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
    if (BESIDE.some((suffix) => isThere(path + suffix))) throw new Error('Something is left beside it');
    linkSync(path, to);
  } catch (error) {
    db.close();
    return mayGoOn(error);
  }
  try {
    take();
    return true;
  } finally {
    db.close();
  }
}

const IN_USE = new StoreError('busy', 'Another program has the database open. End other commands and programs first.');

/** Whether a restore can continue after an error: a damaged database is no obstacle, and a database in use is one. */
function mayGoOn(error: unknown): false {
  const told = storeFailure(error);
  if (told instanceof StoreError && told.kind === 'busy') throw IN_USE;
  return false;
}

/** Keeps the existing files as they are, byte by byte, for a later recovery. */
function asItIs(path: string, to: string, take: () => void): string | null {
  const kept: string[] = [];
  for (const suffix of ['', ...BESIDE]) {
    if (!isThere(path + suffix)) continue;
    if (suffix === '') keepName(path, to);
    else renameSync(path + suffix, to + suffix);
    kept.push(to + suffix);
  }
  // SQLite makes the shared-memory file of the log again from the log.
  rmSync(`${path}-shm`, { force: true });
  syncPath(dirname(path));
  take();
  return kept[0] ?? null;
}

/**
 * Gives a file a second name, so that its own name is always in use. A directory, or a file on a disk without links, is
 * renamed.
 */
function keepName(path: string, to: string): void {
  try {
    linkSync(path, to);
  } catch {
    renameSync(path, to);
  }
}
