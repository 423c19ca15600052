import { closeSync, openSync } from 'node:fs';

/**
 * A database's file, opened beside SQLite. Closing it would let go of the locks that all connections of this process
 * hold on it (POSIX): stores that follow one another share it, and the last of them closes it.
 */
export class DatabaseFile {
  private readonly path: string;
  private opened: number | null = null;
  private users = 1;

  constructor(path: string) {
    this.path = path;
  }

  /** Its descriptor; the file is opened when it is first needed. Throws what the system says where it can’t be. */
  descriptor(): number {
    this.opened ??= openSync(this.path, 'r+');
    return this.opened;
  }

  /** The same, for one more. */
  shared(): DatabaseFile {
    this.users++;
    return this;
  }

  close(): void {
    this.users--;
    if (this.users > 0 || this.opened === null) return;
    closeSync(this.opened);
    // Whoever follows one that has been closed opens it again.
    this.opened = null;
  }
}
