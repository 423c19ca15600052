import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, rmdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file or a directory that the operator has named can't be used; the message says which, why, and what to do. */
export class PathError extends Error {}

/** What the system's errors say of a path, in words. */
const WHY: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'its disk can only be read',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of its disk is used up',
  ENOTDIR: 'a part of its path is a file, and no directory',
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such file or directory',
  EEXIST: 'there is something of that name already',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
  EIO: 'the disk failed',
  EBUSY: 'the system is using it',
  ETXTBSY: 'the system is running it',
  ENXIO: 'it is no file that holds anything',
  ENODEV: 'it is no file that holds anything',
  EXDEV: 'it is on another disk',
  EMLINK: 'it has too many names',
};

/** Why the system refused something, in words; null where it wasn't the system. */
export function whyOf(error: unknown): string | null {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string') return null;
  return WHY[code] ?? `the system says ${code}`;
}

/** What the system says of a path, links followed where `follow` says so; null where nothing is there. */
export function lookAt(path: string, follow: boolean): Stats | null {
  try {
    return follow ? statSync(path) : lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new PathError(`“${path}” can’t be used: ${whyOf(error) ?? (error as Error).message}.`);
  }
}

/** Whether something is at a path: a link that leads nowhere, too. */
export const isThere = (path: string): boolean => lookAt(path, false) !== null;

/** Makes a directory, its owner's alone, and those that it lies in; gives the first of them, null where all were there. */
export function makeDirectory(path: string): string | null {
  return mkdirSync(path, { recursive: true, mode: 0o700 }) ?? null;
}

/** Takes directories away that `makeDirectory` has made, from the last to the first, as far as nothing is in them. */
export function unmakeDirectory(path: string, first: string): void {
  try {
    for (let one = path; one.length >= first.length; one = dirname(one)) rmdirSync(one);
  } catch {
    // Something has come to lie in it.
  }
}

/** Waits until a file, or what a directory lists, is on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
