import { idText, type StatementId } from '../src/plan/lines.ts';
import './whole-alone.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime } from '../src/verify/probes/machine-time.ts';
import { largePages, pages } from '../src/verify/probes/pages.ts';
import type { Probe, ProbeResult } from '../src/verify/probes/probe.ts';
import { races } from '../src/verify/probes/races.ts';
import { rates } from '../src/verify/probes/rates.ts';
import { streams } from '../src/verify/probes/streams.ts';
import { retries, webhooks } from '../src/verify/probes/webhooks.ts';
import { wholeLists } from '../src/verify/probes/whole-lists.ts';
import { Random } from '../src/verify/requests/random.ts';
import { Session } from '../src/verify/session/session.ts';
import type { Exchange, Request } from '../src/verify/target/exchange.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';
import { IN_WHOLE, share } from './share.ts';
import { documentText, subjectOf, withChange } from './subject.ts';

const SEED = 21;
const PROBES = [webhooks, retries, streams, pages, races, rates, machineTime, largePages, wholeLists];
const ORDERS = 'examples/orders.md';
const TASKS = 'docs/documents/tasks.md';
/** Its receivers are rows, which callers make. */
const HOOKS = 'test/verify/hooks.md';
/** Its callers may revoke their own keys, and remove themselves. */
const LEAVING = 'test/verify/leaving.md';
const APIARY = 'examples/apiary.md';
/** What says how many hives of an apiary are listed. */
const HIVES = 'endpoint GET /apiaries/{apiary}/hives: Whole list';

/** How much later a relay hands on what it is sent, in milliseconds. */
const LATER_MS = 60;

async function resultOf(t: TestContext, probe: Probe, stated: string, served = stated): Promise<ProbeResult> {
  const subject = await subjectOf(t, stated, served);
  const random = new Random(SEED);
  return probe.run(await Session.begin(subject, random), random);
}

/** What breaks say, without all that they are about: a session is no help in a message, and too much for it. */
const told = ({ breaks }: ProbeResult): object[] =>
  breaks.map(({ statement, why, expected, actual }) => ({ statement: textOf(statement), why, expected, actual }));

/** The text of the id of a statement; empty where a break names none. */
const textOf = (id: StatementId | null): string => (id === null ? '' : idText(id));

const met = ({ traces }: ProbeResult, statement: string, what: string): boolean =>
  traces.some((one) => idText(one.statement) === statement && one.what === what);

const DOCUMENTS = [
  ORDERS,
  TASKS,
  'examples/bookings.md',
  'examples/payments.md',
  'examples/issues.md',
  APIARY,
  'examples/blogging.md',
  'examples/todos.md',
  HOOKS,
  LEAVING,
];

// A whole test of each document runs all probes too: here, some are run for longer than their share of a budget.
for (const { path, probe } of share(
  DOCUMENTS.flatMap((path) => PROBES.map((probe) => ({ path, probe }))),
  1,
  3,
).cases)
  test(`${probe.name} find nothing where a document is served as it is: ${path}`, IN_WHOLE, async (t) => {
    const subject = await subjectOf(t, documentText(path));
    if (!probe.applies(subject.plan)) return;
    const random = new Random(SEED);
    assert.deepEqual(told(await probe.run(await Session.begin(subject, random), random)), []);
  });

test('what a probe has met is told', IN_WHOLE, async (t) => {
  const hooks = await resultOf(t, webhooks, documentText(ORDERS));
  for (const [statement, what] of [
    ['event order.cancelled', 'webhook'],
    ['webhook: order', 'kept'],
  ] as const)
    assert.ok(met(hooks, statement, what), `${statement} ${what}`);
  assert.deepEqual(told(hooks), []);
  const tried = await resultOf(t, retries, documentText(ORDERS));
  for (const [statement, what] of [
    ['webhook: delivery', 'again'],
    ...Array.from({ length: 7 }, (_, i) => ['webhook: delays', `attempt ${i + 2}`] as const),
    ['webhook: delays', 'no more'],
  ] as const)
    assert.ok(met(tried, statement, what), `${statement} ${what}`);
  const signedUp = await resultOf(t, webhooks, documentText(HOOKS));
  for (const [statement, what] of [
    ['event order.gone', 'webhook'],
    ['webhook: signature', 'verified'],
    ['webhook: hears Order', 'not told'],
    ['webhook: hears Hook', 'not told'],
  ] as const)
    assert.ok(met(signedUp, statement, what), `${statement} ${what}`);
  assert.deepEqual(told(signedUp), []);
  const read = await resultOf(t, streams, documentText(TASKS));
  for (const [statement, what] of [
    ['event task.stale', 'stream'],
    ['stream: resumption', 'resumed'],
    ['stream: resumption', 'refused'],
    ['stream: retry', 'sent'],
    ['stream: atOnce', 'refused'],
  ] as const)
    assert.ok(met(read, statement, what), `${statement} ${what}`);
  assert.deepEqual(told(read), []);
  assert.ok(met(await resultOf(t, rates, documentText(ORDERS)), 'rate 0', 'refused'));
});

