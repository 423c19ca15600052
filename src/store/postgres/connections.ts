import pg from 'pg';
import { Unsent } from './errors.ts';
import { StatementGroup } from './statement-group.ts';
import { TYPE_PARSERS } from './values.ts';

/** The result of a statement. */
export interface QueryResult {
  readonly rows: unknown[][];
  readonly count: number;
  /** The command, by its name in PostgreSQL: `COMMIT`. */
  readonly command: string;
  /** Whether PostgreSQL warned of the statement, such as of a commit that may not have reached a standby. */
  readonly warned: boolean;
}

/** A statement to send. A statement with a name is prepared once for each connection. */
export interface Query {
  readonly text: string;
  readonly name?: string;
  readonly values?: ReadonlyArray<string | Buffer | null>;
}

/** How long the database may take to accept a connection, in milliseconds. */
export const CONNECT = 5000;
/** How long a node’s statement may stay unanswered before its connection is given up, in milliseconds. */
export const STUCK = 30_000;
/**
 * How long a statement of a node may take, in milliseconds. The limit is below `STUCK`, so that no statement outlasts its
 * connection.
 */
export const STATEMENT = STUCK - 5000;

/** The end of a transaction, and a transaction that changes nothing but is committed like one that does. */
export const COMMIT = 'COMMIT';
export const TRY_COMMIT = "SELECT pg_logical_emit_message(true, 'ninefold', '')";

const isCommit = ({ text }: Query): boolean => text === COMMIT || text === TRY_COMMIT;

/** SQLSTATE of a warning without a code of its own: an operator has cancelled a commit’s wait for its standby. */
const WARNING = '01000';

/**
 * One connection. Each statement is sent at once, without waiting for the answers to earlier ones; answers come in
 * order.
 */
export class Link {
  private readonly client: pg.Client;
  /** True once the connection cannot be used any more. */
  broken = false;
  /** True for a session of a node, whose connection is given up if a statement stays unanswered for `stuckMs`. */
  bounded = false;
  /** How long a statement may stay unanswered, in milliseconds. A change with more patience raises it for its time. */
  stuckMs = STUCK;
  /**
   * The server’s process behind the connection, in a form that is unique even after restarts; null before it is read.
   */
  process: string | null = null;
  /** The timeline of the server; 0 before it is read. */
  timeline = 0;
  /** Number of sent statements, and of answered ones. */
  private sent = 0;
  private answered = 0;
  /**
   * The time, on the monotonic clock in milliseconds, of the last answer, or of the first statement that waits for one.
   */
  private progress = 0;
  /** The statements of a transaction that are sent at the end of the turn, and whether a commit is among them. */
  private group: StatementGroup | null = null;
  private groupCommits = false;
  /** The number of the last statement of which PostgreSQL has warned. */
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

  /**
   * Connects. Rejects with the driver’s error, which may contain the password; `unusable` describes the error without
   * it.
   */
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
      // A server that waits for a password would keep the connection, and so the process, for a minute.
      client.end().catch(() => {});
      throw error;
    }
    return link;
  }

  /**
   * Sends a statement; rejects with PostgreSQL’s error. A rejection that nothing awaits is not reported. `within` is
   * how long the statement may stay unanswered before the connection is given up, in milliseconds.
   */
  send(query: Query, within = this.bounded ? this.stuckMs : 0): Promise<QueryResult> {
    this.sendGroup();
    // A commit has no limit, since it may wait for a standby: on another connection, it would wait as well.
    const bound = within > 0 && !isCommit(query) ? { query_timeout: within } : null;
    return this.sendBy(query, (config, callback) =>
      this.client.query({ ...config, ...bound } as unknown as pg.QueryArrayConfig, callback),
    );
  }

  /**
   * Sends a statement of a transaction together with those that follow in the same turn. If one fails, those after it fail
   * with the same error, a COMMIT among them: the transaction is still to be rolled back.
   */
  sendInGroup(query: Query): Promise<QueryResult> {
    if (!this.group && !this.broken) {
      this.group = new StatementGroup();
      process.nextTick(() => this.sendGroup());
    }
    // The server’s `statement_timeout` bounds each statement; nothing bounds a group with a commit.
    this.groupCommits ||= isCommit(query);
    return this.sendBy(query, (config, callback) => this.group!.add(config, callback));
  }

  private sendGroup(): void {
    const { group } = this;
    if (!group) return;
    this.group = null;
    const bound = this.bounded && !this.groupCommits ? { query_timeout: this.stuckMs } : null;
    this.groupCommits = false;
    this.client.query(Object.assign(group, bound) as unknown as pg.Query);
  }

  private sendBy(
    { text, name, values }: Query,
    send: (config: object, callback: (error: Error | undefined, result: pg.QueryArrayResult) => void) => void,
  ): Promise<QueryResult> {
    if (this.broken) {
      const unsent = Promise.reject(new Unsent('The connection has ended.'));
      unsent.catch(() => {});
      return unsent;
    }
    if (this.sent === this.answered) this.progress = performance.now();
    const number = this.sent++;
    const answer = new Promise<QueryResult>((resolve, reject) => {
      send({ text, name, values, rowMode: 'array', types: TYPE_PARSERS }, (error, result) => {
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

  /** How long the oldest statement has been unanswered, in milliseconds; 0 if all have been answered. */
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

  /** Ends the connection without notifying the server. Unanswered statements reject as lost. */
  drop(): void {
    this.broken = true;
    (
      this.client as pg.Client & { readonly connection: { readonly stream: { destroy(): void } } }
    ).connection.stream.destroy();
  }
}
