import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { Durations } from '../figures.ts';

/**
 * From how many milliseconds on another thread makes the sync while requests read. A shorter sync costs less than that
 * thread.
 */
const LONG = 1;

/**
 * The limit in milliseconds while nobody reads. Writes wait for the sync in any case, and later writes share the next
 * sync.
 */
const LONG_ALONE = 10;

/** The number of syncs whose median is the estimate for the next one: a single slow sync proves nothing. */
const JUDGED = 5;

/** One of this many syncs is always awaited, since the duration of a sync can only be measured exactly in this way. */
const MEASURED_EVERY = 32;

/**
 * Makes commits durable. SQLite writes them into its log without a sync (`synchronous = NORMAL`, which never damages
 * the database, but may lose the latest commits). The store therefore syncs here after each commit, before it answers.
 *
 * On a fast disk, the store waits for the sync. On a slow one, another thread waits, and the service continues.
 */
export class LogSync {
  private readonly log: number;
  private readonly durations: Durations;
  /** The durations of the latest syncs in milliseconds, and their median. */
  private lately: readonly number[] = new Array<number>(JUDGED).fill(0);
  private usual = 0;
  private unmeasured = 0;
  /** Whether the disk was busy with other work when `takesLong` was last called. */
  private busy = false;

  /**
   * For the database at `path`, which must be open so that its log exists. `durations` collects the durations of syncs.
   */
  constructor(path: string, durations: Durations) {
    this.durations = durations;
    this.log = openSync(`${path}-wal`, 'r');
  }

  /**
   * Whether another thread should make the next sync. `read` says whether readers read between syncs, and `busy`
   * whether the disk has other work: durations of such syncs are not representative.
   */
  takesLong(read: boolean, busy: boolean): boolean {
    this.busy = busy;
    if (busy && read) return true;
    if (this.usual <= (read ? LONG : LONG_ALONE)) return false;
    this.unmeasured++;
    return this.unmeasured % MEASURED_EVERY !== 0;
  }

  /** Syncs all commits. Throws the system’s error on failure. */
  now(): void {
    const began = performance.now();
    fdatasyncSync(this.log);
    this.durations.since(began);
    this.took(performance.now() - began);
  }

  /** Syncs all commits on another thread; `done` receives the result. */
  later(done: (error: Error | null) => void): void {
    const began = performance.now();
    fdatasync(this.log, (error) => {
      // The event loop may have been late, so that the sync took at most this long: only shorter durations count.
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
