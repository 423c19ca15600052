import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** The operator has named a file or directory that cannot be used. The message says which, why, and what to do. */
export class PathError extends Error {}

/** Explanations of the system’s error codes for a path. */
const WHY: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of its disk is used up',
  ENOTDIR: 'a part of its path is a file instead of a directory',
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such file or directory',
  EEXIST: 'a file is in the way',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
  EIO: 'the disk failed',
  EBUSY: 'the system is using it',
  ETXTBSY: 'the system is running it',
  ENXIO: 'it is not a regular file',
  ENODEV: 'it is not a regular file',
  EXDEV: 'it is on another disk',
  EMLINK: 'it has too many names',
};

/** Describes an error of the system in words; null for any other error. */
export function whyOf(error: unknown): string | null {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string') return null;
  return WHY[code] ?? `the system says ${code}`;
}

/** The status of a path, with links followed if `follow` is true; null where nothing exists there. */
export function lookAt(path: string, follow: boolean): Stats | null {
  try {
    return follow ? statSync(path) : lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new PathError(`“${path}” can’t be used: ${whyOf(error) ?? (error as Error).message}.`);
  }
}

/** Whether a path exists, including a link without a target. */
export const isThere = (path: string): boolean => lookAt(path, false) !== null;

/**
 * Makes a directory for its owner alone, with its missing parents. Returns the first one that was made; null if none
 * was.
 */
export function makeDirectory(path: string): string | null {
  // Directories are made one by one: with `recursive`, Node.js never returns where the system reports ENOENT below an
  // existing directory, as in /proc.
  const missing: string[] = [];
  for (let at = path; !isDirectory(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  let first: string | null = null;
  for (const one of missing) {
    try {
      mkdirSync(one, { mode: 0o700 });
      first ??= one;
    } catch (error) {
      // Another process may have made it meanwhile.
      if (isDirectory(one)) continue;
      if (first !== null) unmakeDirectory(dirname(one), first);
      throw error;
    }
  }
  return first;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Removes the directories that `makeDirectory` has made, from the last to the first, as long as they are empty. */
export function unmakeDirectory(path: string, first: string): void {
  try {
    for (let one = path; one.length >= first.length; one = dirname(one)) rmdirSync(one);
  } catch {
    // The directory is no longer empty.
  }
}

/** Gives a file that root has made to the owner of its directory, since a service of another user has to open it. */
export function giveToOwner(path: string, directory = dirname(path)): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  if (uid !== 0) chownSync(path, uid, gid);
}

/** Waits until a file, or the list of a directory, is on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Throws PathError with the reason if a directory cannot hold rows. Makes the directory if `make` is true. */
export function mustBeUsable(directory: string, make: boolean): void {
  const other = 'Choose another directory with --data.';
  if (lookAt(directory, false)?.isSymbolicLink() && !lookAt(directory, true))
    throw new PathError(`“${directory}” is a link to “${readlinkSync(directory)}”, which does not exist. ${other}`);
  const found = lookAt(directory, true);
  if (found && !found.isDirectory())
    throw new PathError(`“${directory}” is a file, and rows are kept in a directory. ${other}`);
  try {
    if (found) accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    else if (make) makeDirectory(directory);
  } catch (error) {
    const what = found ? `“${directory}” can’t be written` : `“${directory}” can’t be created`;
    // The parent directories exist or have been made: this file system allows no new directories.
    const nowhere = !found && (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = nowhere ? 'the system creates no directories there' : (whyOf(error) ?? (error as Error).message);
    throw new PathError(`${what}: ${why}. ${other}`);
  }
}

/** Throws PathError if a file of such a directory exists and cannot be opened. SQLite’s own error gives no reason. */
export function mustBeOpenable(file: string): void {
  const entry = lookAt(file, false);
  if (!entry) return;
  const found = lookAt(file, true);
  if (!found)
    throw new PathError(`“${file}” is a link to “${readlinkSync(file)}”, which does not exist. Remove the link.`);
  if (!found.isFile())
    throw new PathError(
      `“${file}” is ${found.isDirectory() ? 'a directory' : 'not a regular file'}, and the store is a file with this name.`,
    );
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new PathError(`“${file}” can’t be written: ${whyOf(error) ?? (error as Error).message}.`);
  }
}
