import './whole-alone.ts';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { edited, PATIENT, type Service, until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

/** The orders document with drafts that expire after a second, and with three attempts at a delivery. */
const SOON = edited(
  PATIENT,
  ['24 hours after `created`', '1 second after `created`'],
  [
    'Attempts: 8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
    'Attempts: 2, after 1 second',
  ],
);

const PROXY = { id: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const [INTERNAL, SERVER, CLIENT] = [0, 1, 2];

/** A span as `tracing/sdk.ts` writes it. */
interface Told {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly error: boolean;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | null;
}

/** What an operator adds to the command to have an SDK registered. */
const sdk = (space: Workspace, more: NodeJS.ProcessEnv = {}): { env: NodeJS.ProcessEnv } => ({
  env: {
    ...process.env,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'tracing', 'sdk.ts')}`,
    SPANS: join(space.dir, 'spans'),
    ...more,
  },
});

const linesOf = <T>(text: string): T[] =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as T);

interface Line {
  readonly id?: string;
  readonly event: string;
}

/** What the log tells of a trace. */
const eventsOf = (service: Service, trace: string): string[] =>
  linesOf<Line>(service.err).flatMap(({ id, event }) => (id === trace ? [event] : []));

/** A service whose spans are written down, and what goes with it. */
class Sampled {
  readonly space = new Workspace(SOON);
  readonly receiver = new Receiver();
  service!: Service;
  key = '';

  /** Starts it, with its rows at a place. */
  async start(place: readonly string[] | null): Promise<void> {
    this.space.place = place ?? this.space.place;
    await this.receiver.up();
    this.key = await this.space.key(await this.space.customer());
    await this.space.receiver(this.receiver.url);
    this.service = await this.space.serve(sdk(this.space));
  }

  get spans(): Told[] {
    const file = join(this.space.dir, 'spans');
    return existsSync(file) ? linesOf<Told>(readFileSync(file, 'utf8')) : [];
  }

  span(is: (one: Told) => boolean, what: string): Promise<Told> {
    return until(() => this.spans.find(is), `a span of ${what}`);
  }

  async end(): Promise<void> {
    await this.receiver[Symbol.asyncDispose]();
    await this.space[Symbol.asyncDispose]();
  }
}

async function oneTrace(of: Sampled): Promise<void> {
  const { space, receiver, service, key } = of;
  const traceparent = `00-${PROXY.id}-${PROXY.span}-01`;
  const answer = await service.request('POST', '/orders', {
    key,
    body: { sku: 'SPY-7312', quantity: 1, note: 'nobody is to read this' },
    headers: { 'idempotency-key': 'a-key-of-mine', traceparent, 'user-agent': 'an-agent-of-mine' },
  });
  assert.equal(answer.status, 201, answer.text);
  const { id } = answer.body as { id: string };
  const got = await until(() => receiver.accepted.find(({ data }) => data.id === id), 'the delivery');
  const listed = JSON.parse((await space.cli('receivers', 'list', '--json')).out) as Array<{ id: string }>;
  const receiverId = listed[0]!.id;
  const delivery = await of.span(({ kind, traceId }) => kind === CLIENT && traceId === PROXY.id, 'the delivery');
  const mine = of.spans.filter(({ traceId }) => traceId === PROXY.id);
  const request = mine.find(({ kind }) => kind === SERVER)!;
  assert.deepEqual(request, {
    name: 'POST /orders',
    kind: SERVER,
    attributes: {
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'http.response.status_code': 201,
      'http.route': '/orders',
    },
    error: false,
    traceId: PROXY.id,
    spanId: request.spanId,
    parent: PROXY.span,
  });
  const transaction = mine.find(({ kind }) => kind === INTERNAL)!;
  const {
    'ninefold.transaction.statements': statements,
    'ninefold.transaction.attempts': attempts,
    ...about
  } = transaction.attributes;
  assert.deepEqual([transaction.name, transaction.parent], ['transaction', request.spanId]);
  assert.deepEqual(about, { 'ninefold.transaction': 'change' });
  assert.ok((attempts as number) >= 1);
  // The key, the row, the event, the delivery and the kept answer are a statement each, at least.
  assert.ok((statements as number) >= 5, String(statements));
  assert.deepEqual([delivery.name, delivery.parent, delivery.error], ['POST order.opened', request.spanId, false]);
  assert.deepEqual(delivery.attributes, {
    'http.request.method': 'POST',
    'ninefold.event': 'order.opened',
    'ninefold.webhook_id': got.id,
    'ninefold.receiver': receiverId,
    'http.response.status_code': 204,
  });
  assert.equal(got.headers.traceparent, `00-${PROXY.id}-${delivery.spanId}-01`, 'the receiver goes on from it');
  await until(() => String(eventsOf(service, PROXY.id)) === 'request,webhook.delivered', 'both lines of the log');
}

async function beginsHere(of: Sampled): Promise<void> {
  const { service, key } = of;
  await service.request('GET', '/nowhere?token=a-token-of-mine', { key });
  const lost = await of.span(({ name }) => name === 'GET', 'a request for nothing');
  assert.equal(lost.parent, null);
  assert.equal(lost.error, false);
  assert.deepEqual(lost.attributes, {
    'http.request.method': 'GET',
    'url.scheme': 'http',
    'http.response.status_code': 404,
    'ninefold.code': 'no_such_endpoint',
  });
  await until(() => eventsOf(service, lost.traceId).includes('request'), 'its line in the log');
  const id = '0195c2a0-0000-7000-8000-00000000cafe';
  await service.request('POST', `/orders/${id}/place`, { key });
  const refused = await of.span(({ name }) => name === 'POST /orders/{id}/place', 'a request for no order');
  assert.deepEqual([refused.attributes['http.response.status_code'], refused.error], [404, false]);
  const inside = await of.span(({ parent }) => parent === refused.spanId, 'its transaction');
  assert.equal(inside.error, false);
}

async function otherMethod(of: Sampled): Promise<void> {
  const { service } = of;
  await fetch(`${service.url}/orders`, { method: 'PROPFIND' });
  const other = await of.span(({ name }) => name === 'HTTP', 'a method that nobody knows');
  assert.equal(other.attributes['http.request.method'], '_OTHER');
}

async function timedMove(of: Sampled): Promise<void> {
  const { receiver, service, key } = of;
  const id = await service.opened(key, 'SPY-7313');
  const got = await until(
    () => receiver.accepted.find(({ type, data }) => type === 'order.cancelled' && data.id === id),
    'the delivery',
  );
  const [, traceId] = got.headers.traceparent!.split('-');
  const delivery = await of.span((one) => one.kind === CLIENT && one.traceId === traceId, 'the delivery of the move');
  const move = await of.span(({ spanId }) => spanId === delivery.parent, 'the move');
  assert.deepEqual([move.name, move.kind, move.parent, move.error], ['Order expire', INTERNAL, null, false]);
  assert.deepEqual(move.attributes, { 'ninefold.resource': 'Order', 'ninefold.transition': 'expire' });
  assert.equal(delivery.name, 'POST order.cancelled');
}

async function failedAttempt(of: Sampled): Promise<void> {
  const { receiver, service, key } = of;
  receiver.answer = ({ id }) => (receiver.got.filter((one) => one.id === id).length === 1 ? 503 : 204);
  const id = await service.opened(key, 'SPY-7314');
  const got = await until(() => receiver.accepted.find(({ data }) => data.id === id), 'the second attempt');
  receiver.answer = () => 204;
  const attempts = await until(() => {
    const found = of.spans.filter((one) => one.attributes['ninefold.webhook_id'] === got.id);
    return found.length === 2 ? found : null;
  }, 'both attempts');
  assert.deepEqual(
    attempts.map(({ error, attributes }) => [
      error,
      attributes['http.response.status_code'],
      attributes['error.type'],
      attributes['http.request.resend_count'],
    ]),
    [
      [true, 503, '503', undefined],
      [false, 204, undefined, 1],
    ],
  );
  assert.deepEqual(attempts[0]!.traceId, attempts[1]!.traceId);
  assert.notEqual(attempts[0]!.spanId, attempts[1]!.spanId);
}

async function noValues(of: Sampled): Promise<void> {
  const { key } = of;
  const text = JSON.stringify(of.spans.map(({ name, attributes }) => [name, attributes]));
  const values = ['SPY-7', 'nobody is to read', 'of-mine', '00cafe', 'PROPFIND', 'nowhere', key, '/hooks', '127.0.0.1'];
  assert.deepEqual(
    values.filter((value) => text.includes(value)),
    [],
  );
}

/** What an SDK is told that samples all, of a service with its rows at a place. */
function sampled(place: () => Promise<readonly string[] | null>): void {
  const of = new Sampled();
  before(async () => of.start(await place()));
  after(() => of.end());
  test('a request, its transaction and its delivery are one trace, which the log and the receiver know too', () =>
    oneTrace(of));
  test('what begins here begins a trace, and a refusal is no error', () => beginsHere(of));
  test('a method that HTTP does not define is told as such', () => otherMethod(of));
  test('a timed move is a trace of its own, which its delivery goes on with', () => timedMove(of));
  test('an attempt that fails is an error, and the next one another span of the same trace', () => failedAttempt(of));
  test('no span has a value of a request', () => noValues(of));
}

describe('with an SDK that samples all', () => sampled(async () => null));

describe('with an SDK that samples all, on PostgreSQL', IN_WHOLE, () => {
  let server: PostgresServer;
  after(() => server[Symbol.asyncDispose]());
  sampled(async () => {
    server = await PostgresServer.shared();
    return ['--store', await server.database()];
  });
});

test('an SDK that samples nothing has the trace go on all the same', async () => {
  await using space = new Workspace(PATIENT);
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  await space.receiver(receiver.url);
  const service = await space.serve(sdk(space, { SDK: 'samples nothing' }));
  const headers = { 'idempotency-key': 'one', traceparent: `00-${PROXY.id}-${PROXY.span}-01` };
  await service.request('POST', '/orders', { key, body: { sku: 'SPY-0001', quantity: 1 }, headers });
  const got = await until(() => receiver.accepted[0], 'the delivery');
  const [, id, span, flags] = got.headers.traceparent!.split('-');
  assert.deepEqual([id, flags], [PROXY.id, '00'], 'nobody behind it is told that it is recorded');
  assert.notEqual(span, PROXY.span);
  await until(() => String(eventsOf(service, PROXY.id)) === 'request,webhook.delivered', 'both lines of the log');
  await service.stop();
  assert.equal(existsSync(join(space.dir, 'spans')), false);
});

test('what an SDK holds is sent before the service has ended', async () => {
  await using space = new Workspace(PATIENT);
  const service = await space.serve(sdk(space, { SDK: 'holds' }));
  await service.request('GET', '/orders');
  assert.equal(existsSync(join(space.dir, 'spans')), false);
  assert.equal(await service.stop(), 0);
  const [span, ...others] = linesOf<Told>(readFileSync(join(space.dir, 'spans'), 'utf8'));
  assert.deepEqual([span?.name, others], ['GET /orders', []]);
});

test('an SDK that throws costs its spans, and no answer', async () => {
  await using space = new Workspace(PATIENT);
  await using receiver = await new Receiver().up();
  const key = await space.key(await space.customer());
  await space.receiver(receiver.url);
  const service = await space.serve(sdk(space, { SDK: 'throws' }));
  for (const sku of ['SPY-0001', 'SPY-0002']) await service.opened(key, sku);
  await until(() => receiver.accepted.length === 2, 'the deliveries');
  assert.match(receiver.accepted[0]!.headers.traceparent!, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  assert.equal(await service.stop(), 0);
  const told = linesOf<Line & { readonly message?: string }>(service.err).filter(
    ({ event }) => event === 'tracing.failed',
  );
  assert.deepEqual(
    told.map(({ message }) => message),
    ['A sampler of our own'],
  );
});

test('without an SDK nothing of OpenTelemetry is loaded', async () => {
  await using space = new Workspace(PATIENT);
  const key = await space.key(await space.customer());
  const loaded = join(space.dir, 'loaded');
  const service = await space.serve({
    args: ['--admin', '127.0.0.1:0'],
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'tracing', 'loaded.ts')}`,
      LOADED: loaded,
    },
  });
  await service.opened(key, 'SPY-0001');
  const port = /operator’s port is (\d+)/.exec(service.out)![1];
  assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 200);
  await service.stop();
  const modules = readFileSync(loaded, 'utf8').split('\n');
  assert.ok(
    modules.some((one) => one.endsWith('/runtime/tracing/tracing.ts')),
    'the list is that of the service',
  );
  assert.deepEqual(
    modules.filter((one) => one.includes('opentelemetry')),
    [],
  );
  assert.doesNotMatch(service.err, /tracing\.on/);
});
