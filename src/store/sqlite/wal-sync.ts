import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { Durations } from '../figures.ts';

/** From how many milliseconds on a sync is not waited for where somebody reads: below, handing it to another thread costs more. */
const LONG = 1;

/** And where nobody does. Who only writes waits in any case, and writes that came meanwhile share the next sync. */
const LONG_ALONE = 10;

/** Of so many syncs the middle one is what is expected of the next: a single one that takes long says nothing. */
const JUDGED = 5;

/** One sync in so many is waited for, however long they take: only such a one tells exactly how long that is. */
const MEASURED_EVERY = 32;

/**
 * Makes commits durable. SQLite writes them into its log and leaves the disk alone (`synchronous = NORMAL`, which never
 * harms what is stored, but may lose the latest commits): whoever has committed syncs here before anybody is told.
 *
 * Where the disk is fast, the sync is waited for. Where it isn't, another thread waits, and the service goes on.
 */
export class LogSync {
  private readonly log: number;
  private readonly durations: Durations;
  /** How long the latest syncs took, in milliseconds, and the middle one of them. */
  private lately: readonly number[] = new Array<number>(JUDGED).fill(0);
  private usual = 0;
  private unmeasured = 0;
  /** Whether the disk had much else to do when a sync was last asked about. */
  private busy = false;

  /** Of the database at `path`, which is open, so that it has a log. `durations` counts how long syncs take. */
  constructor(path: string, durations: Durations) {
    this.durations = durations;
    this.log = openSync(`${path}-wal`, 'r');
  }

  /**
   * Whether the next sync should not be waited for. `read` says whether somebody reads between syncs, and `busy` whether
   * the disk has much else to do: how long a sync takes then is no measure of the others.
   */
  takesLong(read: boolean, busy: boolean): boolean {
    this.busy = busy;
    if (busy && read) return true;
    if (this.usual <= (read ? LONG : LONG_ALONE)) return false;
    this.unmeasured++;
    return this.unmeasured % MEASURED_EVERY !== 0;
  }

  /** Syncs all that has been committed. Throws what the system says where it can't. */
  now(): void {
    const began = performance.now();
    fdatasyncSync(this.log);
    this.durations.since(began);
    this.took(performance.now() - began);
  }

  /** Syncs all that has been committed, on another thread; `done` hears how it went. */
  later(done: (error: Error | null) => void): void {
    const began = performance.now();
    fdatasync(this.log, (error) => {
      // Other work may have kept this thread from hearing of it: it took no longer than that, so that less counts.
      const most = performance.now() - began;
      if (!error && most < this.usual) this.took(most);
      if (!error) this.durations.since(began);
      done(error);
    });
  }

  private took(milliseconds: number): void {
    if (this.busy) return;
    this.lately = [...this.lately.slice(1), milliseconds];
    this.usual = this.lately.toSorted((a, b) => a - b)[JUDGED >> 1]!;
  }

  close(): void {
    closeSync(this.log);
  }
}
