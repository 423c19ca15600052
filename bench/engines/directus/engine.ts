import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Dialect } from '../../load/requests.ts';
import { Running } from '../../process.ts';
import { type Engine, folderOf, type Given, PLACED, PLAIN, serverOfEngine } from '../engine.ts';
import { addIndexes } from '../rows.ts';
import { ADMIN, DATABASE } from './names.ts';

const COLLECTION = {
  collection: 'orders',
  schema: {},
  meta: {},
  fields: [
    field('id', 'uuid', { is_primary_key: true, length: 36, has_auto_increment: false }, { special: ['uuid'] }),
    field('customer', 'uuid', { is_nullable: false }, { special: ['user-created'] }),
    field('sku', 'string', { is_nullable: false }, ruled({ sku: { _regex: '^[A-Z]{3}-[0-9]{4}$' } })),
    field(
      'quantity',
      'integer',
      { is_nullable: false },
      ruled({ quantity: { _gte: 1 } }, { quantity: { _lte: 1000 } }),
    ),
    field('note', 'text', {}, {}),
    field('status', 'string', { is_nullable: false, default_value: 'draft' }, {}),
    field('created', 'timestamp', {}, { special: ['date-created'] }),
  ],
};

function field(name: string, type: string, schema: object, meta: object): object {
  return { field: name, type, schema, meta };
}

function ruled(...rules: object[]): object {
  return { required: true, validation: { _and: rules } };
}

const OWN = { customer: { _eq: '$CURRENT_USER' } };
/** What customers may do, as permissions of a policy state it. */
const RULES = [
  { action: 'read', fields: ['*'], permissions: OWN },
  { action: 'create', fields: ['sku', 'quantity', 'note'] },
  {
    action: 'update',
    fields: ['quantity', 'note', 'status'],
    permissions: { _and: [OWN, { status: { _eq: 'draft' } }] },
    validation: { _and: [{ status: { _in: ['draft', 'placed', 'cancelled'] } }] },
  },
];
/** What is left of them without a licence: rows, fields and values of a permission take one since version 12. */
const ACTIONS = RULES.map(({ action }) => ({ action, fields: ['*'] }));

const DIALECT = {
  orders: '/items/orders',
  list: '/items/orders?limit=20&sort=-created,-id',
  place: PLACED,
  refusedStatus: 400,
  placesAgain: true,
  createdStatus: 200,
};

const RECORDS = 'Each create and change is recorded in its tables of activity and revisions, too.';

/** Directus 12 as it is without a licence. */
export const DIRECTUS: Engine = directus('directus', {
  title: 'Directus 12, no licence',
  made: `Everything is configured: a collection, and a user with a static token for each customer. A permission that states rows, fields or values is refused without a licence, so that the list states its customer itself. ${RECORDS}`,
  dialect: { ...DIALECT, list: `${DIALECT.list}&filter[customer][_eq]={customer}` },
  permissions: ACTIONS,
});

/** Directus 11, whose permissions state rows, fields and values without a licence key. */
export const DIRECTUS_11: Engine = directus('directus-11', {
  title: 'Directus 11',
  made: `Everything is configured: a collection, a user with a static token for each customer, and permissions that state rows, fields and values. ${RECORDS}`,
  dialect: DIALECT,
  permissions: RULES,
});

interface Version {
  readonly title: string;
  readonly made: string;
  readonly dialect: Dialect;
  readonly permissions: readonly object[];
}

/** Collections, users and permissions are rows of its own database, and there is no code. */
function directus(name: string, { title, made, dialect, permissions }: Version): Engine {
  const engine: Engine = {
    ...PLAIN,
    name,
    title,
    store: 'SQLite',
    made,
    dialect,
    held: (answer) => (answer as { data?: unknown }).data,
    async make(given, directory) {
      const bootstrap = [join(folderOf(engine), 'bootstrap.js'), '--data', directory];
      const { status, stdout } = spawnSync(process.execPath, bootstrap, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`Directus does not make its tables: ${stdout.slice(-2000)}`);
      const running = await Running.start(serverOfEngine(engine), { ...given.where, data: directory, pinned: false });
      try {
        await configure(running.port, given, permissions);
      } finally {
        await running.stop();
      }
      fill(given.orders, join(directory, DATABASE));
    },
    async addReceiver({ port }, url) {
      const flow = await ask(port, 'POST', '/flows', {
        name: 'Tell of orders',
        status: 'active',
        trigger: 'event',
        options: { type: 'action', scope: ['items.create'], collections: ['orders'] },
      });
      const operation = await ask(port, 'POST', '/operations', {
        flow: flow.id,
        name: 'Tell',
        key: 'tell',
        type: 'request',
        position_x: 20,
        position_y: 1,
        options: { method: 'POST', url, body: '{{ $trigger.payload }}', headers: [] },
      });
      await ask(port, 'PATCH', `/flows/${flow.id}`, { operation: operation.id });
    },
  };
  return engine;
}

async function configure(port: number, { dataset }: Given, permissions: readonly object[]): Promise<void> {
  await ask(port, 'POST', '/collections', COLLECTION);
  const policy = await ask(port, 'POST', '/policies', { name: 'Customers', app_access: false, admin_access: false });
  for (const permission of permissions)
    await ask(port, 'POST', '/permissions', { collection: 'orders', policy: policy.id, ...permission });
  const role = await ask(port, 'POST', '/roles', { name: 'Customer', policies: [{ policy: policy.id }] });
  for (const [i, { id, key }] of dataset.customers.entries())
    await ask(port, 'POST', '/users', { id, email: `customer${i}@example.com`, token: key, role: role.id });
}

/** Asks as the administrator. */
async function ask(port: number, method: string, path: string, body: object): Promise<{ id: string }> {
  const headers = { Authorization: `Bearer ${ADMIN}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Directus answers ${answer.status} to ${method} ${path}: ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { data: { id: string } }).data;
}

/** Copies the orders; Directus keeps instants as milliseconds. */
function fill(orders: string, to: string): void {
  const db = new Database(to);
  db.prepare('ATTACH ? AS given').run(orders);
  db.exec(`
    INSERT INTO orders (id, customer, sku, quantity, note, status, created)
    SELECT id, customer, sku, quantity, note, status, CAST(round(unixepoch(created, 'subsec') * 1000) AS INTEGER)
    FROM given.orders`);
  addIndexes(db);
  db.close();
}
