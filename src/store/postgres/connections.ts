import pg from 'pg';
import type { PoolFigures } from '../figures.ts';
import { StoreError } from '../store.ts';
import { Unsent } from './errors.ts';
import { TYPE_PARSERS } from './values.ts';

/** What a statement has given. */
export interface QueryResult {
  readonly rows: unknown[][];
  readonly count: number;
  /** What was done, as PostgreSQL says it: `COMMIT`. */
  readonly command: string;
}

/** A statement as it is sent; under a name it is prepared once for each connection. */
export interface Query {
  readonly text: string;
  readonly name?: string;
  readonly values?: ReadonlyArray<string | Buffer | null>;
}

/** How long a database may take to let a connection in, in milliseconds. */
export const CONNECT = 5000;
/** How long a prepared statement may go unanswered before its connection is given up, in milliseconds. */
export const STUCK = 30_000;
/** How many connections changes leave to reads, which then are not held up by changes that wait for one another. */
const RESERVED_FOR_READS = 2;

/** What a connection is taken for: a change may keep it for as long as it waits for others. */
export type Use = 'read' | 'change';

/** One connection. What is sent is on its way at once, and answered in its order: nothing waits for an answer to be sent. */
export class Link {
  private readonly client: pg.Client;
  /** True once it can’t be used any more. */
  broken = false;

  private constructor(client: pg.Client) {
    this.client = client;
    client.on('error', () => {
      this.broken = true;
    });
    client.on('end', () => {
      this.broken = true;
    });
  }

  /** Connects. Rejects with what the driver says, which knows the password: `unusable` tells it without. */
  static async open(config: pg.ClientConfig): Promise<Link> {
    const client = new pg.Client({
      ...config,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT,
    });
    const link = new Link(client);
    try {
      await client.connect();
    } catch (error) {
      // A server that waits for a password would keep the connection, and with it the process, for a minute.
      client.end().catch(() => {});
      throw error;
    }
    return link;
  }

  /** Sends a statement; rejects with what PostgreSQL says. A rejection that nobody waits for is nobody’s. */
  send({ text, name, values }: Query): Promise<QueryResult> {
    if (this.broken) {
      const unsent = Promise.reject(new Unsent('The connection has ended.'));
      unsent.catch(() => {});
      return unsent;
    }
    // What makes tables and indexes has no name, and may take as long as it takes.
    const prepared = name && { name, query_timeout: STUCK };
    const query = { text, ...prepared, values: values as unknown[], rowMode: 'array', types: TYPE_PARSERS };
    const answer = new Promise<QueryResult>((resolve, reject) => {
      this.client.query(query as unknown as pg.QueryArrayConfig, (error, result) => {
        if (error) reject(error);
        else resolve({ rows: result.rows as unknown[][], count: result.rowCount ?? 0, command: result.command });
      });
    });
    answer.catch(() => {});
    return answer;
  }

  /** What the other side of this connection says to be: the process of a server, unless a pooler says it. */
  get peer(): number | null {
    return (this.client as pg.Client & { readonly processID: number | null }).processID;
  }

  onNotice(heard: (payload: string) => void): void {
    this.client.on('notification', ({ payload }) => heard(payload ?? ''));
  }

  onEnd(ended: () => void): void {
    this.client.on('end', ended);
  }

  async close(): Promise<void> {
    this.broken = true;
    await this.client.end().catch(() => {});
  }
}

/** The connections of one store. */
export class Links {
  private readonly open: () => Promise<Link>;
  private readonly most: number;
  private readonly idle: Link[] = [];
  private readonly waiting: Array<{ resolve: (link: Link) => void; reject: (error: unknown) => void }> = [];
  private count = 0;
  /** How many more connections changes may take, and the changes that wait for one. */
  private changeSlots: number;
  private readonly changes: Array<() => void> = [];
  closed = false;

  /** `open` makes one that can be used; there are at most `most`. */
  constructor(open: () => Promise<Link>, most: number) {
    this.open = open;
    this.most = most;
    this.changeSlots = Math.max(1, most - RESERVED_FOR_READS);
  }

  /** One that nobody else uses until it is given back, for what it was taken for. */
  async take(use: Use = 'read'): Promise<Link> {
    if (use === 'read') return this.any();
    if (this.changeSlots > 0) this.changeSlots--;
    else await new Promise<void>((resolve) => this.changes.push(resolve));
    try {
      return await this.any();
    } catch (error) {
      this.ended();
      throw error;
    }
  }

  /** A change has ended: another that waits begins in its place. */
  private ended(): void {
    const next = this.changes.shift();
    if (next) next();
    else this.changeSlots++;
  }

  private async any(): Promise<Link> {
    if (this.closed) throw new StoreError('busy', 'The store has been closed.');
    for (let link = this.idle.pop(); link; link = this.idle.pop()) {
      if (!link.broken) return link;
      this.count -= 1;
    }
    if (this.count >= this.most) return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    this.count += 1;
    try {
      return await this.open();
    } catch (error) {
      this.count -= 1;
      this.pass();
      throw error;
    }
  }

  /** How many there are now, and how many wait for one. */
  get figures(): PoolFigures {
    const idle = this.idle.length;
    const waiting = this.waiting.length + this.changes.length;
    return { idle, used: this.count - idle, most: this.most, waiting };
  }

  give(link: Link, use: Use = 'read'): void {
    if (use === 'change') this.ended();
    if (link.broken || this.closed) {
      this.count -= 1;
      if (!link.broken) void link.close();
      this.pass();
      return;
    }
    const next = this.waiting.shift();
    if (next) next.resolve(link);
    else this.idle.push(link);
  }

  /** A place has become free: whoever waits longest has it. */
  private pass(): void {
    const next = this.waiting.shift();
    if (next) this.any().then(next.resolve, next.reject);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const begin of this.changes.splice(0)) begin();
    for (const { reject } of this.waiting.splice(0)) reject(new StoreError('busy', 'The store has been closed.'));
    await Promise.all(this.idle.splice(0).map((link) => link.close()));
  }
}
