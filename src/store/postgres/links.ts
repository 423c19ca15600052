import type { PoolFigures } from '../figures.ts';
import { type Change, StoreError } from '../store.ts';
import { type Link, STUCK } from './connections.ts';

/** How many connections changes leave to reads, which then are not held up by changes that wait for one another. */
const RESERVED_FOR_READS = 2;
/** How often connections are looked at on which something waits, in milliseconds. */
const LOOK_MS = 500;
/** After how long without an answer it is asked whether the server is still at it: longer than it waits for a lock. */
const SUSPECT_MS = 4000;
/** After how long a connection is given up where the server can't be asked, in milliseconds. */
const UNREACHABLE_MS = 8000;

/** The purpose of a connection: a change may keep it for as long as it waits for others. */
export type Use = 'read' | 'change';

/** Somebody who waits for a connection, or to be let through to one. */
interface Waiter<T> {
  readonly resolve: (given: T) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

/** The operations of a pool on the server. */
interface LinkSource {
  /** Opens a connection that can be used. */
  readonly open: () => Promise<Link>;
  /** Whether its server is the one to use still. */
  readonly isCurrent: (link: Link) => boolean;
  /** Which of these processes of the server are at work. Rejects where the server can't be asked. */
  readonly working: (processes: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** The connections of one store. */
export class Links {
  private readonly source: LinkSource;
  private readonly most: number;
  private readonly idle: Link[] = [];
  /** Connections that somebody uses, each with the change that it is used for. */
  private readonly used = new Map<Link, Change | null>();
  private readonly waiting = new Set<Waiter<Link>>();
  private count = 0;
  /** How many more connections changes may take, and the changes that wait for one. */
  private changeSlots: number;
  private readonly changes = new Set<Waiter<void>>();
  private looking: NodeJS.Timeout | null = null;
  private lookedAt = 0;
  private asking = false;
  closed = false;

  /** There are at most `most` connections. */
  constructor(source: LinkSource, most: number) {
    this.source = source;
    this.most = most;
    this.changeSlots = Math.max(1, most - RESERVED_FOR_READS);
  }

  /** One that nobody else uses until it is given back, for what it was taken for. Rejects once the change is given up. */
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

  /** Waits in a line for one's turn; who gives the change up leaves the line, and what was given by then goes `back`. */
  private wait<T>(line: Set<Waiter<T>>, change: Change | null, back: (given: T) => void): Promise<T> {
    let waiter: Waiter<T> | null = null;
    const turn = new Promise<T>((resolve, reject) => {
      waiter = { resolve, reject, since: performance.now() };
      line.add(waiter);
    });
    this.look();
    if (!change) return turn;
    return change.wait(turn).catch((error: unknown) => {
      if (!line.delete(waiter!)) turn.then(back, () => {});
      throw error;
    });
  }

  /** Lets the one through that has waited longest; false where nobody waits. */
  private next<T>(line: Set<Waiter<T>>, given: T): boolean {
    for (const waiter of line) {
      line.delete(waiter);
      waiter.resolve(given);
      return true;
    }
    return false;
  }

  /** A change has ended: another that waits begins in its place. */
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
    this.used.set(link, change);
    this.look();
    return link;
  }

  /** How many there are now, and how many wait for one. */
  get figures(): PoolFigures {
    const idle = this.idle.length;
    const waiting = this.waiting.size + this.changes.size;
    return { idle, used: this.count - idle, most: this.most, waiting };
  }

  give(link: Link, use: Use = 'read'): void {
    this.used.delete(link);
    if (use === 'change') this.ended();
    if (link.broken || this.closed || !this.source.isCurrent(link)) {
      this.count -= 1;
      if (!link.broken) void link.close();
      this.pass();
      return;
    }
    if (!this.next(this.waiting, link)) this.idle.push(link);
  }

  /** A place has become free: whoever waits longest has it. */
  private pass(): void {
    for (const waiter of this.waiting) {
      this.waiting.delete(waiter);
      this.any(null).then(waiter.resolve, waiter.reject);
      return;
    }
  }

  /** The server behind what is idle is not the one to use any more: whoever comes next connects again. */
  forget(): void {
    for (const link of this.idle.splice(0)) {
      this.count -= 1;
      void link.close();
    }
  }

  /** Looks at what waits, for as long as anything does. */
  private look(): void {
    if (this.looking) return;
    this.lookedAt = performance.now();
    this.looking = setInterval(() => {
      if (this.used.size === 0 && this.waiting.size === 0 && this.changes.size === 0) {
        clearInterval(this.looking!);
        this.looking = null;
        return;
      }
      const now = performance.now();
      const stalled = now - this.lookedAt > 2 * LOOK_MS;
      this.lookedAt = now;
      // Answers may have come while this process did not run: they are read first.
      if (!stalled) this.lookNow(now);
    }, LOOK_MS);
    this.looking.unref();
  }

  private lookNow(now: number): void {
    for (const line of [this.waiting, this.changes] as Set<Waiter<unknown>>[])
      for (const waiter of line) {
        if (now - waiter.since < STUCK) break;
        line.delete(waiter);
        waiter.reject(new StoreError('busy', 'No connection to the database became free.'));
      }
    const suspects: Link[] = [];
    for (const [link, change] of this.used) {
      const silent = link.unansweredFor(now);
      if (silent > STUCK) change?.giveUp();
      if (silent > SUSPECT_MS) suspects.push(link);
    }
    if (suspects.length && !this.asking) void this.ask(suspects);
  }

  /**
   * Gives up connections behind which nobody works any more, as after a failure of the server's machine, of which the
   * system would hear after a quarter of an hour. A commit that waits for its standby is waited for: PostgreSQL goes on
   * with it whether or not anybody does, and another in its place would wait as well.
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
        // It has been answered meanwhile.
        if (after < before) continue;
        if (working ? link.process !== null && !working.has(link.process) : after > UNREACHABLE_MS) link.drop();
      }
    } finally {
      this.asking = false;
    }
  }

  /** Closes all; what is used has so many milliseconds to be given back. */
  async close(grace = 1000): Promise<void> {
    this.closed = true;
    const closed = new StoreError('busy', 'The store has been closed.');
    for (const line of [this.changes, this.waiting] as Set<Waiter<unknown>>[]) {
      for (const { reject } of line) reject(closed);
      line.clear();
    }
    await Promise.all(this.idle.splice(0).map((link) => link.close()));
    const end = performance.now() + grace;
    while (this.used.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const link of this.used.keys()) link.drop();
    if (this.looking) clearInterval(this.looking);
    this.looking = null;
  }
}
