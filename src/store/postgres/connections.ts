import pg from 'pg';
import { Unsent } from './errors.ts';
import { TYPE_PARSERS } from './values.ts';

/** The result of a statement. */
export interface QueryResult {
  readonly rows: unknown[][];
  readonly count: number;
  /** The command, by its name in PostgreSQL: `COMMIT`. */
  readonly command: string;
  /** True where PostgreSQL warned of it, as of a commit that may not have reached a standby. */
  readonly warned: boolean;
}

/** A statement as it is sent; under a name it is prepared once for each connection. */
export interface Query {
  readonly text: string;
  readonly name?: string;
  readonly values?: ReadonlyArray<string | Buffer | null>;
}

/** How long a database may take to let a connection in, in milliseconds. */
export const CONNECT = 5000;
/** How long a statement of a node may go unanswered before its connection is given up, in milliseconds. */
export const STUCK = 30_000;

/** The end of a transaction, and a transaction that changes nothing but is committed like one that does. */
export const COMMIT = 'COMMIT';
export const TRY_COMMIT = "SELECT pg_logical_emit_message(true, 'ninefold', '')";

/** SQLSTATE of a warning without one of its own: an operator has cancelled the wait of a commit for its standby. */
const WARNING = '01000';

/**
 * One connection. Each statement is sent at once, without waiting for the answers to earlier ones; answers come in
 * order.
 */
export class Link {
  private readonly client: pg.Client;
  /** True once it can’t be used any more. */
  broken = false;
  /** True for a session of a node, whose statements are given up once they are `STUCK`. */
  bounded = false;
  /** The process of the server behind it, as no other is known, once that has been asked for. */
  process: string | null = null;
  /** The timeline of its server; zero where nobody has asked. */
  timeline = 0;
  /** How many statements have been sent, and answered. */
  private sent = 0;
  private answered = 0;
  /** When the server last answered, or began to have something to answer: by the monotonic clock, in milliseconds. */
  private progress = 0;
  /** The number of the statement that PostgreSQL last warned of. */
  private warnedOf = -1;

  private constructor(client: pg.Client) {
    this.client = client;
    client.on('error', () => {
      this.broken = true;
    });
    client.on('end', () => {
      this.broken = true;
    });
    client.on('notice', ({ code }) => {
      if (code === WARNING) this.warnedOf = this.answered;
    });
  }

  /** Connects. Rejects with what the driver says, which knows the password: `unusable` tells it without. */
  static async open(config: pg.ClientConfig): Promise<Link> {
    const client = new pg.Client({
      ...config,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: CONNECT,
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

  /**
   * Sends a statement; rejects with what PostgreSQL says. A rejection that nobody waits for is nobody’s. `within` is how
   * long it may go unanswered before the connection is given up, in milliseconds.
   */
  send({ text, name, values }: Query, within = this.bounded ? STUCK : 0): Promise<QueryResult> {
    if (this.broken) {
      const unsent = Promise.reject(new Unsent('The connection has ended.'));
      unsent.catch(() => {});
      return unsent;
    }
    // A commit may wait for a standby: while its process is at it, another connection in its place would wait as well.
    const bound = within > 0 && text !== COMMIT && text !== TRY_COMMIT ? { query_timeout: within } : null;
    const query = { text, ...bound, name, values: values as unknown[], rowMode: 'array', types: TYPE_PARSERS };
    if (this.sent === this.answered) this.progress = performance.now();
    const number = this.sent++;
    const answer = new Promise<QueryResult>((resolve, reject) => {
      this.client.query(query as unknown as pg.QueryArrayConfig, (error, result) => {
        this.answered++;
        this.progress = performance.now();
        if (error) reject(error);
        else {
          const rows = result.rows as unknown[][];
          resolve({ rows, count: result.rowCount ?? 0, command: result.command, warned: this.warnedOf === number });
        }
      });
    });
    answer.catch(() => {});
    return answer;
  }

  /** For how long what was sent first has not been answered, in milliseconds; zero where nothing waits for an answer. */
  unansweredFor(now: number): number {
    return this.sent === this.answered ? 0 : now - this.progress;
  }

  /** The process ID that the server reported when the connection was opened; a pooler may report another. */
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

  /** Ends the connection without a word to the server: what waits for an answer hears that it was lost. */
  drop(): void {
    this.broken = true;
    (
      this.client as pg.Client & { readonly connection: { readonly stream: { destroy(): void } } }
    ).connection.stream.destroy();
  }
}
