import { RateQuota } from '../rate-quota.ts';
import type { News } from '../store.ts';
import type { DatabaseClock } from './clock.ts';
import type { Link, Query, QueryResult } from './connections.ts';
import { type Notice, Notifier } from './notifier.ts';
import { RatePool } from './rates.ts';
import { POSTGRES_PLACING, POSTGRES_UNPLACED } from './system.ts';

/** How often a node gives a sign of life and completes the work that others left, in milliseconds. */
const BEAT = 1000;
/** How often the server of the notifications is checked, in beats. */
const CHECKED = 5;
/** How often expired data is deleted, in beats. */
const DROPPED = 30;

/** The queries of a node on the connections of its store. */
export interface NodeQueries {
  /** Sends one statement on any connection. */
  readonly send: (sent: Query) => Promise<QueryResult>;
  /** Sends several statements at once on one connection. */
  readonly sendAll: (all: readonly string[]) => Promise<void>;
  /** Opens a connection of the node’s own. */
  readonly open: () => Promise<Link>;
}

/** One process among those that share a database, with its shares of rates, and its notifications. */
export class Node {
  readonly shares: RateQuota;
  private readonly pool: RatePool;
  private readonly notifier: Notifier;
  private readonly queries: NodeQueries;
  private timer: NodeJS.Timeout | null = null;
  private starting: Promise<void> | null = null;
  private placing: Promise<void> | null = null;
  private next: Promise<void> | null = null;
  private beats = 0;
  private heard: (news: News) => void = () => {};

  constructor(name: string, queries: NodeQueries, clock: DatabaseClock) {
    this.queries = queries;
    this.notifier = new Notifier(name, queries, (told) => this.hears(told));
    this.pool = new RatePool(name, queries.send, clock, {
      ready: () => this.begin(),
      want: () => this.notifier.tell('wanted'),
    });
    this.shares = new RateQuota(this.pool);
  }

  /** Joins the other nodes, and gives signs of life from here on. Commands of the operator do not call this. */
  join(heard: (news: News) => void): void {
    this.heard = heard;
    void this.begin();
  }

  /** Resolves once other nodes know of this node: before, they could not ask for its shares. */
  begin(): Promise<void> {
    this.starting ??= (async () => {
      await this.pool.alive();
      this.timer = setInterval(() => void this.beat(), BEAT);
      this.timer.unref();
      await this.notifier.listen();
    })();
    this.starting.catch(() => {
      this.starting = null;
    });
    return this.starting;
  }

  tell(news: News): void {
    this.notifier.tell(news);
  }

  private hears(told: Notice): void {
    if (told === 'wanted') void this.giveUp().catch(() => {});
    else this.heard(told);
  }

  private async giveUp(): Promise<void> {
    for (const [policy, key] of await this.pool.wanted()) await this.shares.giveUp(policy, key);
  }

  private async beat(): Promise<void> {
    try {
      await this.pool.alive();
      await this.giveUp();
      // A node may have died between an event and its place.
      if ((await this.queries.send({ text: POSTGRES_UNPLACED })).rows.length) await this.place();
      this.beats++;
      if (this.beats % CHECKED === 0) await this.notifier.check();
      if (this.beats % DROPPED === 0) await this.pool.drop();
    } catch {
      // The database cannot be reached: the next beat tries again.
    }
  }

  /** Gives committed events their place in the stream, and notifies the other nodes. */
  place(): Promise<void> {
    if (!this.placing) {
      this.placing = this.placeNow().finally(() => {
        this.placing = null;
      });
      return this.placing;
    }
    // The running query may have missed later commits: one more query follows, for all calls that come meanwhile.
    this.next ??= this.placing
      .catch(() => {})
      .then(() => {
        this.next = null;
        return this.place();
      });
    return this.next;
  }

  private async placeNow(): Promise<void> {
    await this.queries.sendAll(POSTGRES_PLACING);
    this.notifier.tell('streamed');
  }

  async close(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    if (this.starting) {
      await this.starting.catch(() => {});
      await this.shares.close().catch(() => {});
      await this.pool.leave().catch(() => {});
    }
    await this.notifier.close();
  }
}
