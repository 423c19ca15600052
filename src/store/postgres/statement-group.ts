import pg from 'pg';

/** The part of the driver’s query that receives the messages of the server; its types leave it out. */
interface Receiver {
  name: string | undefined;
  text: string | undefined;
  portal: string;
  /** The driver puts its own here, which ends the timer of `query_timeout`. */
  callback: ((error?: Error) => void) | undefined;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}

/** The driver’s side of the protocol. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  readonly submittedNamedStatements: Record<string, string>;
  execute(portal: { readonly portal: string }): void;
  sync(): void;
}

type Callback = (error: Error | undefined, result: pg.QueryArrayResult) => void;

const Query = pg.Query as unknown as new (config: unknown, values?: unknown, callback?: Callback) => Receiver;

/** A statement of a group: no Sync follows it. */
class Member extends Query {
  _getRows(connection: Connection): void {
    connection.execute({ portal: this.portal });
  }
}

/**
 * Statements that are sent together, with one Sync after the last (PostgreSQL documentation, “Extended Query”): the server
 * sends all their answers at once, where it would send each by itself. After an error, it skips the statements that follow
 * in the group, and they fail with the same error.
 *
 * The driver has no such groups, so that this takes the place of one query of the driver, and hands each message on to the
 * statement that it is about. It relies on members that the driver does not document: its version is pinned.
 */
export class StatementGroup extends Query {
  private readonly members: Member[] = [];
  private done = 0;

  constructor() {
    super({ text: '' });
  }

  add(config: object, callback: Callback): void {
    this.members.push(new Member({ ...config, queryMode: 'extended' }, undefined, callback));
  }

  override submit(connection: Connection): Error | null {
    connection.stream.cork();
    for (const member of this.members) {
      const error = member.submit(connection);
      if (error) throw error;
    }
    connection.sync();
    connection.stream.uncork();
    this.point();
    return null;
  }

  /** The driver notes by its name that a statement has been prepared. */
  private point(): Member | undefined {
    const member = this.members[this.done];
    this.name = member?.name;
    this.text = member?.text;
    return member;
  }

  override handleRowDescription(message: unknown): void {
    this.members[this.done]!.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    this.members[this.done]!.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    const member = this.members[this.done++]!;
    this.point();
    member.handleCommandComplete(message, connection);
    member.handleReadyForQuery(connection);
  }

  override handleReadyForQuery(): void {
    this.callback?.();
  }

  override handleError(error: Error, connection: Connection): void {
    const left = this.members.slice(this.done);
    this.done = this.members.length;
    for (const member of left) {
      if (member.name) delete connection.submittedNamedStatements[member.name];
      member.handleError(error, connection);
    }
    this.callback?.(error);
  }
}
