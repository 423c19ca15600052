import { randomUUID } from 'node:crypto';
import { closeSync, fchmodSync, fchownSync, openSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lookAt, PathError, whyOf } from '../store/paths.ts';
import { oneLine } from '../text/visible.ts';

/** A file could not be written; its old content is unchanged. The message has the reason. */
export class WriteError extends Error {}

/**
 * Writes a file atomically: to a temporary file beside it, which is then renamed. `begin` receives the path of the
 * temporary file before it is created.
 */
export function writeWhole(path: string, text: string, begin: (part: string) => void = () => {}): void {
  if (path === '') throw new WriteError('An empty path names no file.');
  const part = `${path}.${randomUUID()}.part`;
  try {
    const there = lookAt(path, true);
    // A device such as /dev/stdout is written directly.
    if (there && !there.isFile() && !there.isDirectory()) {
      writeFileSync(path, text);
      return;
    }
    if (there?.isDirectory()) throw new WriteError(`“${oneLine(path)}” is a directory. Name a file in it.`);
    begin(part);
    create(part, text, there);
    renameSync(part, path);
  } catch (error) {
    remove(part);
    if (error instanceof WriteError) throw error;
    if (error instanceof PathError) throw new WriteError(oneLine(error.message));
    throw new WriteError(oneLine(unwritable(path, error)));
  }
}

/**
 * Creates a file with the owner and the mode of another one. Both are given to the open file: at its path, somebody who
 * may write to the folder can put a link to a file of somebody else.
 */
function create(path: string, text: string, like: Stats | null): void {
  const file = openSync(path, 'wx', like?.mode ?? 0o666);
  try {
    // Synced before it is renamed: after a power cut, the renamed file has its old content or its new one.
    writeFileSync(file, text, { flush: true });
    if (!like) return;
    keepOwner(file, like);
    // The process may create files with fewer rights (umask) than the other one has.
    fchmodSync(file, like.mode);
  } finally {
    closeSync(file);
  }
}

/** A file keeps its owner and group where the process may give it to them, as the super-user in a container. */
function keepOwner(file: number, { uid, gid }: Stats): void {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // The process may not give files away, and owns what it writes.
  }
}

function remove(part: string): void {
  try {
    rmSync(part, { force: true });
  } catch {
    // The temporary file does not exist if it could not be created.
  }
}

function unwritable(path: string, error: unknown): string {
  const why = whyOf(error);
  if (why === null) throw error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return `“${path}” can’t be written: there is no directory “${dirname(path)}”. Create the directory first.`;
  return `“${path}” can’t be written: ${why}. Nothing has changed.`;
}
