import type { Log } from './sqlite.log.ts';
import { StoreError } from './store.ts';

const NOT_SYNCED = new StoreError(
  'failed',
  'The disk has refused to sync what was written: nothing is read or written until it does.',
);

/** How long after a failed sync the next attempt is made to have everything on the disk, in milliseconds. */
const HEALING = 250;

/** Whether the disk holds what has been committed. */
export class Disk {
  private readonly log: Log;
  /** Whether it has refused to sync the log: then all of that has to be in the database's file first. */
  private unsynced = false;
  /** When it was last tried to have everything on the disk. */
  private tried = Number.NEGATIVE_INFINITY;

  constructor(log: Log) {
    this.log = log;
  }

  /** It has refused to sync the log. */
  refused(): void {
    this.unsynced = true;
    this.tried = performance.now();
  }

  /**
   * Throws where the disk doesn’t hold all: of the log, what couldn’t be synced is committed, and has been told to nobody
   * as done. Nothing is read or written until it is in the file: a disk that has refused a sync once may say that all is
   * well the next time, and have lost it.
   */
  mustHold(): void {
    if (!this.unsynced && !this.log.doubted) return;
    if (performance.now() - this.tried < HEALING) throw NOT_SYNCED;
    this.tried = performance.now();
    try {
      this.log.mend();
      if (this.unsynced && this.log.empty()) this.unsynced = false;
    } catch {
      throw NOT_SYNCED;
    }
    if (this.unsynced) throw NOT_SYNCED;
  }
}
