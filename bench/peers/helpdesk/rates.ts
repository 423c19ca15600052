interface Window {
  count: number;
  endsAt: number;
}

/** What a rate says to one request. */
export interface Taken {
  readonly allowed: boolean;
  readonly policy: string;
  readonly limit: string;
  readonly seconds: number;
}

const SWEEP_ABOVE = 10_000;

/** Counts requests by a key in fixed windows: a window opens at the first one, and refused ones don't count. */
export class Rate {
  private readonly windows = new Map<string, Window>();
  private readonly name: string;
  private readonly seconds: number;

  constructor(name: string, seconds: number) {
    this.name = name;
    this.seconds = seconds;
  }

  take(key: string, most: number): Taken {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      if (!window && this.windows.size >= SWEEP_ABOVE) this.sweep(now);
      window = { count: 0, endsAt: now + this.seconds * 1000 };
      this.windows.set(key, window);
    }
    const allowed = window.count < most;
    if (allowed) window.count++;
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    return {
      allowed,
      policy: `"${this.name}";q=${most};w=${this.seconds}`,
      limit: `"${this.name}";r=${Math.max(0, most - window.count)};t=${seconds}`,
      seconds,
    };
  }

  private sweep(now: number): void {
    for (const [key, window] of this.windows) if (window.endsAt <= now) this.windows.delete(key);
  }
}
