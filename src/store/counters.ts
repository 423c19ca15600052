/** A rate's decision on one request: whether it is allowed, how many more are, and when the window ends. */
export interface RateUse {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** A window, in the form that is kept over a restart. */
export type CounterRow = [policy: number, key: string, count: number, endsAt: number];

/** A key's window, linked with the others of its policy in the order in which they end. */
interface Window {
  readonly key: string;
  count: number;
  endsAt: number;
  earlier: Window | null;
  later: Window | null;
}

/** The windows of one policy. Their length is infinite until the first request sets it. */
interface Line {
  readonly policy: number;
  readonly windows: Map<string, Window>;
  /** Whether networks have counted together. */
  folds: boolean;
  windowMs: number;
  first: Window | null;
  last: Window | null;
}

const SWEPT_AT_ONCE = 2;

/**
 * How many windows of single networks a policy holds at once, of about 200 bytes each. Beyond that, networks are
 * counted by their wider network: each of four widths has an eighth as many windows.
 */
const MOST_WINDOWS = 200_000;

/**
 * Rate windows in memory (design 3.2, Limits). A key's window opens at its first counted request and lasts its stated
 * time exactly; refused requests don't count.
 *
 * Each call drops a few windows that have ended, so that at most the windows of the busiest recent window are held. A
 * window that ends later than a whole window from now comes from a clock that has jumped back: its end is moved to
 * there, so that its count still holds and nobody is locked out for longer than one window.
 */
export class Counters {
  readonly #most: number;
  readonly #lines = new Map<number, Line>();
  readonly #order: Line[] = [];
  #turn = 0;

  constructor(most = MOST_WINDOWS) {
    this.#most = most;
  }

  /** Number of windows, including those that have ended and are not dropped yet. */
  get size(): number {
    return this.#order.reduce((sum, line) => sum + line.windows.size, 0);
  }

  /**
   * Counts a request of a key against a policy's limit, if the limit leaves room for it.
   *
   * Takes the window's length and the time in milliseconds. Gives whether the request was counted, how many more the
   * window has room for, and the seconds until it ends, rounded up and at least 1. Under a limit below 1 nothing is
   * ever counted, and the seconds are those of a whole window.
   */
  take(policy: number, key: string, limit: number, windowMs: number, now: number): RateUse {
    const line = this.#line(policy);
    line.windowMs = windowMs;
    sweep(line, now);
    this.#sweepNext(now);
    let window = line.windows.get(key);
    let counted = key;
    if (window === undefined && (line.folds || line.windows.size >= this.#most)) {
      counted = this.#foldedIn(line, key, now);
      window = line.windows.get(counted);
    }
    if (window !== undefined && window.endsAt > now) {
      if (window.endsAt - now > windowMs) postpone(line, window, now + windowMs);
    } else if (limit < 1) {
      return { allowed: false, remaining: 0, resetSeconds: secondsUntil(now + windowMs, now) };
    } else if (window === undefined) {
      window = open(line, counted, now + windowMs);
    } else {
      window.count = 0;
      postpone(line, window, now + windowMs);
    }
    const allowed = window.count < limit;
    if (allowed) window.count += 1;
    const remaining = Math.max(0, Math.floor(limit - window.count));
    return { allowed, remaining, resetSeconds: secondsUntil(window.endsAt, now) };
  }

  /** Returns the windows that have not ended, as rows for `restore`. */
  snapshot(now: number): CounterRow[] {
    const rows: CounterRow[] = [];
    for (const { policy, windows, windowMs } of this.#order) {
      for (const { key, count, endsAt } of windows.values()) {
        if (endsAt > now) rows.push([policy, key, count, Math.min(endsAt, now + windowMs)]);
      }
    }
    return rows;
  }

  /** Restores the rows of a `snapshot`. A row replaces the window of its key, if there is one. */
  restore(rows: readonly CounterRow[]): void {
    const folded = rows.length >= this.#most;
    const inOrder = rows.toSorted((one, other) => one[3] - other[3]);
    for (const [policy, key, count, endsAt] of inOrder) {
      const line = this.#line(policy);
      line.folds ||= folded;
      const window = line.windows.get(key) ?? open(line, key, endsAt);
      window.count = count;
      postpone(line, window, endsAt);
    }
  }

  /**
   * The key by which a request of a network without a window is counted: the network’s own, or that of a wider network
   * while there is no room for more windows, or while the wider network’s window has not ended. So no network gets more
   * than the limit.
   */
  #foldedIn(line: Line, key: string, now: number): string {
    let counted = key;
    let room = this.#most;
    for (let wider = widerNetwork(key); wider !== null; wider = widerNetwork(wider)) {
      const window = line.windows.get(wider);
      if (line.windows.size >= room || (window !== undefined && window.endsAt > now)) counted = wider;
      room += this.#most / 8;
    }
    line.folds ||= counted !== key;
    return counted;
  }

