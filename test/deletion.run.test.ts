import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compile } from '../src/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/serve/engine.ts';
import { Operator } from '../src/serve/operator.ts';
import { Service } from '../src/serve/service.ts';
import { SqliteStore } from '../src/store/sqlite.ts';
import { planDifferences } from './deletion.plan.ts';
import { type Deletion, deletions } from './fixtures.ts';
import { ORDERS } from './harness.ts';

const ADA = '0195c2a0-0000-7000-8000-000000000001';

/** A document in force in this process, with a customer and keys, spoken to over the network and as the operator. */
class Running {
  readonly service = new Service({
    host: '127.0.0.1',
    port: 0,
    admin: null,
    url: 'https://api.example.com',
    log: () => {},
  });
  operator!: Operator;
  private plan!: Plan;
  key = '';
  /** A key that may only read. */
  reader = '';
  /** A key that may only write. */
  writer = '';

  async start(document: string): Promise<this> {
    const plan = compile('orders.md', document).plan!;
    this.plan = plan;
    const store = new SqliteStore(':memory:', plan);
    await this.service.start(plan, store);
    this.operator = new Operator(await Engine.start(plan, store));
    return this;
  }

  async seed(): Promise<this> {
    await this.operator.add(
      'Customer',
      new Map([
        ['id', ADA],
        ['name', 'Ada'],
        ['email', 'ada@example.com'],
      ]),
    );
    const key = async (...scopes: string[]) => (await this.operator.issueKey('Customer', ADA, scopes)).key;
    this.key = await key('orders:read', 'orders:write', 'orders:fulfil');
    this.reader = await key('orders:read');
    this.writer = await key('orders:write');
    return this;
  }

  /** Sends a request; gives status, body and the headers asked for as one text. */
  async say(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    ...show: string[]
  ): Promise<string> {
    const sent: Record<string, string> = { authorization: `Bearer ${this.key}`, ...headers };
    for (const name of Object.keys(sent)) if (!sent[name]) delete sent[name];
    if (body !== undefined) sent['content-type'] ??= 'application/json';
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`http://127.0.0.1:${this.service.port}${path}`, { method, headers: sent, body: text });
    const shown = show.map((name) => `${name}: ${response.headers.get(name)}`);
    return [response.status, ...shown, (await response.text()).replace(/"(id|created)":"[^"]*"/g, '"$1":…')].join(' ');
  }

  /** Creates an order and gives its path. */
  async order(sku: string, note?: string): Promise<string> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', 'idempotency-key': sku };
    const body = JSON.stringify(note === undefined ? { sku, quantity: 1 } : { sku, quantity: 1, note });
    const response = await fetch(`http://127.0.0.1:${this.service.port}/orders`, { method: 'POST', headers, body });
    return `/orders/${((await response.json()) as { id: string }).id}`;
  }

  knownEvents(): string[] {
    return this.plan.resources.flatMap((resource) => resource.events.map((event) => event.name));
  }

  async events(): Promise<string> {
    return (await this.operator.listDeliveries()).map((one) => one.type).join(', ');
  }
}

type Probe = (s: Running) => Promise<string>;

const as =
  (key: (s: Running) => string, method: string, path: string): Probe =>
  async (s) =>
    s.say(method, path.includes('{id}') ? path.replace('/orders/{id}', await s.order('ABC-1234')) : path, undefined, {
      authorization: `Bearer ${key(s)}`,
    });
const moved =
  (move: string): Probe =>
  async (s) => {
    const path = await s.order('ABC-1234');
    await s.say('POST', `${path}/place`);
    if (move === 'deliver') await s.say('POST', `${path}/ship`);
    return s.say('POST', `${path}/${move}`, undefined, { authorization: `Bearer ${s.writer}` });
  };
const hears: Probe = async (s) => {
  await s.operator.addReceiver('http://127.0.0.1:9/', s.knownEvents(), null, true);
  const path = await s.order('ABC-1234');
  await s.say('POST', `${path}/place`);
  await s.say('POST', `${path}/cancel`);
  return s.events();
};
const version =
  (name: string): Probe =>
  (s) =>
    s.say('GET', '/orders', undefined, { 'orders-version': name }, 'sunset');
