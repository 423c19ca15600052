import { hash, randomUUIDv7 } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIo } from '../src/cli/io.ts';
import { withOperator } from '../src/cli/open.ts';
import { databaseFile as ninefoldFile } from '../src/cli/stores.ts';
import { Connection } from './load/connection.ts';
import { type Dataset, ORDERS, skuOf } from './load/requests.ts';
import { createTables, openDatabase } from './peers/orders/schema.ts';
import { databaseFile } from './peers/orders/start.ts';
import { type Order, PLACED_WITHOUT_NOTE } from './peers/orders/terms.ts';
import { Running, type Where } from './process.ts';
import { serverOf } from './servers.ts';
import { datasetFile } from './setup.ts';

const CUSTOMERS = 100;
const CONNECTIONS = 64;
const SCOPES = ['orders:read', 'orders:write'];
const READER_SCOPES = ['orders:read'];
/** One order in so many of each customer’s is placed. */
const PLACED_EVERY = 10;
const NOTED_EVERY = 4;

/** Clients make their keys at random: they come in no order. */
const keyOf = (order: number): string => `${skuOf(order)}-seed`;

export interface Customer {
  readonly id: string;
  readonly key: string;
}

/** Stores with rows that nobody has touched, to be copied for each run, and what the rows are. */
export interface Templates {
  readonly dataset: Dataset;
  directory(rows: string): string;
}

/**
 * Makes the rows: customers by Ninefold's own commands, orders by requests to Ninefold itself. The peers are given the
 * same rows, events and kept answers, under the same identities, so that every server can be asked the same.
 */
export async function makeRows(count: number, where: Where): Promise<Templates> {
  const directory = (rows: string): string => join(where.data, 'template', rows);
  rmSync(join(where.data, 'template'), { recursive: true, force: true });
  const ninefold = directory('ninefold');
  mkdirSync(ninefold, { recursive: true });
  const { customers, reader } = await addCustomers(where.document, ninefold, CUSTOMERS);
  const running = await Running.start(serverOf('ninefold')!, { ...where, data: ninefold, pinned: false });
  let orders: Order[];
  try {
    orders = await addOrders(count, customers, running.port);
  } finally {
    await running.stop();
  }
  forgetCounts(ninefoldFile(ninefold));
  givePeers(directory('orders'), { customers, reader, orders });
  const drafts = orders.flatMap(({ status, quantity }, i) =>
    status === 'draft' && quantity <= PLACED_WITHOUT_NOTE ? [i] : [],
  );
  const dataset: Dataset = {
    customers,
    reader,
    orders: orders.map(({ id }, i) => ({ id, customer: i % CUSTOMERS })),
    drafts,
  };
  writeFileSync(datasetFile(where.data), JSON.stringify(dataset));
  return { dataset, directory };
}

/** Copies rows to a place where a server may change them. */
export function copyRows(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

export interface Keys {
  readonly customers: readonly Customer[];
  readonly reader: string;
}

/** Adds customers, each with a key, by the operator's commands. */
export async function addCustomers(document: string, data: string, count: number): Promise<Keys> {
  const customers: Customer[] = [];
  let reader = '';
  await withOperator(document, { data }, processIo(), async (operator) => {
    for (let i = 0; i < count; i++) {
      const id = randomUUIDv7();
      const fields = { id, name: `Customer ${i}`, email: `customer${i}@example.com` };
      await operator.add('Customer', new Map(Object.entries(fields)));
      const { key } = await operator.issueKey('Customer', id, SCOPES);
      customers.push({ id, key });
    }
    reader = (await operator.issueKey('Customer', customers[0]!.id, READER_SCOPES)).key;
  });
  return { customers, reader };
}

async function addOrders(count: number, customers: readonly Customer[], port: number): Promise<Order[]> {
  const orders: Order[] = new Array(count);
  let next = 0;
  const failed = Promise.withResolvers<never>();
  const work = async (): Promise<void> => {
    const connection = await Connection.open(port, failed.reject);
    while (next < count) {
      const i = next++;
      orders[i] = await addOrder(i, customers[i % CUSTOMERS]!, connection);
    }
    connection.close();
  };
  await Promise.race([Promise.all(Array.from({ length: CONNECTIONS }, work)), failed.promise]);
  return orders;
}

async function addOrder(i: number, { key }: Customer, connection: Connection): Promise<Order> {
  const own = Math.floor(i / CUSTOMERS);
  const note = own % NOTED_EVERY === 0 ? { note: `Leave it with flat ${i % 90}` } : {};
  const body = JSON.stringify({ sku: skuOf(i), quantity: 10 + (i % 90), ...note });
  const post = async (path: string, headers: string, sent: string): Promise<Order> => {
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${headers}`;
    const answer = await connection.ask(`${head}Content-Length: ${sent.length}\r\n\r\n${sent}`);
    if (answer.status >= 300) throw new Error(`Ninefold answers ${answer.status} to ${path}: ${answer.body}`);
    return JSON.parse(answer.body.toString()) as Order;
  };
  const json = 'Content-Type: application/json\r\n';
  let order = await post(ORDERS.list.split('?')[0]!, `Idempotency-Key: ${keyOf(i)}\r\n${json}`, body);
  if (own % PLACED_EVERY === 0) order = await post(`/orders/${order.id}/place`, '', '');
  return order;
}

/** The counts of the rates that a stop in good order has kept: every server begins with none. */
function forgetCounts(path: string): void {
  const db = openDatabase(path);
  db.exec('DELETE FROM ninefold_counter');
  db.close();
}

/** Fills the store that the peers share. */
function givePeers(data: string, rows: Keys & { readonly orders: readonly Order[] }): void {
  const { customers, reader, orders } = rows;
  mkdirSync(data, { recursive: true });
  const db = openDatabase(databaseFile(data));
  createTables(db);
  const customer = db.prepare('INSERT INTO customer VALUES (?, ?, ?)');
  const key = db.prepare('INSERT INTO api_key VALUES (?, ?, ?, NULL)');
  const insert = db.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const event = db.prepare('INSERT INTO event (id, type, row, at, data) VALUES (?, ?, ?, ?, ?)');
  const answer = db.prepare('INSERT INTO answer VALUES (?, ?, ?, 201, ?, ?, ?)');
  db.transaction(() => {
    for (const [i, one] of customers.entries()) {
      customer.run(one.id, `Customer ${i}`, `customer${i}@example.com`);
      key.run(hash('sha256', one.key, 'buffer'), one.id, SCOPES.join(' '));
    }
    key.run(hash('sha256', reader, 'buffer'), customers[0]!.id, READER_SCOPES.join(' '));
    for (const [i, one] of orders.entries()) {
      const at = Date.parse(one.created);
      const moves = one.status === 'draft' ? 0 : 1;
      insert.run(one.id, one.customer, one.sku, one.quantity, one.note ?? null, one.status, one.created, 1 + moves);
      const draft = JSON.stringify({ ...one, status: 'draft' });
      event.run(`evt_${randomUUIDv7()}`, 'order.opened', one.id, at, draft);
      if (moves) event.run(`evt_${randomUUIDv7()}`, 'order.placed', one.id, at, JSON.stringify(one));
      const print = hash('sha256', draft, 'buffer');
      answer.run(one.customer, keyOf(i), print, `/orders/${one.id}`, draft, at + 86_400_000);
    }
  })();
  db.close();
}
