import { PostgresServer } from '../../test/postgres.ts';
import { TABLES } from '../peers/orders/postgres/schema.ts';
import type { Durable, Storage, TableRows } from './storage.ts';

/** Full durability, as PostgreSQL has by itself; a log of every conflict would take time from the servers. */
const SETTINGS = { fsync: 'on', synchronous_commit: 'on', max_connections: '200', log_min_messages: 'log' };

/** What Ninefold's nodes know of each other and of the rates, which every round begins without. */
const FORGET = 'TRUNCATE ninefold_node, ninefold_rate, ninefold_share';

/** A statement takes at most 65,535 values. */
const VALUES = 60_000;

/** Databases of a PostgreSQL server of the bench's own, whose files are in a directory. */
export class PostgresStorage implements Storage {
  readonly version: string;
  private readonly server: PostgresServer;
  private readonly made: string[] = [];

  private constructor(server: PostgresServer, version: string) {
    this.server = server;
    this.version = version;
  }

  /** Starts the server, which ends with this process. */
  static async start(data: string): Promise<PostgresStorage> {
    // An interruption that a terminal sends is for the bench, which reports what it has measured.
    const server = await PostgresServer.start(SETTINGS, false, { parent: data, detached: true });
    const [row] = await server.query<{ version: string }>(
      'postgres',
      "SELECT current_setting('server_version') AS version",
    );
    return new PostgresStorage(server, row!.version);
  }

  get databasePid(): number | null {
    return this.server.pid ?? null;
  }

  async create(rows: string, like?: string): Promise<string> {
    const origin = like === undefined ? '' : `TEMPLATE template_${like} STRATEGY FILE_COPY`;
    await this.server.query('postgres', `CREATE DATABASE template_${rows} ${origin}`);
    this.made.push(rows);
    return this.server.url(`template_${rows}`);
  }

  async fill(tables: readonly TableRows[]): Promise<void> {
    await this.server.query('template_orders', TABLES);
    for (const { into, rows } of tables) {
      const width = rows[0]!.length;
      const most = Math.floor(VALUES / width);
      for (let from = 0; from < rows.length; from += most) {
        const some = rows.slice(from, from + most);
        const places = some.map((_, i) => `(${Array.from({ length: width }, (_, j) => `$${i * width + j + 1}`)})`);
        await this.server.query('template_orders', `INSERT INTO ${into} VALUES ${places}`, some.flat());
      }
    }
  }

  async settle(): Promise<void> {
    for (const rows of this.made) {
      if (rows !== 'orders') await this.server.query(`template_${rows}`, FORGET);
      await this.server.query(`template_${rows}`, 'VACUUM (FREEZE, ANALYZE)');
    }
  }

  async copy(rows: string, name: string): Promise<string> {
    const copy = `run_${name.replaceAll('-', '_')}`;
    await this.server.query('postgres', `DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`);
    await this.server.query('postgres', `CREATE DATABASE ${copy} TEMPLATE template_${rows} STRATEGY FILE_COPY`);
    return this.server.url(copy);
  }

  readonly durable: Durable = {
    unit: 'bytes of log on the disk',
    read: async () => {
      const sql = "SELECT (pg_current_wal_flush_lsn() - '0/0')::float8 AS bytes";
      return (await this.server.query<{ bytes: number }>('postgres', sql))[0]!.bytes;
    },
  };

  close(): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}