const patched =
  (match: string): Probe =>
  async (s) =>
    s.say('PATCH', await s.order('ABC-1234'), { quantity: 2 }, { 'if-match': match });
const entered =
  (name: string, ...fields: string[][]): Probe =>
  async (s) => {
    const said: string[] = [];
    for (const email of fields[0]!) {
      const id = `0195c2a0-0000-7000-8000-00000000001${said.length}`;
      const values = [
        ['id', id],
        ['name', 'Bob'],
        ['email', email],
      ].filter(([field]) => field !== name || email) as [string, string][];
      said.push(
        await s.operator.add('Customer', new Map(values)).then(JSON.stringify, (error: Error) => error.message),
      );
    }
    return said.join(' ');
  };

/**
 * For each statement that the document can do without: where the plan differs, and something said on the wire that
 * shows it. The statement is told by what it starts with.
 */
const SHOWN: ReadonlyArray<[statement: RegExp, plan: RegExp, probe: Probe]> = [
  [/^row “\| name /, /^resources\.Customer\.columns\.name$/, entered('', ['a@b.example'])],
  [/^row “\| email /, /^resources\.Customer\.(columns|uniques)\.email$/, entered('', ['a@b.example'])],
  [/^cell Format “email”/, /^resources\.Customer\.columns\.email\.rule\.format$/, entered('', ['no address'])],
  [/^cell Unique “yes”/, /^resources\.Customer\.uniques\.email$/, entered('', ['a@b.example', 'a@b.example'])],
  [
    /^cell Otherwise “order_not_found”/,
    /(\.path\.id\.code|\.inside\.refuse parameters)$/,
    as((s) => s.key, 'GET', '/orders/none'),
  ],
  [
    /^bullet “Idempotency: header/,
    /^(endpoints\.POST \/orders\.(before\.claim key|requestHeaders\.\d+)|errors\.conditions\.idempotency key .*)$/,
    (s) => s.say('POST', '/orders', { sku: 'ABC-1234', quantity: 1 }),
  ],
  [
    /^98 bullet/,
    /^endpoints\.GET \/orders\/\{id\}\.(access|before\.require scope\.scope)$/,
    as((s) => s.reader, 'GET', '/orders/{id}'),
  ],
  [
    /^109 bullet/,
    /^endpoints\.GET \/orders\.(access|before\.require scope\.scope)$/,
    as((s) => s.reader, 'GET', '/orders'),
  ],
  [
    /^155 bullet/,
    /^endpoints\.GET \/summary\.(access|before\.require scope\.scope)$/,
    as((s) => s.reader, 'GET', '/summary'),
  ],
  [/^135 bullet/, /^endpoints\.POST \/orders\/\{id\}\/ship\.(access|before\.require scope\.scope)$/, moved('ship')],
  [
    /^142 bullet/,
    /^endpoints\.POST \/orders\/\{id\}\/deliver\.(access|before\.require scope\.scope)$/,
    moved('deliver'),
  ],
  [
    /^row “\| status /,
    /^endpoints\.GET \/orders\.(before\.read parameters\.query|inside\.list\.filters)\.status$/,
    (s) => s.say('GET', '/orders?status=draft'),
  ],
  [
    /^row “\| sku /,
    /^endpoints\.GET \/orders\.(before\.read parameters\.query|inside\.list\.filters)\.sku$/,
    (s) => s.say('GET', '/orders?sku=ABC-1234'),
  ],
  [
    /^step “Require `order.status == "draft"`/,
    /^endpoints\.PATCH \/orders\/\{id\}\.inside\.require$/,
    async (s) => {
      const path = await s.order('ABC-1234');
      await s.say('POST', `${path}/place`);
      return s.say('PATCH', path, { quantity: 2 }, { 'if-match': '"2-2026-11-01"' });
    },
  ],
  [
    /^step “Remove/,
    /^endpoints\.DELETE \/orders\/\{id\}\.(writes|inside\.remove)$/,
    async (s) => {
      const path = await s.order('ABC-1234');
      await s.say('POST', `${path}/cancel`);
      await s.say('DELETE', path);
      return s.say('GET', path);
    },
  ],
  [/^row “\| order\.opened/, /^resources\.Order\.events\.order\.opened$/, hears],
  [/^row “\| order\.placed/, /^resources\.Order\.events\.order\.placed$/, hears],
  [/^row “\| order\.cancelled/, /^resources\.Order\.events\.order\.cancelled$/, hears],
  [
    /^row “\| invalid_request/,
    /^errors\.(conditions\.invalid request|codes\.invalid_request)/,
    (s) => s.say('GET', '/orders?status=no'),
  ],
  [
    /^row “\| key_missing/,
    /^errors\.(conditions\.credentials missing|codes\.key_missing)/,
    (s) => s.say('GET', '/orders', undefined, { authorization: '' }),
  ],
  [
    /^row “\| key_unknown/,
    /^errors\.(conditions\.credentials not accepted|codes\.key_unknown)/,
    as(() => 'nobody', 'GET', '/orders'),
  ],
  [
    /^row “\| scope_missing/,
    /^errors\.(conditions\.scope missing|codes\.scope_missing)/,
    as((s) => s.writer, 'GET', '/orders'),
  ],
  [/^row “\| changed_meanwhile/, /^errors\.(conditions\.precondition failed|codes\.changed_meanwhile)/, patched('"9"')],
  [/^row “\| match_required/, /^errors\.(conditions\.precondition missing|codes\.match_required)/, patched('')],
  [/^row “\| version_unknown/, /^errors\.(conditions\.version unknown|codes\.version_unknown)/, version('2001-01-01')],
  [/^row “\| version_retired/, /^errors\.(conditions\.version retired|codes\.version_retired)/, version('2024-12-01')],
  [
    /^row “\| Rate .* each caller/,
    /^(rates\.caller|endpoints\..*\.before\.limit [01](\.rate)?)$/,
    (s) => s.say('GET', '/orders', undefined, {}, 'ratelimit-policy'),
  ],
  [
    /^row “\| Rate .* each address/,
    /^(rates\.address|endpoints\..*\.before\.limit [01](\.rate)?)$/,
    (s) => s.say('GET', '/orders', undefined, {}, 'ratelimit-policy'),
  ],
  [/^row “\| 2025-06-01/, /^versions\.older\.(2025-06-01|2024-12-01\.names\..*)$/, version('2025-06-01')],
  [/^row “\| 2024-12-01/, /^versions\.older\.2024-12-01$/, version('2024-12-01')],
];

