import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../../plan/step.ts';
import type { Link } from '../../store/postgres/connections.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { type Machine, MovedStore } from './moved-store.ts';

/** Where the rows of a document’s own service are while it is tested: each store that is opened begins empty. */
export interface OwnStores {
  open(plan: Plan, machine: Machine): Promise<Store>;
  /** Removes the databases that were created. Called after the last store has been closed. */
  close(): Promise<void>;
}

/** A store that can’t be made for a test; the message says why. */
export class OwnStoreError extends Error {}

/** The stores of a name: `memory`, `sqlite`, or the address of a PostgreSQL database. Throws OwnStoreError. */
export function ownStoresOf(name: string): OwnStores {
  if (name === 'memory') return new MemoryStores();
  if (name === 'sqlite') return new FileStores();
  if (/^postgres(?:ql)?:\/\//.test(name) && URL.canParse(name)) return new OwnDatabase(name);
  throw new OwnStoreError(`“${name}” is not a store: memory, sqlite, or postgres://USER@HOST:PORT/DATABASE.`);
}

class MemoryStores implements OwnStores {
  async open(plan: Plan, machine: Machine): Promise<Store> {
    return new MovedStore(new SqliteStore(':memory:', plan, 'successor', machine), machine);
  }

  async close(): Promise<void> {}
}

/** Files in a directory of their own, which goes in the end. */
class FileStores implements OwnStores {
  private readonly directory = mkdtempSync(join(tmpdir(), 'ninefold-test-'));
  private opened = 0;

  async open(plan: Plan, machine: Machine): Promise<Store> {
    // The one before has been closed.
    for (const end of ['', '-wal', '-shm']) rmSync(this.file(end), { force: true });
    this.opened++;
    return new MovedStore(new SqliteStore(this.file(), plan, 'service', machine), machine);
  }

  async close(): Promise<void> {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private file(end = ''): string {
    return join(this.directory, `${this.opened}.sqlite${end}`);
  }
}

/** The rows of every table of the database but what says which tables there are, in one statement: their references hold at its end. */
const TABLES = `SELECT format('DELETE FROM %I', tablename) FROM pg_tables
  WHERE schemaname = current_schema() AND tablename <> 'ninefold_meta'`;

/**
 * A database of its own beside the one that is named, in which nothing is changed. It is emptied for each store: to make
 * another takes PostgreSQL a second.
 */
class OwnDatabase implements OwnStores {
  private readonly url: string;
  private readonly name = `ninefold_test_${randomBytes(8).toString('hex')}`;
  private inner: Store | null = null;
  private made = false;

  constructor(url: string) {
    this.url = url;
  }

  async open(plan: Plan, machine: Machine): Promise<Store> {
    if (this.inner) await this.run(this.address, emptied);
    else this.inner = await this.make(plan);
    return new MovedStore(this.inner, machine, 'stays open');
  }

  private async make(plan: Plan): Promise<Store> {
    await this.run(this.url, (link) => link.send({ text: `CREATE DATABASE ${this.name}` }));
    this.made = true;
    const { PostgresStore } = await import('../../store/postgres/store.ts');
    return PostgresStore.open(this.address, plan);
  }

  async close(): Promise<void> {
    await this.inner?.close();
    this.inner = null;
    if (this.made) await this.run(this.url, (link) => link.send({ text: `DROP DATABASE ${this.name} WITH (FORCE)` }));
    this.made = false;
  }

  private get address(): string {
    const url = new URL(this.url);
    url.pathname = `/${this.name}`;
    return url.href;
  }

  private async run(at: string, work: (link: Link) => Promise<unknown>): Promise<void> {
    const { readAddress } = await import('../../store/postgres/address.ts');
    const { connect } = await import('../../store/postgres/open.ts');
    const link = await connect(readAddress(at));
    try {
      await work(link);
    } catch (error) {
      const { message } = error as Error;
      throw new StoreError('failed', `A test makes a database of its own in PostgreSQL, and could not: ${message}.`);
    } finally {
      await link.close();
    }
  }
}

async function emptied(link: Link): Promise<void> {
  const { rows } = await link.send({ text: TABLES });
  const parts = rows.map(([text], i) => `emptied_${i} AS (${text})`);
  await link.send({ text: `WITH ${parts.join(', ')} SELECT 1` });
}
