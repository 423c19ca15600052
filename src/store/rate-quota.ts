import type { RateUse } from './counters.ts';

/** The shared count’s reply to a node that requests a share of a window. */
export interface Granted {
  /** Number of requests that the node may let through. */
  readonly given: number;
  /** Number of further requests that no node has yet. */
  readonly free: number;
  /** The end of the window, which distinguishes it from the next one. */
  readonly endsAt: number;
  /** The remaining length of the window in milliseconds, at least as seen from the time of the request. */
  readonly left: number;
  /** True where other nodes may hold unused requests, which they give back when asked. */
  readonly held: boolean;
}

/** The count of a rate that nodes share. */
export interface Pool {
  /** Number of nodes, once `ready` has resolved. */
  readonly nodes: number;
  ready(): Promise<void>;
  /** Takes at most `most` requests from the window, which is opened if there is none. */
  ask(policy: number, key: string, rate: Rate, most: number): Promise<Granted>;
  /** Gives back unused requests. */
  giveBack(policy: number, key: string, endsAt: number, unused: number): Promise<void>;
}

export interface Rate {
  readonly count: number;
  readonly milliseconds: number;
}

interface QuotaShare {
  readonly policy: number;
  readonly key: string;
  endsAt: number;
  /** The time on the monotonic clock until which the share is valid: never after the end of the window. */
  until: number;
  /** The rate's number of requests when the share was last asked for: the number may depend on the request. */
  count: number;
  /** Number of requests that this node may still let through on its own. */
  left: number;
  free: number;
  /** True once no node has any requests left: until the window ends, all are refused. */
  over: boolean;
  /** True once another node has asked for this share: from then on, this node takes no requests in advance. */
  wanted: boolean;
  asking: Promise<void> | null;
  waiting: number;
}

/**
 * The part of the free requests that a node takes at once: each of the others, and the node itself, could take twice as
 * much again. So few requests are unused when the window is full, and few have to ask for one alone.
 */
const partOf = (free: number, nodes: number): number => Math.floor(free / (2 * nodes + 2));
/** Number of ended shares that each request drops, at most. */
const SWEPT = 2;
/** The largest number of a node’s shares: more are given back, and asked for again. */
const MOST_SHARES = 200_000;
/** The pause before asking again for requests that other nodes should give back, in milliseconds. */
const ASK_AGAIN = 10;

/**
 * Rate windows that nodes share, with exact limits. A node takes a share of a window’s requests, and counts by itself
 * while the share lasts. Before the node refuses a request, other nodes give back their unused ones.
 */
export class RateQuota {
  private readonly pool: Pool;
  private readonly shares = new Map<string, QuotaShare>();
  /** The shares that are still to be looked at, of those that there are. */
  private unswept: MapIterator<[string, QuotaShare]> = this.shares.entries();

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Counts a request of a key against a rate, if the rate has room for it: at once if this node has a share. */
  take(policy: number, key: string, rate: Rate): RateUse | Promise<RateUse> {
    const now = performance.now();
    this.sweep(now);
    if (rate.count < 1) return { allowed: false, remaining: 0, resetSeconds: seconds(rate.milliseconds) };
    const name = `${policy} ${key}`;
    let share = this.shares.get(name);
    if (share && share.until <= now && share.asking === null) {
      this.shares.delete(name);
      share = undefined;
    }
    if (!share) {
      share = {
        policy,
        key,
        endsAt: 0,
        until: 0,
        count: rate.count,
        left: 0,
        free: rate.count,
        over: false,
        wanted: false,
        asking: null,
        waiting: 0,
      };
      this.shares.set(name, share);
    }
    return this.counted(share, rate, now) ?? this.asked(share, rate);
  }

  /**
   * Counts a request if the share decides: its requests were given for this number or a smaller one, or no node has any
   * for this number or a greater one.
   */
  private counted(share: QuotaShare, { count }: Rate, now: number): RateUse | null {
    const decides = share.left > 0 ? count >= share.count : share.over && count <= share.count;
    if (share.until <= now || !decides) return null;
    const allowed = share.left > 0;
    if (allowed) share.left -= 1;
    const remaining = allowed ? share.left + share.free + count - share.count : 0;
    return { allowed, remaining, resetSeconds: seconds(share.until - now) };
  }

  private async asked(share: QuotaShare, rate: Rate): Promise<RateUse> {
    share.waiting += 1;
    try {
      for (;;) {
        share.asking ??= this.ask(share, rate);
        await share.asking;
        const taken = this.counted(share, rate, performance.now());
        if (taken) return taken;
      }
    } finally {
      share.waiting -= 1;
    }
  }

  private async ask(share: QuotaShare, rate: Rate): Promise<void> {
    try {
      await this.pool.ready();
      // A smaller number may be used up already: then what other nodes have used decides.
      if (share.left > 0 && rate.count < share.count) await this.returned(share);
      const part = share.wanted ? 1 : partOf(share.free, this.pool.nodes);
      const most = Math.max(1, part, share.waiting);
      const asked = performance.now();
      const { given, free, endsAt, left, held } = await this.pool.ask(share.policy, share.key, rate, most);
      if (endsAt !== share.endsAt) {
        share.wanted = false;
        share.left = 0;
      }
      share.endsAt = endsAt;
      share.until = asked + left;
      share.left += given;
      share.free = free;
      share.count = rate.count;
      share.over = given === 0 && !held;
      if (given === 0 && held) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
    } finally {
      share.asking = null;
    }
  }

  /** Gives back the node’s share of a window, for which another node has asked. */
  async giveUp(policy: number, key: string): Promise<void> {
    const share = this.shares.get(`${policy} ${key}`);
    if (!share) return this.pool.giveBack(policy, key, 0, 0);
    share.wanted = true;
    await share.asking?.catch(() => {});
    await this.returned(share);
  }

  private async returned(share: QuotaShare): Promise<void> {
    const { policy, key, endsAt, left } = share;
    share.left = 0;
    await this.pool.giveBack(policy, key, endsAt, left);
  }

  /** Gives back all shares, since the node stops. */
  async close(): Promise<void> {
    const held = [...this.shares.values()].filter((share) => share.left > 0);
    for (const share of held) await this.giveUp(share.policy, share.key);
  }

  /** If a request is not given back, it counts as used until its window ends. */
  private drop(name: string, { policy, key, left, endsAt }: QuotaShare): void {
    this.shares.delete(name);
    if (left > 0) this.pool.giveBack(policy, key, endsAt, left).catch(() => {});
  }

  /** Looks at some shares, each time at the next ones, and drops those whose windows have ended. */
  private sweep(now: number): void {
    for (let swept = 0; swept < SWEPT; swept++) {
      const { value, done } = this.unswept.next();
      if (done) {
        this.unswept = this.shares.entries();
        return;
      }
      const [name, share] = value;
      const isOneTooMany = this.shares.size > MOST_SHARES && share.asking === null && share.waiting === 0;
      if (isOneTooMany && share.until > now) this.drop(name, share);
      else if (share.until <= now && share.asking === null) this.shares.delete(name);
    }
  }
}

const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