const ATTEMPTS = 'Attempts: 8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours';

/** A document, one statement of it as another service keeps it, and the statement that is found broken. */
const CHANGES: ReadonlyArray<readonly [Probe, string, string, string, string]> = [
  [webhooks, 'examples/payments.md', '| 7 days after confirm ', '| 6 days after confirm ', 'transition Intent: lapse'],
  [retries, ORDERS, 'Order: per Order', 'Order: none', 'webhook: order'],
  [retries, ORDERS, ATTEMPTS, ATTEMPTS.replace('8, ', '7, ').replace(', 14 hours', ''), 'webhook: delays'],
  [retries, ORDERS, '10 hours, 14 hours', '10 hours, 15 hours', 'webhook: delays'],
  [retries, ORDERS, 'after 5 seconds,', 'after 4 seconds,', 'webhook: delays'],
  [webhooks, ORDERS, '| order.placed ', '| order.planed ', 'event order.placed'],
  [webhooks, ORDERS, 'moves by cancel, expire', 'moves by cancel', 'event order.cancelled'],
  [webhooks, ORDERS, 'an Order moves by place ', 'an Order moves by place, cancel ', 'event order.placed'],
  [webhooks, HOOKS, 'about.quantity < 100`', 'about.quantity < 101`', 'webhook: hears Order'],
  [webhooks, HOOKS, 'owner == about.customer && ', '', 'webhook: hears Order'],
  [webhooks, HOOKS, 'for events, signed', 'for every event, signed', 'webhook: receivers'],
  [webhooks, HOOKS, 'an Order moves by close', 'an Order is removed   ', 'event order.moved'],
  [retries, HOOKS, 'after 5 seconds', 'after 6 seconds', 'webhook: delays'],
  [streams, TASKS, 'for 24 hours, else events_gone', 'for 23 hours, else events_gone', 'stream: resumption'],
  [streams, TASKS, 'for 24 hours, else events_gone', 'for 25 hours, else events_gone', 'stream: resumption'],
  [streams, TASKS, 'Retry: after 3 seconds', 'Retry: after 4 seconds', 'stream: retry'],
  [streams, TASKS, 'At once: 5 for', 'At once: 4 for', 'stream: atOnce'],
  [streams, TASKS, 'At once: 5 for', 'At once: 6 for', 'stream: atOnce'],
  [streams, TASKS, 'Data: the payload', 'Data: type, timestamp, data', 'stream: data'],
  [streams, TASKS, 'duration("168h")', 'duration("167h")', 'event task.stale'],
  [rates, ORDERS, '600 requests per minute', '599 requests per minute', 'rate 0'],
  [rates, ORDERS, '600 requests per minute', '601 requests per minute', 'rate 0'],
  [rates, 'examples/todos.md', '1200 requests per minute', '1199 requests per minute', 'rate 0'],
  [wholeLists, APIARY, '| 200 at most', '| 199 at most', HIVES],
  [wholeLists, APIARY, '| 200 at most', '| 201 at most', HIVES],
  [wholeLists, APIARY, '200 at most, more is left out  ', '200 at most, more is refused   ', HIVES],
  [wholeLists, 'examples/todos.md', '1000 at most', '1001 at most', 'endpoint GET /: Whole list'],
  [rates, 'examples/todos.md', '1200 requests per minute', '1201 requests per minute', 'rate 0'],
];

for (const [probe, path, from, to, statement] of share(CHANGES, 1).cases)
  test(`${probe.name} find another statement: ${to}`, async (t) => {
    const stated = documentText(path);
    const result = await resultOf(t, probe, stated, withChange(stated, from, to));
    assert.ok(
      result.breaks.some((one) => textOf(one.statement) === statement),
      JSON.stringify(told(result)),
    );
  });

