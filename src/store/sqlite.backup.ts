import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Plan } from '../plan/step.ts';
import { same, shapeOf } from './shape.ts';
import { openDatabase, storeError } from './sqlite.open.ts';
import { openTables, storedShape } from './sqlite.tables.ts';
import { StoreError } from './store.ts';

/** A backup that stands on the disk. */
export interface Backup {
  readonly bytes: number;
  /** Whether its rows are of the document’s shape. */
  readonly fits: boolean;
}

/**
 * Copies a database into one file, as of one instant, while others read and write. Rejects with StoreError where that
 * can’t be.
 */
export async function backupDatabase(path: string, to: string, plan: Plan): Promise<Backup> {
  if (!existsSync(path)) throw new StoreError('failed', 'There is no database to back up.');
  return wholeFile(to, plan, (part) => {
    const db = openDatabase(path);
    try {
      db.prepare('VACUUM INTO ?').run(part);
    } finally {
      db.close();
    }
  });
}

/**
 * Makes a backup: `fill` writes it into an empty file that is its owner’s alone. It bears its name only once it is
 * whole, has been looked through, and is on the disk.
 */
export async function wholeFile(to: string, plan: Plan, fill: (part: string) => void | Promise<void>): Promise<Backup> {
  if (existsSync(to)) throw new StoreError('failed', `There is a file “${to}” already: give the backup another name.`);
  const part = `${to}.part-${process.pid}`;
  try {
    // Secrets are in it, so that it is its owner’s alone. SQLite writes into a file that is empty.
    closeSync(openSync(part, 'wx', 0o600));
    await fill(part);
    const stored = lookThrough(part);
    sync(part);
    renameSync(part, to);
    sync(dirname(to));
    return { bytes: statSync(to).size, fits: same(stored, shapeOf(plan)) };
  } catch (error) {
    throw storeError(error);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(part + suffix, { force: true });
  }
}

/** Sees that a database is whole; gives the shape of its rows. */
export function lookThrough(path: string): ReturnType<typeof storedShape> {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const whole = db.pragma('integrity_check', { simple: true });
    if (whole !== 'ok') throw new StoreError('failed', `“${path}” is damaged: ${whole}.`);
    const loose = db.pragma('foreign_key_check') as unknown[];
    if (loose.length)
      throw new StoreError('failed', `“${path}” has ${loose.length} references to rows that are not there.`);
    return storedShape(db);
  } finally {
    db.close();
  }
}

/** Waits until a file, or what a folder lists, is on the disk. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What stands where a backup is restored to, and what becomes of it. */
export interface Restored {
  readonly bytes: number;
  /** Where what was there before went; null where there was nothing. */
  readonly kept: string | null;
}

/** A backup that is to be restored is there, or this throws. */
export function mustBeThere(from: string): void {
  if (!existsSync(from)) throw new StoreError('failed', `There is no backup “${from}”.`);
}

/** Whoever would restore a file that is something else. */
export const NO_BACKUP = new StoreError('failed', 'The backup holds no rows of a Ninefold document.');

/**
 * Puts a backup in a database’s place: looked through, of the plan’s shape, and on the disk before it bears the name.
 * One that is there is refused, or, with `replace`, kept under another name, unless somebody has it open. At every
 * moment there is one or the other. Throws StoreError where that can’t be.
 */
export function restoreDatabase(from: string, path: string, plan: Plan, replace: boolean): Restored {
  mustBeThere(from);
  if (existsSync(path) && !replace)
    throw new StoreError(
      'failed',
      'There is a database already. To put the backup in its place, add --replace: it is kept under another name.',
    );
  const part = `${path}.part-${process.pid}`;
  try {
    closeSync(openSync(part, 'wx', 0o600));
    copyFileSync(from, part);
    lookThrough(part);
    mustFit(part, plan);
    sync(part);
    const kept = existsSync(path) ? putAside(path, () => renameSync(part, path)) : null;
    if (kept === null) renameSync(part, path);
    sync(dirname(path));
    return { bytes: statSync(path).size, kept };
  } catch (error) {
    throw storeError(error);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(part + suffix, { force: true });
  }
}

/** A backup of another document’s rows is refused before anything is put aside for it. */
function mustFit(part: string, plan: Plan): void {
  const db = openDatabase(part);
  try {
    if (storedShape(db) === null) throw NO_BACKUP;
    openTables(db, plan);
    // One file again: what the log holds goes into it.
    db.pragma('journal_mode = DELETE');
  } finally {
    db.close();
  }
}

/** Gives a database another name too, and lets `take` have its own, while nobody else has it open. */
function putAside(path: string, take: () => void): string {
  const kept = `${path}.before-${new Date().toISOString().replaceAll(':', '')}`;
  const db = openDatabase(path);
  try {
    // It leaves the log, and takes what that holds along, only where nobody else has it open.
    db.pragma('journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
    linkSync(path, kept);
    take();
    return kept;
  } finally {
    db.close();
  }
}
