import { join } from 'node:path';
import { serveTesting } from './admin.ts';
import { argumentsOf, type Served } from './announce.ts';
import { Clock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import { Gate } from './gate.ts';
import { OrderLifecycle } from './lifecycle.ts';
import { createTables, type Db, openDatabase } from './schema.ts';
import { cursorSecret, OrderService } from './service.ts';
import { OrderStore } from './store.ts';
import { RATE, STATED_RATES } from './terms.ts';
import { EachAlone, Grouped } from './writers.ts';

export interface Orders extends Served {
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly service: OrderService;
  readonly lifecycle: OrderLifecycle;
  /** Whether bodies are looked through for what `JSON.parse` takes and RFC 8259 leaves open. */
  readonly strict: boolean;
}

/** Where a peer's rows are, inside its data directory. */
export const databaseFile = (data: string): string => join(data, 'orders.sqlite');

/** Opens the database in what `--data` names. */
export function openDataDirectory(): Db {
  const given = argumentsOf();
  const db = openDatabase(databaseFile(given.data));
  if (given.testing) {
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
  const given = argumentsOf();
  const db = openDataDirectory();
  const store = new OrderStore(db);
  if (given.grouped) {
    db.pragma('wal_autocheckpoint = 8000');
    db.pragma('temp_store = MEMORY');
  }
  const writer = given.grouped ? new Grouped(db) : new EachAlone(db);
  const clock = new Clock();
  const service = new OrderService(store, writer, cursorSecret('bench'), clock);
  const gate = new Gate(store, clock, given.testing ? STATED_RATES : { address: RATE, caller: RATE });
  const lifecycle = new OrderLifecycle(service, store, writer, clock);
  if (given.testing) new Dispatcher(store, clock, () => service.expireDue()).start();
  const orders: Orders = {
    store,
    clock,
    gate,
    service,
    lifecycle,
    strict: given.testing,
    serve(server) {
      if (given.testing) serveTesting(server, orders);
    },
  };
  return orders;
}