  #line(policy: number): Line {
    const known = this.#lines.get(policy);
    if (known !== undefined) return known;
    const line: Line = {
      policy,
      windows: new Map(),
      folds: false,
      windowMs: Number.POSITIVE_INFINITY,
      first: null,
      last: null,
    };
    this.#lines.set(policy, line);
    this.#order.push(line);
    return line;
  }

  /** Sweeps one policy per call in turn, so that policies without requests are swept, too. */
  #sweepNext(now: number): void {
    this.#turn = this.#turn + 1 < this.#order.length ? this.#turn + 1 : 0;
    const line = this.#order[this.#turn];
    if (line !== undefined) sweep(line, now);
  }
}

/** Drops a few windows that have ended. Corrects the first ones where a jump of the clock keeps them from ending. */
function sweep(line: Line, now: number): void {
  for (let swept = 0; swept < SWEPT_AT_ONCE && line.first !== null; swept += 1) {
    const window = line.first;
    if (window.endsAt <= now) {
      unlink(line, window);
      line.windows.delete(window.key);
    } else if (window.endsAt - now > line.windowMs) {
      postpone(line, window, now + line.windowMs);
    } else {
      return;
    }
  }
}

function open(line: Line, key: string, endsAt: number): Window {
  const window: Window = { key, count: 0, endsAt, earlier: null, later: null };
  line.windows.set(key, window);
  append(line, window);
  return window;
}

/** Changes the end of a window, and moves the window to the end of the queue. */
function postpone(line: Line, window: Window, endsAt: number): void {
  window.endsAt = endsAt;
  unlink(line, window);
  append(line, window);
}

function append(line: Line, window: Window): void {
  window.earlier = line.last;
  window.later = null;
  if (line.last === null) line.first = window;
  else line.last.later = window;
  line.last = window;
}

function unlink(line: Line, window: Window): void {
  if (window.earlier === null) line.first = window.later;
  else window.earlier.later = window.later;
  if (window.later === null) line.last = window.earlier;
  else window.later.earlier = window.earlier;
}

function secondsUntil(end: number, now: number): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

/** The networks by which addresses are counted, as text: 64 bits of an IPv6 address, and all of an IPv4 address. */
const FORMS: ReadonlyArray<readonly [form: RegExp, wider: (kept: string) => string]> = [
  [/^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/, (kept) => `${kept}::/48`],
  [/^([0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/48$/, (kept) => `${kept}::/32`],
  [/^(\d+\.\d+\.\d+)\.\d+$/, (kept) => `${kept}.0/24`],
  [/^(\d+\.\d+)\.\d+\.0\/24$/, (kept) => `${kept}.0.0/16`],
];

/** The network of all addresses. */
const ALL = 'all networks';

const WIDEST = /^[0-9a-f]+:[0-9a-f]+::\/32$|^\d+\.\d+\.0\.0\/16$/;

/** The network that contains a network; null for the network of all, and for other keys, such as callers. */
function widerNetwork(key: string): string | null {
  for (const [form, wider] of FORMS) {
    const found = form.exec(key);
    if (found) return wider(found[1]!);
  }
  return WIDEST.test(key) ? ALL : null;
}
