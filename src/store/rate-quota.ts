import type { RateUse } from './counters.ts';

/** The shared count’s reply to a node that requests a share of a window. */
export interface Granted {
  /** How many requests it may let through. */
  readonly given: number;
  /** How many more nobody has been given yet. */
  readonly free: number;
  /** When the window ends, which tells it from the next. */
  readonly endsAt: number;
  /** For how long it lasts, from when it was asked for at the least, in milliseconds. */
  readonly left: number;
  /** True where other nodes may hold some that they have not used: what is wanted of them, they give back. */
  readonly held: boolean;
}

/** A rate’s count that nodes share. */
export interface Pool {
  /** How many nodes there are, once it is ready. */
  readonly nodes: number;
  ready(): Promise<void>;
  /** Opens the window if there is none, and takes as many as there are, at most `most`. */
  ask(policy: number, key: string, rate: Rate, most: number): Promise<Granted>;
  /** Gives back what has not been used. */
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
  /** Until when it may be counted on, by a clock that only measures: never longer than the window lasts. */
  until: number;
  /** How many this node may still let through without asking. */
  left: number;
  free: number;
  /** True once nobody has any left: until the window ends there are no more. */
  over: boolean;
  /** True once another node has asked for what this one holds: from then on none is held beforehand. */
  wanted: boolean;
  asking: Promise<void> | null;
  waiting: number;
}

/**
 * Of what nobody has yet, a node takes at once what leaves twice as much for each of the others and itself: what it has
 * not used when the window is full is then little, and few requests have to ask for one alone.
 */
const partOf = (free: number, nodes: number): number => Math.floor(free / (2 * nodes + 2));
/** How many shares whose window has ended are dropped with each request. */
const SWEPT = 2;
/** How many shares a node holds at most: others are given back, and asked for again. */
const MOST_SHARES = 200_000;
/** How long to wait before asking again for what others have been asked to give back, in milliseconds. */
const ASK_AGAIN = 10;

/**
 * Rate windows that nodes share, exactly: a node holds part of what a window has room for and counts by itself for as
 * long as that lasts. Before it refuses, what others hold and have not used comes back.
 */
export class RateQuota {
  private readonly pool: Pool;
  private readonly shares = new Map<string, QuotaShare>();

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Counts a request of a key against a rate, if it leaves room for it: at once where this node holds a share. */
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
        left: 0,
        free: rate.count,
        over: false,
        wanted: false,
        asking: null,
        waiting: 0,
      };
      this.shares.set(name, share);
    }
    return this.counted(share, now) ?? this.asked(share, rate);
  }

  private counted(share: QuotaShare, now: number): RateUse | null {
    if (share.until <= now || (share.left === 0 && !share.over)) return null;
    const allowed = share.left > 0;
    if (allowed) share.left -= 1;
    return { allowed, remaining: share.left + share.free, resetSeconds: seconds(share.until - now) };
  }

  private async asked(share: QuotaShare, rate: Rate): Promise<RateUse> {
    share.waiting += 1;
    try {
      for (;;) {
        share.asking ??= this.ask(share, rate);
        await share.asking;
        const taken = this.counted(share, performance.now());
        if (taken) return taken;
      }
    } finally {
      share.waiting -= 1;
    }
  }

  private async ask(share: QuotaShare, rate: Rate): Promise<void> {
    try {
      await this.pool.ready();
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
      share.over = given === 0 && !held;
      if (given === 0 && held) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
    } finally {
      share.asking = null;
    }
  }

  /** Another node wants what this one holds of a window. */
  async giveUp(policy: number, key: string): Promise<void> {
    const share = this.shares.get(`${policy} ${key}`);
    if (!share) return this.pool.giveBack(policy, key, 0, 0);
    share.wanted = true;
    await share.asking?.catch(() => {});
    const { left, endsAt } = share;
    share.left = 0;
    await this.pool.giveBack(policy, key, endsAt, left);
  }

  /** Gives everything back: the node stops. */
  async close(): Promise<void> {
    const held = [...this.shares.values()].filter((share) => share.left > 0);
    for (const share of held) await this.giveUp(share.policy, share.key);
  }

  /** A request that is not given back counts as used until its window ends. */
  private drop(name: string, { policy, key, left, endsAt }: QuotaShare): void {
    this.shares.delete(name);
    if (left > 0) this.pool.giveBack(policy, key, endsAt, left).catch(() => {});
  }

  private sweep(now: number): void {
    let swept = 0;
    for (const [name, share] of this.shares) {
      if (swept++ >= SWEPT) return;
      const isOneTooMany = this.shares.size > MOST_SHARES && share.asking === null && share.waiting === 0;
      if (isOneTooMany && share.until > now) this.drop(name, share);
      else if (share.until > now || share.asking !== null) {
        // Shares whose windows have not ended move to the end of the line, so that the next look begins with others.
        this.shares.delete(name);
        this.shares.set(name, share);
      } else this.shares.delete(name);
    }
  }
}

const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));