const whole = compile('orders.md', ORDERS).plan!;
const complete = deletions(ORDERS).filter((one) => compile('orders.md', one.text).findings.length === 0);
const running: Running[] = [];
const begin = async (document: string, seeded = true): Promise<Running> => {
  const s = await new Running().start(document);
  running.push(s);
  return seeded ? s.seed() : s;
};

before(() => assert.ok(complete.length > 0));
after(async () => {
  for (const s of running) await s.service.stop();
});

const ruleOf = (one: Deletion) =>
  SHOWN.find(([statement]) => statement.test(one.what) || statement.test(`${one.line} ${one.what}`));

test('what the document can do without changes the plan by just that, and shows', async (t) => {
  let neither = 0;
  for (const one of complete) {
    await t.test(`${one.line}: ${one.what}`.slice(0, 100), async () => {
      neither++;
      const rule = ruleOf(one);
      assert.ok(rule, 'nothing says how this removal shows');
      const plan = compile('orders.md', one.text).plan!;
      const differences = planDifferences(whole, plan);
      assert.ok(differences.length > 0);
      assert.deepEqual(
        differences.filter((path) => !rule[1].test(path)),
        [],
      );
      const customers = !/^(row “\| (name|email) )/.test(one.what);
      const said = await rule[2](await begin(ORDERS));
      const without = await rule[2](await begin(one.text, customers));
      assert.notEqual(without, said);
      neither--;
    });
  }
  const removed = deletions(ORDERS).length;
  t.diagnostic(
    `removed ${removed}: reported ${removed - complete.length}, complete and shown ${complete.length - neither}, neither ${neither}`,
  );
  assert.equal(neither, 0);
});
