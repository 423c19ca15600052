/** Runs work that may take long, so that it cannot take all that the service can do: the rest waits for its turn. */
export class ConcurrencyLimit {
  private readonly atOnce: number;
  private running = 0;
  private readonly waiting: Array<() => void> = [];

  constructor(atOnce: number) {
    this.atOnce = atOnce;
  }

  /** Rejects with the reason of `signal` where it is aborted before the work begins. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    while (this.running >= this.atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}
