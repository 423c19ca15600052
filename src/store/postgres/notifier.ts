import type { News } from '../store.ts';
import type { Link, Query, QueryResult } from './connections.ts';

/** A notification between nodes: news for the service, or `wanted`, by which a node asks for shares of a rate. */
export type Notice = News | 'wanted';

const CHANNEL = 'ninefold';
/** The delay before a lost connection is opened again, in milliseconds. */
const AGAIN = 500;
/** How long the server of the notifications may take to answer a check, in milliseconds. */
const CHECKED_WITHIN = 5000;
/** The delay before the next attempt after LISTEN has failed, in milliseconds: the database may not support it. */
const SELDOM = 10_000;

/**
 * Notifies other nodes of news, and receives theirs (LISTEN and NOTIFY). Only the delay depends on it: without
 * notifications, nodes poll the database every second.
 */
export class Notifier {
  private readonly queries: {
    readonly open: () => Promise<Link>;
    readonly send: (sent: Query) => Promise<QueryResult>;
  };
  private readonly heard: (told: Notice) => void;
  private readonly node: string;
  private link: Link | null = null;
  private closed = false;
  private timer: NodeJS.Timeout | null = null;
  /** Notifications that are being sent. A notification that is repeated meanwhile is sent once. */
  private readonly pending = new Set<string>();

  constructor(node: string, queries: Notifier['queries'], heard: (told: Notice) => void) {
    this.node = node;
    this.queries = queries;
    this.heard = heard;
  }

  /** Listens for notifications, or tries again later. */
  listen(): Promise<void> {
    return this.listening().catch(() => this.later(SELDOM));
  }

  private async listening(): Promise<void> {
    const link = await this.queries.open();
    link.onNotice((payload) => this.receive(payload));
    await link.send({ text: `LISTEN ${CHANNEL}` });
    if (this.closed) return link.close();
    this.link = link;
    link.onEnd(() => {
      this.link = null;
      this.later(AGAIN);
    });
    // Notifications may have been missed before.
    this.heard('any');
  }

  /** Checks that the server of the notifications answers and is the current one; otherwise connects to another. */
  async check(): Promise<void> {
    const { link } = this;
    if (!link) return;
    const { rows } = await link
      .send({ text: 'SELECT pg_is_in_recovery()' }, CHECKED_WITHIN)
      .catch(() => ({ rows: [] }));
    if (rows[0]?.[0] !== false) link.drop();
  }

  private later(milliseconds: number): void {
    if (this.closed || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.listen();
    }, milliseconds);
    this.timer.unref();
  }

  private receive(payload: string): void {
    const [from, what, due] = payload.split(' ');
    if (from === this.node) return;
    if (what === 'due' && /^\d{1,16}$/.test(due ?? '')) this.heard({ due: Number(due) });
    else if (what === 'streamed' || what === 'wanted' || what === 'any') this.heard(what);
  }

  /** Notifies the other nodes, outside of any transaction: NOTIFY within transactions would serialize their commits. */
  tell(told: Notice): void {
    const what = typeof told === 'object' ? `due ${told.due}` : told;
    if (this.closed || this.pending.has(what)) return;
    this.pending.add(what);
    const done = (): void => {
      this.pending.delete(what);
    };
    this.queries
      .send({ text: `SELECT pg_notify('${CHANNEL}', $1)`, values: [`${this.node} ${what}`] })
      .then(done, done);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.link?.close();
  }
}
