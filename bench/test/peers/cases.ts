import { randomUUID } from 'node:crypto';
import type { Member, Scope, Stage, StagedOrder, State } from './stage.ts';

/** A request that a case sends: what a tool adds to the method and the path of the operation. */
export interface Call {
  readonly id?: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * One test as a team writes it from the OpenAPI description: an operation, one of its answers, and for refusals the code.
 * Every tool is given the same cases, in the form that its own documentation recommends.
 */
export interface Case {
  readonly name: string;
  readonly operation: Operation;
  readonly status: number;
  readonly code: string | null;
  arrange(stage: Stage): Promise<Call>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly scope: Scope;
  readonly status: number;
  /** The state of the order that the operation succeeds for; null where the path names none. */
  readonly state: State | null;
  readonly body: object | null;
}

const operation = (
  id: string,
  route: string,
  scope: Scope,
  status: number,
  state: State | null,
  body: object | null = null,
): Operation => {
  const [method = '', path = ''] = route.split(' ');
  return { id, method, path, scope, status, state, body };
};

const CREATE = operation('postOrders', 'POST /orders', 'orders:write', 201, null, { quantity: 13, note: 'note 11' });
const LIST = operation('getOrders', 'GET /orders', 'orders:read', 200, null);
const READ = operation('getOrdersById', 'GET /orders/{id}', 'orders:read', 200, 'draft');
const CHANGE = operation('patchOrdersById', 'PATCH /orders/{id}', 'orders:write', 200, 'draft', { quantity: 7 });
const REMOVE = operation('deleteOrdersById', 'DELETE /orders/{id}', 'orders:write', 204, 'cancelled');
const PLACE = operation('postOrdersByIdPlace', 'POST /orders/{id}/place', 'orders:write', 200, 'draft');
const CANCEL = operation('postOrdersByIdCancel', 'POST /orders/{id}/cancel', 'orders:write', 200, 'draft');
const SHIP = operation('postOrdersByIdShip', 'POST /orders/{id}/ship', 'orders:fulfil', 200, 'placed');
const DELIVER = operation('postOrdersByIdDeliver', 'POST /orders/{id}/deliver', 'orders:fulfil', 200, 'shipped');
const SUMMARY = operation('getSummary', 'GET /summary', 'orders:read', 200, null);
const OPERATIONS = [CREATE, LIST, READ, CHANGE, REMOVE, PLACE, CANCEL, SHIP, DELIVER, SUMMARY];

/** What a case is arranged from: a call that succeeds, and what it was made of. */
interface Ready {
  readonly stage: Stage;
  readonly member: Member;
  readonly order: StagedOrder | null;
  readonly call: Call;
}

type Turn = (ready: Ready) => Call | Promise<Call>;

/** Arranges a call of an operation that succeeds: a customer, and an order in the state that it needs. */
async function ready(stage: Stage, of: Operation, state = of.state, fields: object = {}): Promise<Ready> {
  const member = await stage.member();
  const order = state === null ? null : await stage.order(member, state, { ...fields });
  const headers: Record<string, string> = { Authorization: `Bearer ${await stage.key(member, [of.scope])}` };
  if (of.body) headers['Content-Type'] = 'application/json';
  if (of === CREATE) headers['Idempotency-Key'] = randomUUID();
  if (of === CHANGE && order) headers['If-Match'] = order.etag;
  const body = of.body && JSON.stringify({ ...(of === CREATE ? { sku: stage.sku() } : {}), ...of.body });
  const call = { ...(order ? { id: order.id } : {}), query: {}, headers, ...(body === null ? {} : { body }) };
  return { stage, member, order, call };
}

const header =
  (name: string, value: string | null): Turn =>
  ({ call }) => {
    const { [name]: _, ...others } = call.headers;
    return { ...call, headers: value === null ? others : { ...others, [name]: value } };
  };
const query =
  (name: string, value: string): Turn =>
  ({ call }) => ({ ...call, query: { [name]: value } });
const body =
  (members: object): Turn =>
  ({ call }) => ({ ...call, body: JSON.stringify({ ...JSON.parse(call.body ?? '{}'), ...members }) });
const text =
  (said: string): Turn =>
  ({ call }) => ({ ...call, body: said, headers: { ...call.headers, 'Content-Type': 'application/json' } });
const otherScopes =
  (of: Operation): Turn =>
  async (all) => {
    const scopes = (['orders:read', 'orders:write'] as const).filter((one) => one !== of.scope);
    return header('Authorization', `Bearer ${await all.stage.key(all.member, scopes)}`)(all);
  };

interface More {
  readonly state?: State;
  readonly fields?: object;
}

const refused = (of: Operation, status: number, code: string, what: string, turn: Turn, more: More = {}): Case => ({
  name: `${of.id} ${code}: ${what}`,
  operation: of,
  status,
  code,
  arrange: async (stage) => turn(await ready(stage, of, more.state ?? of.state, more.fields)),
});

const done = (of: Operation, what: string, turn: Turn, more: More = {}): Case => ({
  ...refused(of, of.status, '', what, turn, more),
  name: `${of.id} ${of.status}: ${what}`,
  code: null,
});

const asItIs: Turn = ({ call }) => call;

/** What every operation refuses. */
function refusals(of: Operation): Case[] {
  const wrong = (status: number, code: string, what: string, turn: Turn): Case => refused(of, status, code, what, turn);
  return [
    wrong(400, 'version_unknown', 'of no version', header('Orders-Version', '2020-01-01')),
    wrong(400, 'unknown_parameter', 'with a parameter', query('colour', 'red')),
    wrong(401, 'key_missing', 'without a key', header('Authorization', null)),
    wrong(401, 'key_unknown', 'with a key that nobody has', header('Authorization', `Bearer ${'A'.repeat(32)}`)),
    wrong(403, 'scope_missing', 'with a key of other scopes', otherScopes(of)),
    ...(of === REMOVE ? [] : [wrong(406, 'not_acceptable', 'for a browser', header('Accept', 'text/html'))]),
    wrong(410, 'version_retired', 'of a retired version', header('Orders-Version', '2024-12-01')),
    ...(of.state === null ? [] : namingNone(of)),
    ...(of.body ? bodies(of) : []),
    ...(of.body || of.method === 'GET' ? [] : [wrong(400, 'body_not_expected', 'with a body', text('{"quantity":1}'))]),
  ];
}

/** Paths that name no order that the caller sees. */
function namingNone(of: Operation): Case[] {
  const wrong = (what: string, turn: Turn): Case => refused(of, 404, 'order_not_found', what, turn);
  const others: Turn = async ({ stage, call, order }) => {
    const stranger = await stage.member();
    const key = await stage.key(stranger, [of.scope]);
    return { ...call, id: order?.id ?? '', headers: { ...call.headers, Authorization: `Bearer ${key}` } };
  };
  return [
    wrong('that is not there', ({ call }) => ({ ...call, id: randomUUID() })),
    // Who may fulfil orders sees those of all customers.
    ...(of.scope === 'orders:fulfil' ? [] : [wrong('of another', others)]),
  ];
}

/** Bodies that are refused. */
function bodies(of: Operation): Case[] {
  const wrong = (status: number, code: string, what: string, turn: Turn): Case => refused(of, status, code, what, turn);
  return [
    wrong(422, 'invalid_request', 'too small', body({ quantity: 0 })),
    wrong(422, 'invalid_request', 'too large', body({ quantity: 1001 })),
    wrong(422, 'invalid_request', 'of another type', body({ quantity: '3' })),
    wrong(422, 'invalid_request', 'too long', body({ note: 'n'.repeat(501) })),
    wrong(422, 'unknown_field', 'with another member', body({ colour: 'red' })),
    wrong(400, 'malformed_request', 'no JSON', text('{"sku":')),
    wrong(415, 'unsupported_media_type', 'plain text', header('Content-Type', 'text/plain')),
    wrong(415, 'unsupported_encoding', 'compressed', header('Content-Encoding', 'gzip')),
    wrong(413, 'request_too_large', 'too many bytes', body({ note: 'n'.repeat(70_000) })),
  ];
}

/** The caller has an open draft of the product that the request is about. */
const openAlready: Turn = async ({ stage, member, call }) => {
  const { sku } = await stage.order(member, 'draft');
  return body({ sku })({ stage, member, order: null, call });
};

const sentBefore =
  (otherwise: object): Turn =>
  async (all) => {
    const { stage, member, call } = all;
    const sent: unknown = JSON.parse(call.body ?? '{}');
    await stage.send('POST', '/orders', member.key, sent, call.headers['Idempotency-Key']);
    return body(otherwise)(all);
  };

const creating: readonly Case[] = [
  done(CREATE, 'with a note', asItIs),
  done(CREATE, 'the least', body({ quantity: 1, note: '' })),
  done(CREATE, 'the most', body({ quantity: 1000, note: 'n'.repeat(500) })),
  done(CREATE, 'without a note', body({ note: undefined })),
  done(CREATE, 'again under the same key', sentBefore({})),
  refused(CREATE, 422, 'idempotency_key_reused', 'another body', sentBefore({ quantity: 14 })),
  refused(CREATE, 400, 'idempotency_key_missing', 'without one', header('Idempotency-Key', null)),
  refused(CREATE, 400, 'idempotency_key_malformed', 'no key', header('Idempotency-Key', 'a,b')),
  refused(CREATE, 422, 'invalid_request', 'a SKU of another form', body({ sku: 'abc' })),
  refused(CREATE, 422, 'invalid_request', 'no SKU', body({ sku: undefined })),
  refused(CREATE, 409, 'order_already_open', 'of the same product', openAlready),
];

/** Three orders of the caller: two drafts and one that was placed. */
const some =
  (turn: (orders: readonly StagedOrder[], ready: Ready) => Promise<Call> | Call): Turn =>
  async (all) => {
    const orders: StagedOrder[] = [];
    for (const state of ['draft', 'placed', 'draft'] as const) orders.push(await all.stage.order(all.member, state));
    return turn(orders, all);
  };

const nextPage = some(async (_orders, all) => {
  const page = await all.stage.send('GET', '/orders?limit=1', all.member.key);
  return { ...all.call, query: { limit: '1', cursor: String(page.body.next ?? 'none') } };
});

const listing: readonly Case[] = [
  done(
    LIST,
    'the first page',
    some((_, all) => query('limit', '1')(all)),
  ),
  done(
    LIST,
    'all',
    some((_, { call }) => call),
  ),
  done(LIST, 'none', asItIs),
  done(
    LIST,
    'drafts',
    some((_, all) => query('status', 'draft')(all)),
  ),
  done(
    LIST,
    'one product',
    some(([first], all) => query('sku', first?.sku ?? '')(all)),
  ),
  done(LIST, 'the next page', nextPage),
  done(
    LIST,
    'the largest page',
    some((_, all) => query('limit', '100')(all)),
  ),
  refused(LIST, 400, 'page_refused', 'too small', query('limit', '0')),
  refused(LIST, 400, 'page_refused', 'too large', query('limit', '101')),
  refused(LIST, 400, 'page_refused', 'a cursor that is none', query('cursor', 'there')),
  refused(LIST, 422, 'invalid_request', 'a state that there is not', query('status', 'lost')),
  refused(LIST, 422, 'invalid_request', 'a SKU of another form', query('sku', 'abc')),
];

/** A large order without a note, which may not be placed. */
const LARGE = { quantity: 101, note: undefined };

const moving: readonly Case[] = [
  done(READ, 'a draft', asItIs),
  done(READ, 'without a note', asItIs, { fields: { note: undefined } }),
  done(READ, 'delivered', asItIs, { state: 'delivered' }),
  done(CHANGE, 'the quantity', asItIs),
  done(CHANGE, 'the note', body({ note: 'another' })),
  done(CHANGE, 'no note any more', body({ note: null })),
  refused(CHANGE, 409, 'order_not_open', 'placed', asItIs, { state: 'placed' }),
  refused(CHANGE, 412, 'changed_meanwhile', 'another entity tag', header('If-Match', '"another"')),
  refused(CHANGE, 428, 'match_required', 'no entity tag', header('If-Match', null)),
  done(PLACE, 'a draft', asItIs),
  done(PLACE, 'a hundred without a note', asItIs, { fields: { ...LARGE, quantity: 100 } }),
  done(PLACE, 'large with a note', asItIs, { fields: { quantity: 101 } }),
  refused(PLACE, 409, 'order_not_placeable', 'large without a note', asItIs, { fields: LARGE }),
  refused(PLACE, 409, 'order_not_placeable', 'placed', asItIs, { state: 'placed' }),
  done(CANCEL, 'a draft', asItIs),
  done(CANCEL, 'placed', asItIs, { state: 'placed' }),
  refused(CANCEL, 409, 'order_not_open', 'shipped', asItIs, { state: 'shipped' }),
  refused(CANCEL, 409, 'order_not_open', 'cancelled', asItIs, { state: 'cancelled' }),
  done(SHIP, 'placed', asItIs),
  refused(SHIP, 409, 'order_not_shippable', 'a draft', asItIs, { state: 'draft' }),
  done(DELIVER, 'shipped', asItIs),
  refused(DELIVER, 409, 'order_not_shipped', 'placed', asItIs, { state: 'placed' }),
  done(REMOVE, 'cancelled', asItIs),
  refused(REMOVE, 409, 'order_still_open', 'a draft', asItIs, { state: 'draft' }),
];

const exhausted: Turn = async ({ stage, call }) => {
  const key = (call.headers.Authorization ?? '').slice('Bearer '.length);
  for (let i = 0; i < 600; i++) await stage.send('GET', '/summary', key);
  return call;
};

/** Every case, the clearest of each operation and status first. */
export const CASES: readonly Case[] = [
  ...creating,
  ...listing,
  ...moving,
  done(
    SUMMARY,
    'of three orders',
    some((_, { call }) => call),
  ),
  ...OPERATIONS.flatMap(refusals),
  refused(SUMMARY, 429, 'rate_exceeded', 'too many', exhausted),
];

/** The path of a call, with its parameters. */
export function targetOf({ operation: { path } }: Case, { id, query: parameters }: Call): string {
  const said = new URLSearchParams(parameters).toString();
  return path.replace('{id}', encodeURIComponent(id ?? '')) + (said && `?${said}`);
}
