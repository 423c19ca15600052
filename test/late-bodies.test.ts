import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { ORDERS } from './harness.ts';

test('a time-out while the client’s body is missing is answered, and is no trouble of the store in the log', async () => {
  const { plan } = compile('orders.md', ORDERS);
  const store = new SqliteStore(':memory:', plan as Plan);
  const engine = await Engine.start(plan as Plan, store);
  const reports: unknown[] = [];
  const report = (...report: unknown[]): void => void reports.push(report);
  const handler = new Handler(engine, { failed: report, unavailable: report, recorded: () => {} });
  const operator = new Operator(engine);
  const id = '00000000-0000-4000-8000-000000000001';
  await operator.add('Customer', new Map(Object.entries({ id, name: 'Ada', email: 'ada@example.com' })));
  const { key } = await operator.issueKey('Customer', id, ['orders:write']);
  const arrived = Date.now() - 4990;
  for (const framing of ['Content-Length', 'Transfer-Encoding']) {
    const { answer } = await handler.handle({
      method: 'POST',
      path: '/orders',
      query: null,
      rawHeaders: [
        ...['Host', 'localhost', 'Authorization', `Bearer ${key}`, 'Idempotency-Key', framing],
        ...['Content-Type', 'application/json', framing, framing === 'Content-Length' ? '100' : 'chunked'],
      ],
      address: '127.0.0.1',
      arrived,
      now: arrived,
      // The server’s own alarm for the body may ring after the handler’s: here it never does.
      body: () => new Promise(() => {}),
    });
    assert.deepEqual([answer.status, answer.code], [503, 'time_out']);
  }
  assert.deepEqual(reports, []);
  await store.close();
});