for (const [to, actual] of [
  ['3 seconds', 'status: 201'],
  ['1 second', 'one after '],
] as const)
  test(`time-outs find another one, and nothing where it is kept: ${to}`, IN_WHOLE, async (t) => {
    const stated = withChange(documentText(ORDERS), '| Time-out     | 5 seconds', '| Time-out     | 2 seconds');
    const kept = await resultOf(t, machineTime, stated);
    assert.deepEqual(told(kept), []);
    assert.ok(met(kept, 'endpoint POST /orders: Time-out', 'refused time-out'));
    const { breaks } = await resultOf(t, machineTime, stated, stated.replace('2 seconds', to));
    const found = breaks.find(({ statement }) => textOf(statement) === 'endpoint POST /orders: Time-out');
    assert.ok(
      found?.actual.startsWith(actual),
      JSON.stringify(breaks.map((one) => [textOf(one.statement), one.actual])),
    );
  });

for (const [path, statement, from, quick, others] of [
  [ORDERS, 'webhook: timeout', 'Time-out: 15 seconds', 'Time-out: 2 seconds', ['1 second', '4 seconds']],
  [TASKS, 'stream: heartbeat', 'Heartbeat: every 15 seconds', 'Heartbeat: every 2 seconds', ['1 second', '4 seconds']],
] as const)
  test(
    `time of the machine that is another is found, and nothing where it is kept: ${statement}`,
    IN_WHOLE,
    async (t) => {
      const stated = withChange(documentText(path), from, quick);
      const kept = await resultOf(t, machineTime, stated);
      assert.deepEqual(told(kept), []);
      assert.ok(met(kept, statement, statement === 'webhook: timeout' ? 'again' : 'sent'));
      for (const other of others) {
        const { breaks } = await resultOf(t, machineTime, stated, withChange(stated, '2 seconds', other));
        assert.ok(
          breaks.some((one) => textOf(one.statement) === statement),
          `${other}: ${JSON.stringify(breaks.map((one) => [textOf(one.statement), one.actual]))}`,
        );
      }
    },
  );

for (const [from, to] of share(
  [
    ['latest `created` first', 'earliest `created` first'],
    ['20 by default', '21 by default'],
  ] as const,
  1,
).cases)
  test(`pages find another statement: ${to}`, async (t) => {
    const stated = documentText(ORDERS);
    const { breaks } = await resultOf(t, pages, stated, withChange(stated, from, to));
    assert.deepEqual([...new Set(breaks.map(({ endpoint }) => endpoint))], ['GET /orders']);
  });

test('pages past the largest find one with a row less', IN_WHOLE, async (t) => {
  const stated = documentText(ORDERS);
  const { breaks } = await resultOf(t, largePages, stated, withChange(stated, '100 at most', '99 at most'));
  assert.deepEqual([...new Set(breaks.map(({ endpoint }) => endpoint))], ['GET /orders']);
});

