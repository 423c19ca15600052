// Orders on Feathers, in the form that its generator writes: a Knex service, TypeBox schemas, resolvers and hooks.
import { hash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AuthenticationBaseStrategy, AuthenticationService, authenticate } from '@feathersjs/authentication';
import { NotAuthenticated } from '@feathersjs/errors';
import { feathers } from '@feathersjs/feathers';
import { KnexService } from '@feathersjs/knex';
import { bodyParser, errorHandler, koa, parseAuthentication, rest } from '@feathersjs/koa';
import { Ajv, hooks, resolve } from '@feathersjs/schema';
import { getValidator, querySyntax, Type } from '@feathersjs/typebox';
import knex from 'knex';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
const db = knex({
  client: 'better-sqlite3',
  connection: { filename: join(values.data, 'orders.sqlite') },
  useNullAsDefault: true,
});

const closed = { additionalProperties: false };
const fields = {
  id: Type.String(),
  customer: Type.String(),
  sku: Type.String({ pattern: '^[A-Z]{3}-[0-9]{4}$' }),
  quantity: Type.Integer({ minimum: 1, maximum: 1000 }),
  note: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  status: Type.Union(['draft', 'placed', 'shipped', 'delivered', 'cancelled'].map((one) => Type.Literal(one))),
  created: Type.String(),
};
const order = Type.Object(fields, { $id: 'Order', ...closed });
const data = Type.Pick(order, ['sku', 'quantity', 'note'], { $id: 'OrderData', ...closed });
const patch = Type.Partial(Type.Pick(order, ['quantity', 'note', 'status']), { $id: 'OrderPatch', ...closed });
const query = Type.Intersect([querySyntax(order), Type.Object({}, closed)], { $id: 'OrderQuery', ...closed });
const ajv = new Ajv({});
// What queries hold is text, and what it means is stated by the schema.
const queryAjv = new Ajv({ coerceTypes: true });

const own = { customer: async (value, _order, { params }) => params.customer?.id ?? value };
const dataResolver = resolve({
  ...own,
  id: async () => randomUUID(),
  status: async () => 'draft',
  created: async () => new Date().toISOString(),
});

/** Knows callers by the hash of their key, as the guide's example of a strategy of one's own does. */
class KeyStrategy extends AuthenticationBaseStrategy {
  async authenticate({ token }) {
    const customer = await db('api_key')
      .where({ hash: hash('sha256', token, 'buffer') })
      .first('customer as id');
    if (!customer) throw new NotAuthenticated();
    return { authentication: { strategy: this.name }, customer };
  }

  async parse({ headers }) {
    const token = headers.authorization?.slice('Bearer '.length);
    return token ? { strategy: this.name, token } : null;
  }
}

const app = koa(feathers());
app.set('authentication', { secret: 'not-a-secret', entity: null, service: null, authStrategies: ['key'] });
app.use(errorHandler());
app.use(parseAuthentication());
app.use(bodyParser());
app.configure(rest());
const authentication = new AuthenticationService(app);
authentication.register('key', new KeyStrategy());
app.use('authentication', authentication);
app.use('orders', new KnexService({ Model: db, name: 'orders', paginate: { default: 20, max: 100 } }));
app.service('orders').hooks({
  around: { all: [authenticate('key')] },
  before: {
    all: [hooks.validateQuery(getValidator(query, queryAjv)), hooks.resolveQuery(resolve(own))],
    create: [hooks.validateData(getValidator(data, ajv)), hooks.resolveData(dataResolver)],
    patch: [hooks.validateData(getValidator(patch, ajv))],
  },
});
const server = await app.listen(0, '127.0.0.1');
if (!server.listening) await new Promise((listening) => server.once('listening', listening));
server.keepAliveTimeout = 60_000;
console.log(`Orders at http://127.0.0.1:${server.address().port}`);
process.once('SIGTERM', () => process.exit(0));
