import type Database from 'better-sqlite3';
import { openDatabase } from './open.ts';

/**
 * The state that was durable before the latest commit: a connection of its own, that reads the state before it while the
 * transaction runs in pieces, or while its commit is being synced. Nobody is shown what could still be undone.
 */
export class PinnedReader {
  private readonly path: string;
  private connection: Database.Database | null = null;
  private begin: Database.Statement | null = null;
  private look: Database.Statement | null = null;
  private end: Database.Statement | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** Pins what is there now, unless something is pinned. */
  pin(): void {
    if (this.connection?.inTransaction) return;
    if (!this.connection) {
      const connection = openDatabase(this.path);
      this.begin = connection.prepare('BEGIN');
      // A snapshot is taken by the first statement that reads.
      this.look = connection.prepare('SELECT 1 FROM ninefold_meta LIMIT 1');
      this.end = connection.prepare('COMMIT');
      this.connection = connection;
    }
    this.begin!.run();
    this.look!.get();
  }

  /** Lets it go. */
  unpin(): void {
    if (this.connection?.inTransaction) this.end!.run();
  }

  /** Prepares a statement that another connection has, for rows as arrays. */
  prepare(sqlite: Database.Statement): Database.Statement {
    return this.connection!.prepare(sqlite.source).raw(true);
  }

  close(): void {
    this.unpin();
    this.connection?.close();
  }
}
