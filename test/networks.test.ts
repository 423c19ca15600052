import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { edited, ORDERS } from './harness.ts';

const RATE = 'Rate         | 6000 requests per minute                    | each address, before authentication |';
const TWO = '2 requests per minute';

/** What a document answers to requests of nobody, each from an address. */
async function statuses(rate: string, addresses: readonly string[]): Promise<number[]> {
  const { plan, findings } = compile('orders.md', edited(ORDERS, [RATE, rate]));
  assert.deepEqual(findings, []);
  const store = new SqliteStore(':memory:', plan as Plan);
  const engine = await Engine.start(plan as Plan, store);
  const handler = new Handler(engine, { failed: (_name, error) => assert.fail(String(error)), recorded: () => {} });
  const out: number[] = [];
  for (const address of addresses) {
    const asked = { method: 'GET', path: '/summary', query: null, rawHeaders: ['Host', 'a'], address };
    const { answer } = await handler.handle({ ...asked, arrived: 1e12, now: 1e12, body: () => Buffer.alloc(0) });
    out.push(answer.status);
  }
  await store.close();
  return out;
}

for (const applies of ['each address, before authentication', 'each address without a caller'])
  test(`${applies}: an IPv6 network is one address, and an IPv4 address is one in every form`, async () => {
    const addresses = [
      ...['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3', '2001:db8:0:1::1'],
      ...['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '192.0.2.2'],
      ...['fe80::1%eth0', 'fe80::2%eth1', 'fe80::3'],
    ];
    assert.deepEqual(await statuses(`Rate         | ${TWO} | ${applies} |`, addresses), [
      ...[401, 401, 429, 401],
      ...[401, 401, 429, 401],
      ...[401, 401, 429],
    ]);
  });