test('signatures are found that are not made with the secret of the receiver', IN_WHOLE, async (t) => {
  const subject = await subjectOf(t, documentText(ORDERS));
  const random = new Random(SEED);
  const { receiver } = subject.setup;
  const other = async (...about: Parameters<NonNullable<typeof receiver>>): Promise<string> => {
    await receiver?.(...about);
    return `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  };
  const session = await Session.begin({ ...subject, setup: { ...subject.setup, receiver: other } }, random);
  const { breaks } = await webhooks.run(session, random);
  assert.deepEqual([...new Set(breaks.map((one) => textOf(one.statement)))], ['webhook: signature']);
});

/** A status as the service is told it; null where the connection ended without one. */
type Said = (status: number | null) => number | null;

/** Hands on what is delivered, and says of it what it is made to say. `later`: once something was refused, whatever else comes is taken, and handed on some time later. */
class Relay {
  private readonly urls = new Map<string, string>();
  private readonly refused = new Set<string>();
  private readonly later: boolean;
  private readonly said: Said;
  private readonly server = createServer((request, response) => {
    // The receiver may have ended meanwhile.
    this.take(request, response).catch(() => response.destroy());
  });

  private constructor(later: boolean, said: Said) {
    this.later = later;
    this.said = said;
  }

  static async start(
    t: TestContext,
    { later = false, said = (status) => status }: { later?: boolean; said?: Said } = {},
  ): Promise<Relay> {
    const relay = new Relay(later, said);
    relay.server.listen(0, '127.0.0.1');
    await once(relay.server, 'listening');
    t.after(() => {
      relay.server.close();
      relay.server.closeAllConnections();
    });
    return relay;
  }

  /** The address of the relay that stands for another. */
  of(url: string): string {
    const { pathname } = new URL(url);
    this.urls.set(pathname, url);
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${pathname}`;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const id = String(request.headers['webhook-id']);
    if (this.later && this.refused.size > 0 && !this.refused.has(id)) {
      response.writeHead(204).end();
      await sleep(LATER_MS);
      await this.handOn(request, body);
      return;
    }
    const status = this.said(await this.handOn(request, body).catch(() => null));
    if (status === null) return void request.socket.destroy();
    if (status >= 300) this.refused.add(id);
    response.writeHead(status).end();
  }

  private async handOn({ headers, url = '' }: IncomingMessage, body: string): Promise<number> {
    const sent = Object.entries(headers).flatMap(
      ([name, value]): Array<[string, string]> =>
        name.startsWith('webhook-') || name === 'content-type' ? [[name, String(value)]] : [],
    );
    const { status } = await fetch(this.urls.get(url) ?? '', {
      method: 'POST',
      headers: sent,
      body,
      redirect: 'manual',
    });
    return status;
  }
}

/** What is found of a service whose deliveries go through a relay. */
async function retriesThrough(t: TestContext, relay: Relay, stated: string): Promise<ProbeResult> {
  const subject = await subjectOf(t, stated);
  const { receiver } = subject.setup;
  const relayed: typeof receiver = (url, events, version) =>
    receiver?.(relay.of(url), events, version) ?? assert.fail();
  const random = new Random(SEED);
  const session = await Session.begin({ ...subject, setup: { ...subject.setup, receiver: relayed } }, random);
  return retries.run(session, random);
}

test('a delivery that comes some time later is waited for, where no event waits for another', async (t) => {
  const stated = withChange(documentText(ORDERS), 'Order: per Order', 'Order: none');
  const relay = await Relay.start(t, { later: true });
  assert.deepEqual(told(await retriesThrough(t, relay, stated)), []);
});

// With two attempts, the first of each event is all that says whether another comes.
for (const [what, taken] of [
  ['a redirect', (status: number | null) => status === 302],
  ['a client error', (status: number | null) => status === 404],
  ['a lost connection', (status: number | null) => status === null],
  ['none of them', () => false],
] as const)
  test(
    `a service that takes ${what} for a delivery is found out, however few attempts it makes`,
    IN_WHOLE,
    async (t) => {
      const stated = withChange(
        withChange(documentText(ORDERS), ATTEMPTS, 'Attempts: 2, after 5 seconds'),
        'Order: per Order',
        'Order: none',
      );
      const relay = await Relay.start(t, { said: (status) => (taken(status) ? 204 : status) });
      const { breaks } = await retriesThrough(t, relay, stated);
      assert.deepEqual(
        breaks.map(({ statement }) => textOf(statement)),
        what === 'none of them' ? [] : ['webhook: delivery'],
      );
    },
  );

for (const seed of share([1, 2, 3, 4, 5, 6, 7, 8], 3).cases)
  test(`a reader of a stream is not sent away by the test itself: seed ${seed}`, async (t) => {
    const subject = await subjectOf(t, documentText(LEAVING));
    const random = new Random(seed);
    const result = await streams.run(await Session.begin(subject, random), random);
    assert.deepEqual(told(result), []);
    assert.ok(met(result, 'event note.made', 'stream'));
  });

/** A service that forgets idempotency keys where several requests come at once: as if each had a key of its own. */
class Forgetful extends HttpTarget {
  private keys = 0;

  override async race(requests: readonly Request[]): Promise<Exchange[]> {
    const own = requests.map((request) => ({ ...request, headers: request.headers.map((one) => this.changed(one)) }));
    const exchanges = await super.race(own);
    return exchanges.map((exchange, i) => ({ ...exchange, request: requests[i] ?? exchange.request }));
  }

  private changed([name, value]: readonly [string, string]): readonly [string, string] {
    this.keys += 1;
    return [name, name === 'Idempotency-Key' ? `${value}-${this.keys}` : value];
  }
}

test('an idempotency key is found that has an effect more than once in a race', async (t) => {
  const subject = await subjectOf(t, documentText('examples/payments.md'));
  const target = new Forgetful(await placeOf(subject.serviceUrl, false));
  const random = new Random(SEED);
  const { breaks } = await races.run(await Session.begin({ ...subject, target }, random), random);
  assert.match(breaks.map(({ statement }) => textOf(statement)).join(), /idempotency/);
});

test('what a payload shows of other rows is held to who receives it', async (t) => {
  const stated = documentText('test/verify/customers.md');
  const result = await resultOf(t, webhooks, stated);
  assert.deepEqual(told(result), []);
  for (const what of ['shown', 'not shown']) assert.ok(met(result, 'webhook: hears User', what), what);
  const tells = await resultOf(
    t,
    webhooks,
    stated,
    withChange(stated, 'Hears of User: `owner == about`', 'Hears of User: everything'),
  );
  assert.ok(
    tells.breaks.some(({ others }) => others?.map(textOf).includes('webhook: hears User')),
    JSON.stringify(told(tells)),
  );
});
