import '../../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edited, PATIENT, Workspace } from '../../harness.ts';
import { times } from '../../share.ts';
import { type Cut, CuttingProxy } from './cutting-proxy.ts';
import { createClient, unwrap } from './goldens/orders.ts';

const CREATES = times(200, 1000);
const AT_ONCE = 16;

/** Nothing but the idempotency key keeps an order from being opened twice. */
const TWICE = edited(
  PATIENT,
  ['- Unique: customer and sku while `status == "draft"`, else order_already_open\n', ''],
  ['| order_already_open  | 409    | a rule says so           | This product is already on an open draft |\n', ''],
);

test(`${CREATES} orders that are opened over a network that cuts a fifth of the connections are that many rows`, async (t) => {
  await using space = new Workspace(TWICE);
  const service = await space.serve();
  const cuts: readonly Cut[] = ['request', 'answer due', 'answer'];
  const proxy = new CuttingProxy(service.url, (number) =>
    number % 5 === 0 ? (cuts[(number / 5) % cuts.length] ?? 'nowhere') : 'nowhere',
  );
  const client = createClient({
    baseUrl: await proxy.listen(),
    apiKey: await space.key(await space.customer()),
    attempts: 30,
    pause: 5,
    // A connection for each request.
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, connection: 'close' } }),
  });
  try {
    const ids = new Set<string>();
    let attempts = 0;
    let left = CREATES;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const made = await client.orders.create({ sku: 'ABC-1234', quantity: 1 });
        attempts += made.attempts;
        ids.add(unwrap(made).id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const rows = space.select<{ rows: number }>('select count(*) as rows from "Order"');
    t.diagnostic(`${attempts} attempts; cut: ${JSON.stringify(proxy.cuts)}`);
    assert.deepEqual([ids.size, rows[0]?.rows], [CREATES, CREATES]);
    for (const cut of cuts) assert.ok(proxy.cuts[cut] > 0, cut);
    assert.ok(attempts >= CREATES * 1.2);
  } finally {
    await proxy.close();
  }
});
