// Orders on Remult, an engine that makes a REST interface from the definition of an entity: other work than the peers'
// (no idempotency keys, events, versions, rates or problem details), over the same rows with the same durability.
import { hash, randomUUIDv7 } from 'node:crypto';
import express from 'express';
import { Entity, Fields, remult, SqlDatabase, Validators } from 'remult';
import { BetterSqlite3DataProvider } from 'remult/remult-better-sqlite3';
import { remultApi } from 'remult/remult-express';
import { announce, KEEP_ALIVE } from './orders/announce.ts';
import { openDataDirectory } from './orders/start.ts';
import { OrderStore } from './orders/store.ts';
import { NOTE_CHARACTERS, QUANTITY, SKU, STATUSES } from './orders/terms.ts';

@Entity<Order>('orders', {
  dbName: 'orders',
  allowApiRead: 'orders:read',
  allowApiInsert: 'orders:write',
  allowApiUpdate: 'orders:write',
  allowApiDelete: false,
  apiPrefilter: () => ({ customer: remult.user!.id }),
  saving: (order, { isNew, fields: { status } }) => {
    if (isNew) order.customer = remult.user!.id;
    else if (status.originalValue !== 'draft') status.error = 'This order cannot be placed';
  },
})
class Order {
  @Fields.id({ idFactory: () => randomUUIDv7() })
  id = '';

  @Fields.string({ allowApiUpdate: false })
  customer = '';

  @Fields.string({ validate: Validators.regex(SKU) })
  sku = '';

  @Fields.integer({ validate: [Validators.min(QUANTITY.least), Validators.max(QUANTITY.most)] })
  quantity = 0;

  @Fields.string({ allowNull: true, validate: Validators.maxLength(NOTE_CHARACTERS) })
  note: string | null = null;

  @Fields.string({ validate: Validators.in([...STATUSES]) })
  status = 'draft';

  @Fields.string({ allowApiUpdate: false })
  created = new Date().toISOString();

  @Fields.integer({ includeInApi: false })
  revision = 1;
}

const db = openDataDirectory();
const store = new OrderStore(db);
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(
  remultApi({
    rootPath: '',
    entities: [Order],
    dataProvider: new SqlDatabase(new BetterSqlite3DataProvider(db)),
    ensureSchema: false,
    logApiEndPoints: false,
    getUser: async (request) => {
      const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
      const holder = store.keyHolder(hash('sha256', key, 'buffer'));
      return holder && { id: holder.customer, roles: holder.scopes.split(' ') };
    },
  }),
);
const server = app.listen(0, '127.0.0.1', () => announce(server));
server.keepAliveTimeout = KEEP_ALIVE;
