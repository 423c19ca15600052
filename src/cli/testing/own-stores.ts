import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../../plan/step.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { type Machine, MovedStore } from './moved-store.ts';

/** Where the rows of a document’s own service are while it is tested: each store that is opened begins empty. */
export interface OwnStores {
  open(plan: Plan, machine: Machine): Promise<Store>;
  /** Removes what was made. Called once the last store has been closed. */
  close(): Promise<void>;
}

/** A store that can’t be made for a test; the message says why. */
export class OwnStoreError extends Error {}

/** The stores of a name: `memory`, `sqlite`, or the address of a PostgreSQL database. Throws OwnStoreError. */
export function ownStoresOf(name: string): OwnStores {
  if (name === 'memory') return new MemoryStores();
  if (name === 'sqlite') return new FileStores();
  if (/^postgres(?:ql)?:\/\//.test(name) && URL.canParse(name)) return new Databases(name);
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

/** Databases of their own beside the one that is named, in which nothing is changed. */
class Databases implements OwnStores {
  private readonly url: string;
  private readonly prefix = `ninefold_test_${randomBytes(6).toString('hex')}`;
  private made = 0;

  constructor(url: string) {
    this.url = url;
  }

  async open(plan: Plan, machine: Machine): Promise<Store> {
    await this.close();
    this.made++;
    await this.run(`CREATE DATABASE ${this.name}`);
    const { PostgresStore } = await import('../../store/postgres/store.ts');
    return new MovedStore(await PostgresStore.open(this.address(this.name), plan), machine);
  }

  async close(): Promise<void> {
    if (this.made > 0) await this.run(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }

  private get name(): string {
    return `${this.prefix}_${this.made}`;
  }

  private address(database: string): string {
    const url = new URL(this.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  private async run(text: string): Promise<void> {
    const { connect, readAddress } = await import('../../store/postgres/open.ts');
    const address = readAddress(this.url);
    const link = await connect(address);
    try {
      await link.send({ text });
    } catch (error) {
      const { message } = error as Error;
      throw new StoreError('failed', `${address.where} has to let the test create databases of its own: ${message}.`);
    } finally {
      await link.close();
    }
  }
}
