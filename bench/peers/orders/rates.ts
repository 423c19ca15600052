import { RATE_SECONDS } from './terms.ts';

interface Window {
  count: number;
  endsAt: number;
}

/** What a rate says to one request. */
export interface Taken {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly seconds: number;
}

const SWEEP_ABOVE = 10_000;

/** Counts requests by a key: a window opens at the first one counted, and refused ones don't count. */
export class Rate {
  private readonly windows = new Map<string, Window>();
  private readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  take(key: string, now: number): Taken {
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      if (!window && this.windows.size >= SWEEP_ABOVE) this.sweep(now);
      window = { count: 0, endsAt: now + RATE_SECONDS * 1000 };
      this.windows.set(key, window);
    }
    const allowed = window.count < this.count;
    if (allowed) window.count++;
    return {
      allowed,
      remaining: this.count - window.count,
      seconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    };
  }

  /** Forgets every request. */
  forget(): void {
    this.windows.clear();
  }

  private sweep(now: number): void {
    for (const [key, window] of this.windows) if (window.endsAt <= now) this.windows.delete(key);
  }
}
