import '../../../test/whole-alone.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { PostgresServer } from '../../../test/postgres.ts';
import { IN_WHOLE, share } from '../../../test/share.ts';
import { compile } from '../../compiler/compile.ts';
import type { Plan } from '../../plan/step.ts';
import { EventStream } from '../../verify/target/event-stream.ts';
import type { Answer } from '../../verify/target/exchange.ts';
import { HttpTarget } from '../../verify/target/http-target.ts';
import { placeOf } from '../../verify/target/loopback.ts';
import { type OwnService, startOwnService } from './own-service.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples');
const documentOf = (name: string): string => readFileSync(join(EXAMPLES, name), 'utf8');
const ORDERS = documentOf('orders.md');

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 2);

function planOf(text: string, ...edits: ReadonlyArray<readonly [from: string, to: string]>): Plan {
  const edited = edits.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), from);
    return before.replace(from, () => to);
  }, text);
  const { plan, findings } = compile('service.md', edited);
  assert.ok(plan, findings.map((one) => one.message).join('\n'));
  return plan;
}

/** The service of the orders, with a customer and her key. */
class Shop {
  readonly own: OwnService;
  readonly target: HttpTarget;
  key = '';

  private constructor(own: OwnService, target: HttpTarget) {
    this.own = own;
    this.target = target;
  }

  static async start(t: TestContext, plan = planOf(ORDERS), store = 'memory'): Promise<Shop> {
    const own = await startOwnService(plan, { store });
    t.after(() => own.stop());
    const shop = new Shop(own, new HttpTarget(await placeOf(own.url, false)));
    await shop.furnish();
    return shop;
  }

  async furnish(): Promise<void> {
    const { row, caller } = this.own.setup;
    const customer = await row?.('Customer', { id: ADA, name: 'Ada', email: 'ada@example.com' });
    assert.deepEqual(customer, { id: ADA, name: 'Ada', email: 'ada@example.com' });
    this.key = (await caller?.('API key', ADA, ['orders:read', 'orders:write'])) ?? '';
  }

  pass(milliseconds: number): Promise<void> | undefined {
    return this.own.setup.clock?.pass(milliseconds);
  }

  async send(method: string, target: string, body: unknown, headers: Answer['headers'] = []): Promise<Answer> {
    const { outcome } = await this.target.send({
      method,
      target,
      headers: [['Authorization', `Bearer ${this.key}`], ['Content-Type', 'application/json'], ...headers],
      body: body === null ? null : Buffer.from(JSON.stringify(body)),
    });
    assert.ok('status' in outcome, JSON.stringify(outcome));
    return outcome;
  }

  async open(idempotencyKey = 'one', sku = 'ABC-0001'): Promise<{ id: string; status: string }> {
    const answer = await this.send('POST', '/orders', { sku, quantity: 1 }, [
      ['Idempotency-Key', `"${idempotencyKey}"`],
    ]);
    assert.equal(answer.status, 201, answer.body.toString());
    return JSON.parse(answer.body.toString());
  }
}

const ADA = '00000000-0000-4000-8000-00000000000a';

const server = await PostgresServer.shared();
after(() => server[Symbol.asyncDispose]());

/** The stores on which the behaviour of the clock is tested. */
const STORES: ReadonlyArray<readonly [name: string, store: () => Promise<string>]> = [
  ['memory', async () => 'memory'],
  ['sqlite', async () => 'sqlite'],
  ['PostgreSQL', () => server.database()],
];

/** A receiver of webhooks on this machine. `heard` lists the received events: seconds after the start, and type. */
async function receiver(t: TestContext, status: () => number): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer(async (request, response) => {
    const { type } = JSON.parse((await request.toArray()).join('')) as { type: string };
    heard.push(`${Number(request.headers['webhook-timestamp']) - START / SECOND} ${type}`);
    response.writeHead(status()).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard };
}

test('every example starts, answers and begins anew', async () => {
  const examples = readdirSync(EXAMPLES).filter((one) => one.endsWith('.md') && one !== 'walk.md');
  for (const name of share(examples, 3).cases) {
    // Its handlers stand beside it.
    const { plan } = compile(join(EXAMPLES, name), documentOf(name));
    assert.ok(plan);
    const own = await startOwnService(plan);
    try {
      const target = new HttpTarget(await placeOf(own.url, false));
      for (let round = 0; round < 2; round++) {
        const { outcome } = await target.send({ method: 'GET', target: '/no/such/path', headers: [], body: null });
        assert.ok('status' in outcome && outcome.status === 404, `${name}: ${JSON.stringify(outcome)}`);
        await own.setup.reset?.();
      }
    } finally {
      await own.stop();
    }
  }
});

