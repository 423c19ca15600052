import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { Pinned } from './sqlite.pinned.ts';

/**
 * A database's file, opened beside SQLite. Closing it would let go of the locks that all connections of this process
 * hold on it (POSIX): stores that follow one another share it, and the last of them closes it.
 */
export class OpenFile {
  /**
   * How many frames of the log have been copied into the file of which the disk may not hold all; 0 where it does. As
   * long as there are any, nobody may begin the log anew.
   */
  doubted = 0;
  /** What keeps the log as it is while a store that had doubts has been closed; null where there is none. */
  kept: Pinned | null = null;
  private readonly path: string;
  private opened: number | null = null;
  private users = 1;

  constructor(path: string) {
    this.path = path;
  }

  /** Its descriptor; it is opened when it is first needed, and null where it can’t be. */
  descriptor(): number | null {
    try {
      this.opened ??= openSync(this.path, 'r+');
    } catch {
      // Of a process that has too many open, for one.
    }
    return this.opened;
  }

  /** Writes what is doubted into the file once more, out of the log, and syncs it. Throws where the disk refuses again. */
  mend(): void {
    if (this.doubted === 0) return;
    const file = this.descriptor();
    if (file === null) throw new Error(`${this.path} can’t be opened`);
    copyAgain(`${this.path}-wal`, file, this.doubted);
    this.doubted = 0;
    this.kept?.close();
    this.kept = null;
  }

  /** The same, for one more. */
  shared(): OpenFile {
    this.users++;
    return this;
  }

  close(): void {
    this.users--;
    // What is kept is a connection, whose locks would go with it.
    if (this.users > 0 || this.opened === null || this.kept !== null) return;
    closeSync(this.opened);
    // Whoever follows one that has been closed opens it again.
    this.opened = null;
  }
}

/** The places of numbers in a log (https://www.sqlite.org/fileformat2.html, section 4.1), each in four bytes. */
const HEADER = { length: 32, pageSize: 8, salts: 16 };
const FRAME = { length: 24, page: 0, salts: 8 };

/**
 * Writes what the first `frames` frames of a log hold into the file once more, and syncs it: after a disk has refused to
 * sync, the system takes the pages for written that it has lost. Throws what the system says where it refuses again.
 */
function copyAgain(log: string, file: number, frames: number): void {
  const from = openSync(log, 'r');
  try {
    const header = read(from, HEADER.length, 0);
    const size = header.readUInt32BE(HEADER.pageSize);
    const salts = header.subarray(HEADER.salts, HEADER.salts + 8);
    const latest = new Map<number, number>();
    for (let i = 0; i < frames; i++) {
      const at = HEADER.length + i * (FRAME.length + size);
      const frame = read(from, FRAME.length, at);
      if (!frame.subarray(FRAME.salts, FRAME.salts + 8).equals(salts))
        throw new Error(`Frame ${i + 1} of ${frames} is not of this log`);
      latest.set(frame.readUInt32BE(FRAME.page), at + FRAME.length);
    }
    for (const [page, at] of latest)
      if (writeSync(file, read(from, size, at), 0, size, (page - 1) * size) < size)
        throw new Error('A page could not be written whole');
    fdatasyncSync(file);
  } finally {
    closeSync(from);
  }
}

function read(file: number, length: number, at: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, at) < length) throw new Error('The log is shorter than it was');
  return bytes;
}
