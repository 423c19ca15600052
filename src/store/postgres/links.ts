import type { PoolFigures } from '../figures.ts';
import { type Change, StoreError } from '../store.ts';
import { type Link, STUCK } from './connections.ts';
import { Line } from './line.ts';

/** Number of connections that only reads may use, so that changes which wait for one another do not delay reads. */
const RESERVED_FOR_READS = 2;
/** How often connections with unanswered statements are checked, in milliseconds. */
const LOOK_MS = 500;
/** How long a statement may be unanswered before its server process is checked: longer than a wait for a lock. */
const SUSPECT_MS = 4000;
/**
 * How long a statement may be unanswered if the server cannot be asked; then the connection is given up, in
 * milliseconds.
 */
const UNREACHABLE_MS = 8000;

/** The use of a connection: a change may keep its connection for as long as it waits for others. */
export type Use = 'read' | 'change';

/** The operations of a pool on the server. */
interface LinkSource {
  /** Opens a connection that can be used. */
  readonly open: () => Promise<Link>;
  /** Whether the connection’s server is still the current one. */
  readonly isCurrent: (link: Link) => boolean;
  /** Returns the server processes, out of those given, that are running. Rejects where the server cannot be asked. */
  readonly working: (processes: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** The connections of one store. */
export class Links {
  private readonly source: LinkSource;
  private readonly most: number;
  private readonly idle: Link[] = [];
  /** Connections in use, each with its change: few, and changed in place, as a line is a ring. */
  private readonly used: { link: Link; change: Change | null }[] = [];
  private readonly waiting = new Line<Link>();
  private count = 0;
  /** Number of further connections that changes may take, and the changes that wait for one. */
  private changeSlots: number;
  private readonly changes = new Line<void>();
  private looking: NodeJS.Timeout | null = null;
  private lookedAt = 0;
  private asking = false;
  closed = false;

  /** `most`: the largest number of connections. */
  constructor(source: LinkSource, most: number) {
    this.source = source;
    this.most = most;
    this.changeSlots = Math.max(1, most - RESERVED_FOR_READS);
  }

  /** Takes a connection, for exclusive use until it is given back. Rejects once the change is given up. */
  async take(use: Use = 'read', change: Change | null = null): Promise<Link> {
    if (use === 'read') return this.any(null);
    if (this.changeSlots > 0) this.changeSlots--;
    else await this.wait(this.changes, change, () => this.ended());
    try {
      return await this.any(change);
    } catch (error) {
      this.ended();
      throw error;
    }
  }

  /**
   * Waits in a queue. If the change is given up, it leaves the queue, and a value that arrives after that goes to
   * `back`.
   */
  private wait<T>(line: Line<T>, change: Change | null, back: (given: T) => void): Promise<T> {
    const { promise: turn, resolve, reject } = Promise.withResolvers<T>();
    const waiter = line.join(resolve, reject);
    this.look();
    if (!change) return turn;
    return change.wait(turn).catch((error: unknown) => {
      if (!line.leave(waiter)) turn.then(back, () => {});
      throw error;
    });
  }

  /** Resolves the oldest waiter of a queue; false if there is none. */
  private next<T>(line: Line<T>, given: T): boolean {
    const waiter = line.shift();
    waiter?.resolve(given);
    return waiter !== null;
  }

  /** To be called when a change has ended: the oldest waiting change begins. */
  private ended(): void {
    if (!this.next(this.changes, undefined)) this.changeSlots++;
  }

  private async any(change: Change | null): Promise<Link> {
    if (this.closed) throw new StoreError('busy', 'The store has been closed.');
    for (let link = this.idle.pop(); link; link = this.idle.pop()) {
      if (!link.broken && this.source.isCurrent(link)) return this.using(link, change);
      if (!link.broken) void link.close();
      this.count -= 1;
    }
    if (this.count >= this.most)
      return this.using(await this.wait(this.waiting, change, (link) => this.give(link)), change);
    this.count += 1;
    try {
      return this.using(await this.source.open(), change);
    } catch (error) {
      this.count -= 1;
      this.pass();
      throw error;
    }
  }

  private using(link: Link, change: Change | null): Link {
    // A waiter that `pass` has served uses a connection which counts as used since it was opened.
    const known = this.used.find((one) => one.link === link);
    if (known) known.change = change;
    else this.used.push({ link, change });
    this.look();
    return link;
  }

  /** Numbers of connections and of waiting callers. */
  get figures(): PoolFigures {
    const idle = this.idle.length;
    const waiting = this.waiting.size + this.changes.size;
    return { idle, used: this.count - idle, most: this.most, waiting };
  }

  give(link: Link, use: Use = 'read'): void {
    const at = this.used.findIndex((one) => one.link === link);
    link.stuckMs = STUCK;
    // Where its caller has left meanwhile, nobody has begun to use it.
    if (at >= 0) this.used.splice(at, 1);
    if (use === 'change') this.ended();
    if (link.broken || this.closed || !this.source.isCurrent(link)) {
      this.count -= 1;
      if (!link.broken) void link.close();
      this.pass();
      return;
    }
    if (!this.next(this.waiting, link)) this.idle.push(link);
  }

  /** Gives a free place to the caller that has waited longest. */
  private pass(): void {
    const waiter = this.waiting.shift();
    if (waiter) this.any(null).then(waiter.resolve, waiter.reject);
  }

  /** Closes idle connections, since their server is no longer the current one. Later callers connect again. */
  forget(): void {
    for (const link of this.idle.splice(0)) {
      this.count -= 1;
      void link.close();
    }
  }

  /** Checks waiting callers and connections regularly, as long as there are any. */
  private look(): void {
    if (this.looking) return;
    this.lookedAt = performance.now();
    this.looking = setInterval(() => {
      if (this.used.length === 0 && this.waiting.size === 0 && this.changes.size === 0) {
        clearInterval(this.looking!);
        this.looking = null;
        return;
      }
      const now = performance.now();
      const stalled = now - this.lookedAt > 2 * LOOK_MS;
      this.lookedAt = now;
      // Answers may have arrived while this process was suspended: they are read first.
      if (!stalled) this.lookNow(now);
    }, LOOK_MS);
    this.looking.unref();
  }

  private lookNow(now: number): void {
    const stuck = new StoreError('busy', 'No connection to the database became free.');
    this.waiting.rejectThoseBefore(now - STUCK, stuck);
    this.changes.rejectThoseBefore(now - STUCK, stuck);
    const suspects: Link[] = [];
    for (const { link, change } of this.used) {
      const silent = link.unansweredFor(now);
      if (silent > link.stuckMs) change?.giveUp();
      if (silent > SUSPECT_MS) suspects.push(link);
    }
    if (suspects.length && !this.asking) void this.ask(suspects);
  }

  /**
   * Drops connections whose server process has ended, as after a failure of the server’s machine, which the system
   * would report only after a quarter of an hour. A commit that waits for its standby is kept: PostgreSQL completes it
   * with or without the connection, and a repeated commit would wait as well.
   */
  private async ask(suspects: readonly Link[]): Promise<void> {
    this.asking = true;
    const silent = new Map(suspects.map((link) => [link, link.unansweredFor(performance.now())]));
    try {
      const processes = suspects.flatMap(({ process }) => process ?? []);
      const working = await this.source.working(processes).catch(() => null);
      const now = performance.now();
      for (const [link, before] of silent) {
        const after = link.unansweredFor(now);
        // An answer has arrived meanwhile.
        if (after < before) continue;
        if (working ? link.process !== null && !working.has(link.process) : after > UNREACHABLE_MS) link.drop();
      }
    } finally {
      this.asking = false;
    }
  }

  /** Closes all connections; those in use have `grace` milliseconds to be given back. */
  async close(grace = 1000): Promise<void> {
    this.closed = true;
    const closed = new StoreError('busy', 'The store has been closed.');
    this.changes.rejectThoseBefore(Number.POSITIVE_INFINITY, closed);
    this.waiting.rejectThoseBefore(Number.POSITIVE_INFINITY, closed);
    await Promise.all(this.idle.splice(0).map((link) => link.close()));
    const end = performance.now() + grace;
    while (this.used.length > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const { link } of this.used) link.drop();
    if (this.looking) clearInterval(this.looking);
    this.looking = null;
  }
}