/** Tests that differ little between stores run on PostgreSQL only in a complete run. */
const secondly = (name: string): object => (name === 'PostgreSQL' ? IN_WHOLE : {});

for (const [name, store] of STORES)
  test(`${name}: nothing falls due until time passes, and then it does`, async (t) => {
    const shop = await Shop.start(t, planOf(ORDERS), await store());
    assert.equal(await shop.own.setup.clock?.now(), START);
    const { id } = await shop.open();
    const status = async (): Promise<string> =>
      JSON.parse((await shop.send('GET', `/orders/${id}`, null)).body.toString()).status;
    await shop.pass(24 * HOUR - 1);
    assert.equal(await status(), 'draft');
    await shop.pass(1);
    assert.equal(await status(), 'cancelled');
  });

for (const [name, store] of STORES)
  test(
    `${name}: deliveries are attempted at the instants that the document states, however far time is moved at once`,
    secondly(name),
    async (t) => {
      const shop = await Shop.start(t, planOf(ORDERS), await store());
      const { url, heard } = await receiver(t, () => 500);
      const secret = await shop.own.setup.receiver?.(url, ['order.opened', 'order.cancelled'], null);
      assert.match(secret ?? '', /^whsec_/);
      await shop.open();
      await shop.pass(0);
      assert.deepEqual(heard, ['0 order.opened']);
      await shop.pass(100 * HOUR);
      // Attempts after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10 and 14 hours. The order expires after 24 hours; the
      // event about it waits for the earlier event.
      const opened = [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705].map((seconds) => `${seconds} order.opened`);
      const cancelled = [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705].map(
        (seconds) => `${113_705 + seconds} order.cancelled`,
      );
      assert.deepEqual(heard, [...opened, ...cancelled]);
    },
  );

for (const [name, store] of STORES)
  test(`${name}: rates, idempotency keys and versions go by the clock that is moved`, secondly(name), async (t) => {
    const shop = await Shop.start(
      t,
      planOf(ORDERS, ['600 requests per minute  ', '2 requests per minute    ']),
      await store(),
    );
    const first = await shop.open('one');
    assert.deepEqual(await shop.open('one'), first);
    const status = async (target: string, ...headers: Answer['headers']): Promise<number> =>
      (await shop.send('GET', target, null, headers)).status;
    assert.equal(await status('/orders'), 429);
    await shop.pass(MINUTE);
    assert.equal(await status('/orders', ['Orders-Version', '2025-06-01']), 200);
    await shop.pass(24 * HOUR);
    assert.notEqual((await shop.open('one', 'ABC-0002')).id, first.id);
    await shop.pass(Date.UTC(2027, 10, 1) - START);
    assert.equal(await status('/orders', ['Orders-Version', '2025-06-01']), 410);
  });

for (const [name, store] of STORES)
  test(
    `${name}: a service that begins anew has nothing of before, and names nothing as before`,
    secondly(name),
    async (t) => {
      const shop = await Shop.start(
        t,
        planOf(ORDERS, ['600 requests per minute  ', '2 requests per minute    ']),
        await store(),
      );
      const { url, heard } = await receiver(t, () => 204);
      await shop.own.setup.receiver?.(url, ['order.opened'], null);
      const { key } = shop;
      const before = await shop.open();
      await shop.pass(HOUR);
      assert.deepEqual(heard, ['0 order.opened']);
      await shop.own.setup.reset?.();
      assert.equal((await shop.send('GET', `/orders/${before.id}`, null)).status, 401);
      await shop.furnish();
      assert.equal((await shop.send('GET', `/orders/${before.id}`, null)).status, 404);
      assert.equal(await shop.own.setup.clock?.now(), START);
      const after = await shop.open();
      assert.notEqual(after.id, before.id);
      assert.notEqual(shop.key, key);
      const other = await Shop.start(t, planOf(ORDERS), await store());
      assert.equal(other.key, key, 'another run has the same secrets');
      await shop.pass(HOUR);
      assert.equal(heard.length, 1);
    },
  );

