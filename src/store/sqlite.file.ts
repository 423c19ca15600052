import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * A database's file, opened beside SQLite. Closing it would let go of the locks that all connections of this process
 * hold on it (POSIX): stores that follow one another share it, and the last of them closes it.
 */
export class OpenFile {
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

  /** The same, for one more. */
  shared(): OpenFile {
    this.users++;
    return this;
  }

  close(): void {
    this.users--;
    if (this.users === 0 && this.opened !== null) closeSync(this.opened);
  }
}

/** The places of numbers in a log (https://www.sqlite.org/fileformat2.html, section 4.1), each in four bytes. */
const HEADER = { length: 32, pageSize: 8, salts: 16 };
const FRAME = { length: 24, page: 0, salts: 8 };

/**
 * Writes what the first `frames` frames of a log hold into the file once more, and syncs it: after a disk has refused to
 * sync, the system takes the pages for written that it has lost. Throws what the system says where it refuses again.
 */
export function copyAgain(log: string, file: number, frames: number): void {
  const bytes = readFileSync(log);
  const size = bytes.readUInt32BE(HEADER.pageSize);
  const salts = bytes.subarray(HEADER.salts, HEADER.salts + 8);
  const latest = new Map<number, number>();
  for (let i = 0; i < frames; i++) {
    const at = HEADER.length + i * (FRAME.length + size);
    if (!bytes.subarray(at + FRAME.salts, at + FRAME.salts + 8).equals(salts))
      throw new Error(`Frame ${i + 1} of ${frames} is not of this log`);
    latest.set(bytes.readUInt32BE(at + FRAME.page), at + FRAME.length);
  }
  for (const [page, at] of latest) writeSync(file, bytes, at, size, (page - 1) * size);
  fdatasyncSync(file);
}
