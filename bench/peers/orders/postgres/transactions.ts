import pg from 'pg';

/** What runs statements: a connection in a transaction, or any of the pool. */
export type Queries = Pick<pg.ClientBase, 'query'>;

/** SQLSTATEs of a transaction that has met another and may be run again: a serialization failure, a deadlock. */
const CONFLICTS = new Set(['40001', '40P01']);

/** How long a transaction is run again, as long as Ninefold does it. */
const RETRIED_MS = 15_000;

/** Thrown inside a transaction that found what another has just stored: run again, it finds it from the start. */
export class StoredMeanwhile extends Error {
  readonly code = '40001';
}

/** Transactions over a pool of ten connections, each run again from its start where it has met another. */
export class Transactions {
  /** How many were run again. */
  conflicts = 0;
  readonly isSerializable: boolean;
  private readonly pool: pg.Pool;

  constructor(url: string, isSerializable: boolean) {
    this.isSerializable = isSerializable;
    const options = isSerializable ? '-c default_transaction_isolation=serializable' : undefined;
    this.pool = new pg.Pool({ connectionString: url, max: 10, options });
    // A connection that is lost while it is idle is replaced by the pool.
    this.pool.on('error', () => {});
  }

  /** Runs a statement by itself. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.again(() => work(this.pool as Queries));
  }

  /** Runs work in a transaction; gives what the work gives, once the transaction is durable. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.again(async () => {
      const client = await this.pool.connect();
      try {
        await client.query('BEGIN');
        const value = await work(client);
        await client.query('COMMIT');
        client.release();
        return value;
      } catch (error) {
        // A connection that can't even roll back is not used again.
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.release(true),
        );
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private async again<T>(work: () => Promise<T>): Promise<T> {
    for (const begun = performance.now(); ; ) {
      try {
        return await work();
      } catch (error) {
        const { code } = error as { code?: string };
        if (!CONFLICTS.has(code ?? '') || performance.now() - begun > RETRIED_MS) throw error;
        this.conflicts++;
      }
    }
  }
}
