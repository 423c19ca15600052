import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serveTesting } from './admin.ts';
import { Clock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import { Gate } from './gate.ts';
import { OrderLifecycle } from './lifecycle.ts';
import { createTables, type Db, openDatabase } from './schema.ts';
import { cursorSecret, OrderService } from './service.ts';
import { OrderStore } from './store.ts';
import { RATE, STATED_RATES } from './terms.ts';
import { EachAlone, Grouped } from './writers.ts';

export interface Orders {
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly service: OrderService;
  readonly lifecycle: OrderLifecycle;
  /** Whether bodies are looked through for what `JSON.parse` takes and RFC 8259 leaves open. */
  readonly strict: boolean;
}

/** How long an idle connection is kept, as Ninefold keeps it: the header tells it. */
export const KEEP_ALIVE = 60_000;

/** Where a peer's rows are, inside its data directory. */
export const databaseFile = (data: string): string => join(data, 'orders.sqlite');

const OPTIONS = {
  data: { type: 'string' },
  grouped: { type: 'boolean', default: false },
  /** The rates that orders.md states, webhooks, and the routes by which a test does what an operator does. */
  testing: { type: 'boolean', default: false },
} as const;

/** Opens the database in what `--data` names. */
export function openDataDirectory(): Db {
  const { values } = parseArgs({ options: OPTIONS });
  const db = openDatabase(databaseFile(values.data!));
  if (values.testing) {
    createTables(db);
    // Nothing that is tested has to outlast the machine.
    db.pragma('synchronous = OFF');
  }
  process.once('exit', () => db.close());
  return db;
}

/**
 * Opens what `--data` names; with `--grouped`, writes of one turn share a commit, and SQLite is set as Ninefold sets it,
 * so that what is left between the two is no setting.
 */
export function openOrders(): Orders {
  const { values } = parseArgs({ options: OPTIONS });
  const db = openDataDirectory();
  const store = new OrderStore(db);
  if (values.grouped) {
    db.pragma('wal_autocheckpoint = 8000');
    db.pragma('temp_store = MEMORY');
  }
  const writer = values.grouped ? new Grouped(db) : new EachAlone(db);
  const clock = new Clock();
  const service = new OrderService(store, writer, cursorSecret('bench'), clock);
  const gate = new Gate(store, clock, values.testing ? STATED_RATES : { address: RATE, caller: RATE });
  const lifecycle = new OrderLifecycle(service, store, writer, clock);
  if (values.testing) new Dispatcher(store, clock, () => service.expireDue()).start();
  return { store, clock, gate, service, lifecycle, strict: values.testing };
}

/** Says where a server listens, in the words that Ninefold says it, and ends it when it is told to. */
export function announce(server: Server, orders?: Orders): void {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.testing && orders) serveTesting(server, orders);
  const { port } = server.address() as AddressInfo;
  console.log(`Orders at http://127.0.0.1:${port}`);
  process.once('SIGTERM', () => process.exit(0));
}
