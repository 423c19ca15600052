import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Change, Program } from '../src/store/store.ts';
import { ALL_SCOPES, RAISED } from './harness.ts';

/** A store whose claims end as soon as they are made, as those of a node do that is stopped for long enough. */
class Forgetful extends SqliteStore {
  /** What happens once the next change has been refused, before whoever asked for it is told. */
  meanwhile: (() => Promise<void>) | null = null;

  override claim(): boolean {
    return true;
  }

  override async write<T>(program: () => Program<T>, change?: Change): Promise<T> {
    try {
      return await super.write(program, change);
    } catch (error) {
      const { meanwhile } = this;
      this.meanwhile = null;
      await meanwhile?.();
      throw error;
    }
  }
}

test('a refusal that is told late does not take the place of an answer that has had its effect', async () => {
  const plan = compile('orders.md', RAISED).plan as Plan;
  const store = new Forgetful(':memory:', plan);
  const engine = await Engine.start(plan, store, 'https://api.example.com');
  const operator = new Operator(engine);
  const handler = new Handler(engine, { failed: (_endpoint, error) => assert.fail(String(error)), recorded: () => {} });
  const customer = await operator.add(
    'Customer',
    new Map([
      ['name', 'Ada'],
      ['email', 'ada@example.com'],
      ['id', CUSTOMER],
    ]),
  );
  const { key } = await operator.issueKey('Customer', String(customer.id), ALL_SCOPES.split(','));
  const ask = async (method: string, path: string, idempotency?: string, body?: unknown) => {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const rawHeaders = ['Host', 'api.example.com', 'Authorization', `Bearer ${key}`];
    if (idempotency) rawHeaders.push('Idempotency-Key', idempotency);
    if (body !== undefined) rawHeaders.push('Content-Type', 'application/json', 'Content-Length', String(bytes.length));
    const now = Date.now();
    const { answer } = await handler.handle({
      method,
      path,
      query: null,
      rawHeaders,
      address: '127.0.0.1',
      arrived: now,
      now,
      body: () => bytes,
    });
    return { status: answer.status, body: JSON.parse(answer.body ?? 'null') as { id: string; code?: string } };
  };
  const order = { sku: 'AAA-0001', quantity: 1 };
  const before = await ask('POST', '/orders', 'first', order);
  let second: Awaited<ReturnType<typeof ask>> | null = null;
  store.meanwhile = async () => {
    await ask('POST', `/orders/${before.body.id}/cancel`);
    second = await ask('POST', '/orders', 'again', order);
  };
  const late = await ask('POST', '/orders', 'again', order);
  assert.equal(second!.status, 201);
  assert.deepEqual(late, second, 'one key has one answer');
  assert.deepEqual(await ask('POST', '/orders', 'again', order), second);
  await store.close();
});

const CUSTOMER = '3f2b8a52-1c0e-4c3a-9a51-0d9a1c1f7a11';
