import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { answerHash, answersOf, claimOf } from '../src/store/migration/kept-answers.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { call } from '../src/store/store.ts';
import { edited, PATIENT } from './harness.ts';
import { planOf } from './subject.ts';

type Edit = readonly [from: string, to: string];

const ORDER: Edit = ['Request: Order with sku, quantity, note\n', 'Request: Order with sku, quantity\n'];
const SKU = { sku: 'ABC-0001', quantity: 1 };

/** One store that documents of the same shape are served from, one after the other. */
class Deployments implements Disposable {
  private readonly store: SqliteStore;
  private caller = '';
  private key = '';

  private constructor(store: SqliteStore) {
    this.store = store;
  }

  static async of(document: string): Promise<Deployments> {
    const plan = planOf(document);
    const made = new Deployments(new SqliteStore(':memory:', plan));
    const operator = new Operator(await Engine.start(plan, made.store));
    made.caller = randomUUID();
    const fields = { id: made.caller, name: 'Ada', email: 'ada@example.com' };
    await operator.add('Customer', new Map(Object.entries(fields)));
    made.key = (await operator.issueKey('Customer', made.caller, ['orders:write'], 'API key')).key;
    return made;
  }

  /** Sends the body under one document, with the same key each time. */
  async post(document: string, body: unknown, path = '/orders', version: string | null = null): Promise<string> {
    const failed = (_endpoint: string, error: unknown): never => assert.fail(String(error));
    const handler = new Handler(await Engine.start(planOf(document), this.store), { failed, recorded: () => {} });
    const text = body === null ? '' : JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': String(text.length) };
    const rawHeaders = Object.entries({
      authorization: `Bearer ${this.key}`,
      'idempotency-key': 'k',
      ...(version === null ? {} : { 'orders-version': version }),
      ...(body === null ? {} : headers),
    }).flat();
    const now = this.store.now();
    const asked = { path, query: null, rawHeaders, address: '127.0.0.1', arrived: Date.now(), now };
    const { answer } = await handler.handle({ method: 'POST', ...asked, body: () => Buffer.from(text) });
    return `${answer.status} ${answer.body}`;
  }

  /** Gives the kept answer the fingerprint that an earlier release has stored with it. */
  async asBefore(endpoint: string, body: string, path = '/orders', version = '2026-11-01'): Promise<void> {
    const print = hash('sha256', JSON.stringify([path, '', version, body]), 'buffer');
    const [find, drop, keep] = (['find answer', 'drop answer', 'keep answer'] as const).map((name) =>
      this.store.prepare({ kind: 'system', name }),
    );
    const key = [answersOf(endpoint), `Customer/${this.caller}`, 'k'] as const;
    const of = [answerHash(claimOf(...key)), ...key] as const;
    const now = this.store.now();
    await this.store.write(function* () {
      const [kept] = yield* call(find!, [...of]);
      assert.ok(kept, 'an answer is kept');
      const [, status, headers, body, , seq] = kept;
      yield* call(drop!, [seq!]);
      yield* call(keep!, [...of, print, status!, headers!, body!, null, now + 3_600_000]);
    });
  }

  [Symbol.dispose](): void {
    void this.store.close();
  }
}

/** The edits of a document under which the same body is the same request. */
const SAME: ReadonlyArray<readonly [what: string, old: readonly Edit[], next: readonly Edit[]]> = [
  ['an optional field more, at the end', [ORDER], []],
  ['an optional field less', [], [ORDER]],
  ['an optional field more, between others', [ORDER], [[ORDER[0], 'Request: Order with sku, note, quantity\n']]],
  ['fields in another order', [], [[ORDER[0], 'Request: Order with note, quantity, sku\n']]],
  [
    'an optional parameter of the body',
    [],
    [
      [
        '- Idempotency: header `Idempotency-Key`, required, for each caller, kept 24 hours, answers below 500\n- Request: Order with sku, quantity, note\n\n1. Create `order`: Order from `request`.',
        '- Idempotency: header `Idempotency-Key`, required, for each caller, kept 24 hours, answers below 500\n- Request: Order with sku, quantity, note\n\n| Parameter | In   | Type    | Allowed values | Presence |\n| --------- | ---- | ------- | -------------- | -------- |\n| gift      | body | boolean | any            | optional |\n\n1. Require `request.gift != true`, else order_not_open.\n2. Create `order`: Order from `request`.',
      ],
      ['2. Answer 201 with `order` and header Location', '3. Answer 201 with `order` and header Location'],
    ],
  ],
];

for (const [what, old, next] of SAME) {
  test(`after an edit, a key still stands for the same request: ${what}`, async () => {
    const [before, after] = [edited(PATIENT, ...old), edited(PATIENT, ...next)];
    using deployments = await Deployments.of(before);
    const first = await deployments.post(before, SKU);
    assert.match(first, /^201 /);
    assert.equal(await deployments.post(after, { quantity: 1, sku: 'ABC-0001' }), first);
    assert.match(await deployments.post(after, { ...SKU, quantity: 2 }), /^422 .*idempotency_key_reused/);
  });
}

test('after an edit, what is sent of the new field makes it another request', async () => {
  const before = edited(PATIENT, ORDER);
  using deployments = await Deployments.of(before);
  await deployments.post(before, SKU);
  for (const note of ['x', null])
    assert.match(await deployments.post(PATIENT, { ...SKU, note }), /^422 .*idempotency_key_reused/);
});

test('a key that an earlier release has kept still stands for the same request, after an edit too', async () => {
  const before = edited(PATIENT, ORDER);
  using deployments = await Deployments.of(before);
  const first = await deployments.post(before, SKU);
  await deployments.asBefore('POST /orders', '["ABC-0001",1]');
  for (const document of [before, PATIENT]) {
    assert.equal(await deployments.post(document, SKU), first);
    assert.match(await deployments.post(document, { ...SKU, quantity: 2 }), /^422 .*idempotency_key_reused/);
  }
  assert.match(await deployments.post(PATIENT, { ...SKU, note: 'x' }), /^422 .*idempotency_key_reused/);
});

test('a key that an earlier release has kept in an older version stands for the same request, whatever the version lacks', async () => {
  const given: Edit = [
    'at most 500 characters                              | request            | optional ',
    'at most 500 characters                              | request, else `"-"` | optional ',
  ];
  const document = edited(PATIENT, given);
  using deployments = await Deployments.of(document);
  const body = { product: 'ABC-0001', quantity: 1 };
  const first = await deployments.post(document, body, '/orders', '2025-06-01');
  assert.match(first, /^201 /);
  await deployments.asBefore('POST /orders', '["ABC-0001",1,[]]', '/orders', '2025-06-01');
  assert.equal(await deployments.post(document, body, '/orders', '2025-06-01'), first);
});
