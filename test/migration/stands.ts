import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openStore, type Place } from '../../src/cli/stores.ts';
import type { Plan } from '../../src/plan/step.ts';
import type { Operator } from '../../src/runtime/operator.ts';
import { PostgresServer } from '../postgres.ts';
import { type Contents, contents, fillWith, operateOn, Shelf } from './stock.ts';

/** Where rows stand that are brought to other documents: the same tests hold for every store. */
export interface Stand extends AsyncDisposable {
  /** The rows that all copies begin as. */
  readonly first: Place;
  fill(): Promise<void>;
  copy(): Promise<Place>;
  /** A place with nothing in it. */
  empty(): Promise<Place>;
  /** Changes something by hand. */
  run(place: Place, sql: string): Promise<void>;
  contents(place: Place): Promise<Contents>;
}

/** Runs the operator's commands on the rows in a place. */
export async function operateAt<T>(place: Place, plan: Plan, work: (operator: Operator) => Promise<T>): Promise<T> {
  return operateOn(await openStore(place, plan), plan, work);
}

export class SqliteStand implements Stand {
  private readonly shelf = new Shelf();

  get first(): Place {
    return { data: this.shelf.data };
  }

  fill(): Promise<void> {
    return this.shelf.fill();
  }

  async copy(): Promise<Place> {
    return { data: dirname(this.shelf.copy()) };
  }

  async empty(): Promise<Place> {
    return { data: this.shelf.directory() };
  }

  async run({ data }: Place, sql: string): Promise<void> {
    const db = new Database(join(data, 'ninefold.sqlite'));
    db.exec(sql);
    db.close();
  }

  async contents({ data }: Place): Promise<Contents> {
    return contents(join(data, 'ninefold.sqlite'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.shelf[Symbol.dispose]();
  }
}

export class PostgresStand implements Stand {
  private server: PostgresServer | null = null;
  private copies = 0;
  private readonly id = randomUUID().replaceAll('-', '');

  private get running(): PostgresServer {
    return this.server!;
  }

  get first(): Place {
    return this.place(this.named('first'));
  }

  /** All stands of a run, in one process or several, share the server. */
  private named(name: string): string {
    return `${name}_${this.id}`;
  }

  private place(database: string): Place {
    return { data: '', store: this.running.url(database) };
  }

  async fill(): Promise<void> {
    this.server = await PostgresServer.shared();
    await this.running.query('postgres', `CREATE DATABASE ${this.named('first')} STRATEGY FILE_COPY`);
    await fillWith((plan) => openStore(this.first, plan));
    await this.run(this.first, `UPDATE item SET status = 'open' WHERE name = 'bolt'`);
  }

  async copy(): Promise<Place> {
    const name = this.named(`copy_${++this.copies}`);
    await this.running.query('postgres', `CREATE DATABASE ${name} TEMPLATE ${this.named('first')} STRATEGY FILE_COPY`);
    return this.place(name);
  }

  async empty(): Promise<Place> {
    const name = this.named(`empty_${++this.copies}`);
    await this.running.query('postgres', `CREATE DATABASE ${name} STRATEGY FILE_COPY`);
    return this.place(name);
  }

  async run({ store }: Place, sql: string): Promise<void> {
    await this.running.query(store!, sql);
  }

  async contents({ store }: Place): Promise<Contents> {
    const client = new pg.Client({ connectionString: store! });
    await client.connect();
    const ask = async <T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> =>
      (await client.query<T>(sql, values)).rows;
    try {
      return await contentsAsked(ask);
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server?.[Symbol.asyncDispose]();
  }
}

type Ask = <T extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<T[]>;

/** Everything that a database holds, and that no schema but the usual one is in it. */
async function contentsAsked(ask: Ask): Promise<Contents> {
  const schemas = await ask('SELECT nspname FROM pg_namespace WHERE nspname LIKE $1', ['ninefold%']);
  const tables = await ask<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename COLLATE "C"`,
  );
  const made = [];
  const rows = [];
  for (const { tablename: table } of tables) {
    // It has no columns, and no rows.
    if (table === 'ninefold_gate') continue;
    const of = `(SELECT oid FROM pg_class WHERE relname = $1 AND relnamespace = 'public'::regnamespace)`;
    made.push({
      table,
      columns: await ask(
        `SELECT attname, format_type(atttypid, atttypmod), attnotnull, (SELECT collname FROM pg_collation c WHERE c.oid = attcollation)
           FROM pg_attribute WHERE attrelid = ${of} AND attnum > 0 AND NOT attisdropped ORDER BY attname`,
        [table],
      ),
      references: await ask(
        `SELECT conname, condeferrable, pg_get_constraintdef(oid) AS made FROM pg_constraint
           WHERE contype = 'f' AND conrelid = ${of} ORDER BY conname`,
        [table],
      ),
      // The index of a primary key keeps the name that the table had when it was made.
      indexes: await ask(
        `SELECT CASE WHEN indisprimary THEN 'primary' ELSE pg_get_indexdef(indexrelid) END AS made
           FROM pg_index WHERE indrelid = ${of} ORDER BY 1`,
        [table],
      ),
      triggers: await ask(
        `SELECT pg_get_triggerdef(oid) AS made FROM pg_trigger WHERE tgrelid = ${of} AND NOT tgisinternal ORDER BY 1`,
        [table],
      ),
    });
    rows.push({ table, rows: await ask(`SELECT * FROM "${table}" ORDER BY 1, 2`) });
  }
  return { schema: [schemas, made], rows };
}
