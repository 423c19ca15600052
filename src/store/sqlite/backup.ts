import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import type { Plan } from '../../plan/step.ts';
import { isThere, lookAt, PathError, syncPath, whyOf } from '../paths.ts';
import { same, shapeOf } from '../shape.ts';
import { StoreError } from '../store.ts';
import { seal } from './checksum.ts';
import { storeError } from './errors.ts';
import { keepFreePages } from './free-pages.ts';
import { mustBeUnaltered, mustHaveItsColumns } from './identity.ts';
import { withDatabase } from './open.ts';
import { storedShape } from './tables.ts';

/** A finished backup. */
export interface Backup {
  readonly bytes: number;
  /** Whether the backup’s rows have the document’s shape. */
  readonly fits: boolean;
}

/**
 * Suffixes of the files that SQLite keeps beside a database. SQLite applies any file with such a name to the database.
 */
export const BESIDE = ['-wal', '-journal'] as const;

/**
 * Copies a database as of one instant into one file, while other processes read and write. Rejects with StoreError on
 * failure, or with PathError where the file is at fault.
 */
export async function backupDatabase(path: string, to: string, plan: Plan): Promise<Backup> {
  if (!existsSync(path)) throw new StoreError('failed', 'There is no database to back up.');
  return wholeFile(to, plan, (part) => withDatabase(path, (db) => vacuumInto(db, part, to)));
}

function vacuumInto(db: Database.Database, part: string, to: string): void {
  try {
    keepFreePages(db);
    db.prepare('VACUUM INTO ?').run(part);
  } catch (error) {
    // A refused sync of the backup’s file does not concern the database.
    throw targetError(error, to);
  }
}

/** Converts a failure to write the backup: a full disk is then that of the backup, not that of the store. */
export function targetError(error: unknown, to: string): unknown {
  const told = storeError(error);
  return told instanceof StoreError && told.kind === 'full'
    ? new PathError(`“${to}” can’t be made: its disk is full.`)
    : told;
}

/**
 * Makes a backup. `fill` writes it into an empty file for the owner alone, in a directory of its own. The file gets its
 * name only once it is complete, verified, sealed with its checksum, and on the disk.
 */
export async function wholeFile(to: string, plan: Plan, fill: (part: string) => void | Promise<void>): Promise<Backup> {
  mustBeFree(to);
  const part = partFor(to);
  try {
    // The file is for its owner alone, since it contains secrets. SQLite accepts an empty file as a new database.
    closeSync(openSync(part.file, 'wx', 0o600));
    await fill(part.file);
    return finish(part.file, to, plan);
  } finally {
    rmSync(part.directory, { recursive: true, force: true });
  }
}

/** Verifies a filled backup, and gives it its checksum and its name. */
function finish(part: string, to: string, plan: Plan): Backup {
  try {
    const stored = lookThrough(part, to, plan);
    seal(part);
    syncPath(part);
    renameSync(part, to);
    syncPath(dirname(to));
    return { bytes: statSync(to).size, fits: same(stored, shapeOf(plan)) };
  } catch (error) {
    throw targetError(error, to);
  }
}

/** Throws if the backup’s name is in use, or a log beside it would be read with it. */
function mustBeFree(to: string): void {
  if (to === '') throw new PathError('The backup has no name: name a file.');
  if (to.endsWith('/')) throw new PathError(`“${to}” names a directory: name a file in it for the backup.`);
  if (to === '-')
    throw new PathError(
      'A backup is a file, and is not written to standard output. For a file of this name, write “./-”.',
    );
  if (lookAt(to, true)?.isDirectory()) throw new PathError(`“${to}” is a directory: name a file in it for the backup.`);
  if (isThere(to)) throw new PathError(`“${to}” exists already. Give the backup another name.`);
  for (const suffix of BESIDE)
    if (isThere(to + suffix))
      throw new PathError(
        `There is a file “${to}${suffix}”, which SQLite would read together with the backup. Give the backup another name, or remove this file.`,
      );
}

/** Number of random letters in the name of a temporary directory. */
const MADE_UP = 6;

/** The name of an incomplete file. */
const PART = 'part';

/** A temporary place for an incomplete file: a new directory on the same disk. */
export function partFor(path: string): { readonly file: string; readonly directory: string } {
  try {
    // The driver of SQLite trims white space from the ends of a path, and a file’s name may end with it.
    const directory = mkdtempSync(`${resolve(path)}.part-`);
    return { file: join(directory, PART), directory };
  } catch (error) {
    const why = whyOf(error);
    if (why === null) throw error;
    const folder = dirname(path);
    const found = lookAt(folder, true);
    if (!found)
      throw new PathError(`“${path}” can’t be created: there is no directory “${folder}”. Create the directory first.`);
    if (!found.isDirectory())
      throw new PathError(`“${path}” can’t be created: “${folder}” is a file instead of a directory.`);
    throw new PathError(`“${path}” can’t be created: the directory “${folder}” can’t be written: ${why}.`);
  }
}

/** Removes temporary directories beside a path, whose processes were killed. */
export function removeParts(path: string): void {
  const directory = dirname(path);
  const start = `${basename(path)}.part-`;
  for (const name of readdirSync(directory))
    if (name.startsWith(start) && name.length === start.length + MADE_UP)
      rmSync(join(directory, name), { recursive: true, force: true });
}

/**
 * Verifies that a database, named `name` in messages, is intact and unchanged by other programs. Returns the shape of
 * its rows. If the `plan` of that shape is given, its columns are verified, too.
 */
export function lookThrough(path: string, name = path, plan: Plan | null = null): ReturnType<typeof storedShape> {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const whole = db.pragma('integrity_check', { simple: true });
    if (whole !== 'ok') throw new StoreError('failed', `“${name}” is damaged: ${whole}.`);
    const loose = db.pragma('foreign_key_check') as unknown[];
    if (loose.length)
      throw new StoreError('failed', `“${name}” has ${loose.length} references to rows that do not exist.`);
    const stored = storedShape(db);
    if (stored !== null) mustBeUnaltered(db, name);
    if (plan && same(stored, shapeOf(plan))) mustHaveItsColumns(db, plan);
    return stored;
  } finally {
    db.close();
  }
}
