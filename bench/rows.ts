import { hash, randomUUIDv7 } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIo } from '../src/cli/io.ts';
import { withOperator } from '../src/cli/open.ts';
import { earlierDocument } from './document.ts';
import { Connection } from './load/connection.ts';
import { type Dataset, ORDERS, skuOf } from './load/requests.ts';
import { BEFORE } from './paths.ts';
import { type Order, PLACED_WITHOUT_NOTE } from './peers/orders/terms.ts';
import { Running, type Where } from './process.ts';
import { EARLIER, serverOf } from './servers.ts';
import { datasetFile } from './setup.ts';
import { placeOf, type Storage, type TableRows } from './storage/storage.ts';

const CUSTOMERS = 100;
/**
 * Few: while tables are small, new entries of an index share a page, and serializable transactions of PostgreSQL that run
 * at once conflict over it.
 */
const CONNECTIONS = 8;
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

/** Rows that nobody has touched, to be copied for each run, and what they are. */
export interface Templates {
  readonly dataset: Dataset;
  readonly storage: Storage;
}

/**
 * Makes the rows: customers by Ninefold's own commands, orders by requests to Ninefold itself. The peers are given the
 * same rows, events and kept answers, under the same identities, so that every server can be asked the same.
 */
export async function makeRows(
  count: number,
  where: Where,
  storage: Storage,
  isBesideEarlier = false,
): Promise<Templates> {
  const ninefold = serverOf('ninefold')!;
  // Rows that were made by the later one may have a form that the earlier one doesn't know.
  const maker = isBesideEarlier ? EARLIER : ninefold;
  const operator = isBesideEarlier ? await earlierOperator() : withOperator;
  const data = await storage.create(maker.rows!);
  const document = isBesideEarlier ? earlierDocument(where.document) : where.document;
  const { customers, reader } = await addCustomers(document, data, CUSTOMERS, operator);
  const running = await Running.start(maker, { ...where, data, pinned: false });
  let orders: Order[];
  try {
    orders = await addOrders(count, customers, running.port);
  } finally {
    await running.stop();
  }
  if (isBesideEarlier) {
    // It rewrites the rows when it starts, once for all rounds.
    const rewritten = await storage.create(ninefold.rows!, EARLIER.rows!);
    await (await Running.start(ninefold, { ...where, data: rewritten, pinned: false })).stop();
  }
  await storage.create('orders');
  await storage.fill(rowsOfPeers({ customers, reader, orders }));
  await storage.settle();
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
  return { dataset, storage };
}

export interface Keys {
  readonly customers: readonly Customer[];
  readonly reader: string;
}

/** Adds customers, each with a key, by the operator's commands. */
export async function addCustomers(
  document: string,
  data: string,
  count: number,
  operator = withOperator,
): Promise<Keys> {
  const customers: Customer[] = [];
  let reader = '';
  await operator(document, placeOf(data), processIo(), async (commands) => {
    for (let i = 0; i < count; i++) {
      const id = randomUUIDv7();
      const fields = { id, name: `Customer ${i}`, email: `customer${i}@example.com` };
      await commands.add('Customer', new Map(Object.entries(fields)));
      const { key } = await commands.issueKey('Customer', id, SCOPES);
      customers.push({ id, key });
    }
    reader = (await commands.issueKey('Customer', customers[0]!.id, READER_SCOPES)).key;
  });
  return { customers, reader };
}

/** The operator's commands as they were at the commit that `--before` names. */
async function earlierOperator(): Promise<typeof withOperator> {
  const module = (await import(join(BEFORE, 'dist', 'cli', 'open.js'))) as { withOperator: typeof withOperator };
  return module.withOperator;
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

/** The rows of the peers, in the order in which tables refer to each other. */
function rowsOfPeers({ customers, reader, orders }: Keys & { readonly orders: readonly Order[] }): TableRows[] {
  const key = (text: string, customer: string, scopes: readonly string[]): unknown[] => [
    hash('sha256', text, 'buffer'),
    customer,
    scopes.join(' '),
    null,
  ];
  const draftOf = (order: Order): string => JSON.stringify({ ...order, status: 'draft' });
  const event = (type: string, order: Order, data: string): unknown[] => {
    return [`evt_${randomUUIDv7()}`, type, order.id, Date.parse(order.created), data];
  };
  return [
    { into: 'customer', rows: customers.map(({ id }, i) => [id, `Customer ${i}`, `customer${i}@example.com`]) },
    {
      into: 'api_key',
      rows: [...customers.map((one) => key(one.key, one.id, SCOPES)), key(reader, customers[0]!.id, READER_SCOPES)],
    },
    {
      into: 'orders',
      rows: orders.map(({ id, customer, sku, quantity, note, status, created }) => {
        return [id, customer, sku, quantity, note ?? null, status, created, status === 'draft' ? 1 : 2];
      }),
    },
    {
      into: 'event (id, type, row, at, data)',
      rows: orders.flatMap((one) => {
        const opened = event('order.opened', one, draftOf(one));
        return one.status === 'draft' ? [opened] : [opened, event('order.placed', one, JSON.stringify(one))];
      }),
    },
    {
      into: 'answer',
      rows: orders.map((one, i) => {
        const draft = draftOf(one);
        const expires = Date.parse(one.created) + 86_400_000;
        return [one.customer, keyOf(i), hash('sha256', draft, 'buffer'), 201, `/orders/${one.id}`, draft, expires];
      }),
    },
  ];
}
