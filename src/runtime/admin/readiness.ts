import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Statement, type Store, StoreError } from '../../store/store.ts';

/** How long the store may take to answer whoever asks whether requests can be answered, in milliseconds. */
const TIMEOUT_MS = 1000;

/** Whether the rows can be asked now: by asking, since only that tells what stands in the way, or that nothing does. */
export class Readiness {
  private readonly store: Store;
  private readonly meta: Statement;
  /** The question that is on its way, which many may wait for. Never rejects. */
  private asking: Promise<string | null> | null = null;
  /** How many requests have been answered with success. */
  private answered = 0;

  constructor(store: Store) {
    this.store = store;
    this.meta = store.prepare({ kind: 'system', name: 'read meta' });
  }

  /** A request has been answered with this status. */
  note(status: number): void {
    if (status < 300) this.answered++;
  }

  /** Why the rows can’t be asked, in a sentence without a full stop; null where they can. Never rejects. */
  async ask(): Promise<string | null> {
    const { answered } = this;
    this.asking ??= this.askNow().finally(() => {
      this.asking = null;
    });
    const late = new AbortController();
    const why = await Promise.race([
      this.asking,
      sleep(TIMEOUT_MS, 'late' as const, { signal: late.signal }).catch(() => null),
    ]);
    late.abort();
    if (why !== 'late') return why;
    // Where others are answered meanwhile, there is only much to do: sent elsewhere, it would be too much there as well.
    return this.answered > answered ? null : 'the store has not answered within a second';
  }

  private async askNow(): Promise<string | null> {
    try {
      await this.store.read(() => call(this.meta, ['secret']));
      return null;
    } catch (error) {
      return error instanceof StoreError ? error.message.replace(/\.$/, '') : 'the store has failed';
    }
  }
}
