import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

/** From how many milliseconds on a sync is worth not waiting for. Handing it to another thread costs a tenth of that. */
const LONG = 0.5;

/** How much of what is expected of the next sync comes from the last one. */
const LEARNED = 0.25;

/** One sync in so many is waited for, however long they take: only such a one tells exactly how long that is. */
const MEASURED_EVERY = 64;

/**
 * Makes commits durable. SQLite writes them into its log and leaves the disk alone (`synchronous = NORMAL`, which never
 * harms what is stored, but may lose the latest commits): whoever has committed syncs here before anybody is told.
 *
 * Where the disk is fast, the sync is waited for. Where it isn't, another thread waits, and the service goes on.
 */
export class LogSync {
  private readonly log: number | null;
  private usual = 0;
  private unmeasured = 0;

  /** Of the database at `path`, which is open, so that it has a log; null where it is in memory alone. */
  constructor(path: string | null) {
    this.log = path === null ? null : openSync(`${path}-wal`, 'r');
  }

  /** Whether the next sync should not be waited for. */
  takesLong(): boolean {
    if (this.usual <= LONG) return false;
    this.unmeasured++;
    return this.unmeasured % MEASURED_EVERY !== 0;
  }

  /** Syncs all that has been committed. Throws what the system says where it can't. */
  now(): void {
    if (this.log === null) return;
    const began = performance.now();
    fdatasyncSync(this.log);
    this.usual += (performance.now() - began - this.usual) * LEARNED;
  }

  /** Syncs all that has been committed, on another thread; `done` hears how it went. */
  later(done: (error: Error | null) => void): void {
    if (this.log === null) {
      done(null);
      return;
    }
    const began = performance.now();
    fdatasync(this.log, (error) => {
      // Other work may have kept this thread from hearing of it: it took no longer than that, so that less counts.
      const most = performance.now() - began;
      if (!error && most < this.usual) this.usual += (most - this.usual) * LEARNED;
      done(error);
    });
  }

  close(): void {
    if (this.log !== null) closeSync(this.log);
  }
}
