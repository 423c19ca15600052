import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Engine, folderOf } from '../engine.ts';
import { addIndexes } from '../rows.ts';

const databaseOf = (data: string): string => join(data, 'strapi.sqlite');

/** An order as Strapi shows one: its own id is a number, and “status” is a word of its own. */
interface Entry {
  readonly documentId: string;
  readonly createdAt: string;
  readonly state: string;
}

const order = ({ documentId, createdAt, state, ...more }: Entry): object => ({
  ...more,
  id: documentId,
  created: createdAt,
  status: state,
});

/** Strapi 5: a content type with the controller, routes and service that its generator writes. Its files are CommonJS. */
export const STRAPI: Engine = {
  name: 'strapi',
  title: 'Strapi 5',
  store: 'SQLite',
  made: 'A content type states the fields, and an API token is for all that its holder sends: creates and lists state the customer themselves. Whose rows a caller sees would take a policy or a controller in code. Indexes are SQL.',
  dialect: {
    orders: '/api/orders',
    list: '/api/orders?filters[customer][$eq]={customer}&sort=createdAt:desc,id:desc&pagination[limit]=20',
    draft: '{"data":{"customer":"{customer}","sku":"{sku}","quantity":{quantity}}}',
    place: { method: 'PUT', suffix: '', body: '{"data":{"state":"placed"}}' },
    refusedStatus: 400,
    placesAgain: true,
  },
  change: 'PUT',
  body: ({ status, ...fields }, customer) => ({
    data: { customer, ...fields, ...(status === undefined ? {} : { state: status }) },
  }),
  held(answer) {
    const { data } = answer as { data: Entry | Entry[] };
    return Array.isArray(data) ? data.map(order) : order(data);
  },
  async make({ orders, dataset }, directory) {
    const customers = join(directory, 'customers.json');
    const administrator = { email: 'admin@example.com', password: 'Not-a-secret-1' };
    writeFileSync(customers, JSON.stringify({ customers: dataset.customers, administrator }));
    const words = [join(folderOf(STRAPI), 'make.js'), '--data', directory, '--customers', customers];
    const env = { ...process.env, NODE_ENV: 'production' };
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
    rmSync(customers);
    if (status !== 0) throw new Error(`Strapi does not make its tables: ${stdout.slice(-2000)}`);
    fill(orders, databaseOf(directory));
  },
  async addReceiver({ data }, url) {
    // Its interface for that refuses receivers on this machine.
    const db = new Database(databaseOf(data));
    db.prepare('INSERT INTO strapi_webhooks (name, url, headers, events, enabled) VALUES (?, ?, ?, ?, 1)').run(
      'Tell',
      url,
      '{}',
      '["entry.create"]',
    );
    db.close();
  },
};

/** Copies the orders; Strapi keeps instants as milliseconds. */
function fill(orders: string, to: string): void {
  const db = new Database(to);
  db.prepare('ATTACH ? AS given').run(orders);
  db.exec(`
    INSERT INTO orders (document_id, customer, sku, quantity, note, state, created_at, updated_at, published_at)
    SELECT id, customer, sku, quantity, note, status, at, at, at FROM (
      SELECT *, CAST(round(unixepoch(created, 'subsec') * 1000) AS INTEGER) AS at FROM given.orders ORDER BY created, id
    )`);
  addIndexes(db, { created: 'created_at', status: 'state' });
  db.close();
}