test('tokens of an issuer elsewhere are signed by a key that was made up for the test', async (t) => {
  const blog = readFileSync(join(EXAMPLES, '..', 'docs', 'documents', 'blog.md'), 'utf8');
  const keys = blog.slice(blog.indexOf('- Scheme: API key'), blog.indexOf('- Scopes: none'));
  for (const kind of ['JWT', 'OAuth 2 bearer']) {
    const tokens = [
      `- Scheme: ${kind}`,
      '- Header: `Authorization: Bearer {token}`',
      '- Algorithm: ES256',
      '- Keys: from `https://id.example/jwks`, kept 10 minutes',
      '- Issuer: `https://id.example`',
      '- Audience: `blog`',
      '- Lifetime: at most 1 hour',
      '- Clock skew: none',
      '- Credentials: issued by the issuer, each for one Author',
      '- Caller: Author whose number is claim `sub`',
      '',
    ].join('\n');
    const plan = planOf(blog, [keys, tokens]);
    const own = await startOwnService(plan);
    t.after(() => own.stop());
    const target = new HttpTarget(await placeOf(own.url, false));
    const author = await own.setup.row?.('Author', { number: 1, name: 'Ada', editor: false });
    assert.deepEqual(author, { number: 1, name: 'Ada', editor: false });
    const token = await own.setup.caller?.(plan.schemes[0]?.name ?? '', '1', []);
    const status = async (): Promise<number> => {
      const headers = [['Authorization', `Bearer ${token}`]] as const;
      const { outcome } = await target.send({ method: 'GET', target: '/me', headers, body: null });
      assert.ok('status' in outcome);
      return outcome.status;
    };
    const good = await status();
    assert.ok(good < 400, `${kind}: ${good}`);
    await own.setup.clock?.pass(HOUR);
    assert.equal(await status(), 401, kind);
  }
});

test('what the operator may not do is refused with a sentence', async (t) => {
  const shop = await Shop.start(t);
  const { row, caller, receiver: register } = shop.own.setup;
  const says = async (work: Promise<unknown> | undefined): Promise<string> => {
    const told = await work?.then(
      () => 'done',
      (error: Error) => error.message,
    );
    return told ?? 'missing';
  };
  assert.match(await says(row?.('Custmer', {})), /^There is no resource “Custmer”: did you mean “Customer”\?/);
  assert.equal(await says(row?.('Customer', { id: ADA })), 'Customer needs name=…');
  assert.match(await says(row?.('Order', {})), /^The operator cannot add rows of Order/);
  assert.equal(await says(caller?.('API key', 'nobody', [])), 'There is no Customer “nobody”.');
  assert.match(await says(register?.('http://127.0.0.1:1/', ['order.lost'], null)), /^There is no event “order\.lost”/);
});

test('service.url is where the service listens, unless the document or the options say otherwise', async (t) => {
  const notes = documentOf('todos.md');
  const one = await startOwnService(planOf(notes));
  t.after(() => one.stop());
  assert.equal(one.serviceUrl, one.url);
  const other = await startOwnService(planOf(notes), { serviceUrl: 'https://todos.example' });
  t.after(() => other.stop());
  const target = new HttpTarget(await placeOf(other.url, false));
  const body = Buffer.from('{"title":"Write"}');
  const headers = [['Content-Type', 'application/json']] as const;
  const { outcome } = await target.send({ method: 'POST', target: '/', headers, body });
  assert.ok('status' in outcome, JSON.stringify(outcome));
  assert.match(outcome.body.toString(), /"url":"https:\/\/todos\.example\//);
});

test('a stream of the service is followed, and ends when the service begins anew', async (t) => {
  const own = await startOwnService(planOf(documentOf('apiary.md')));
  t.after(() => own.stop());
  const target = new HttpTarget(await placeOf(own.url, false));
  const refused = await target.follow({ method: 'GET', target: '/alerts', headers: [], body: null });
  assert.ok(!(refused instanceof EventStream) && 'status' in refused.outcome && refused.outcome.status === 401);
  const keeper = await own.setup.row?.('Keeper', { number: 1, name: 'Ada', inspector: true });
  const key = await own.setup.caller?.("Keeper's key", String(keeper?.number), []);
  const headers = [['X-Register-Key', `${key}`]] as const;
  const stream = await target.follow({ method: 'GET', target: '/alerts', headers, body: null });
  assert.ok(stream instanceof EventStream, JSON.stringify(stream));
  await own.setup.reset?.();
  while (!stream.isOver) await stream.next(60_000);
});
