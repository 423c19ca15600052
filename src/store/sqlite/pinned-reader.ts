import type Database from 'better-sqlite3';
import { openDatabase } from './open.ts';

/**
 * A connection of its own that reads the state before the latest commit, which is durable, while a transaction runs in
 * pieces or its commit is synced. So no reader sees changes that may still be undone.
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

  /** Pins the present state, unless a state is pinned. */
  pin(): void {
    if (this.connection?.inTransaction) return;
    if (!this.connection) {
      const connection = openDatabase(this.path);
      this.begin = connection.prepare('BEGIN');
      // SQLite takes the snapshot at the first statement that reads.
      this.look = connection.prepare('SELECT 1 FROM ninefold_meta LIMIT 1');
      this.end = connection.prepare('COMMIT');
      this.connection = connection;
    }
    this.begin!.run();
    this.look!.get();
  }

  /** Unpins the state. */
  unpin(): void {
    if (this.connection?.inTransaction) this.end!.run();
  }

  /** Prepares another connection’s statement on this one, with rows as arrays. */
  prepare(sqlite: Database.Statement): Database.Statement {
    return this.connection!.prepare(sqlite.source).raw(true);
  }

  close(): void {
    this.unpin();
    this.connection?.close();
  }
}
