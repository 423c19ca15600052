import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../compile.ts';
import type { Plan } from '../plan/step.ts';
import { LOG_PAGES } from './sqlite.log.ts';
import { SqliteStore } from './sqlite.ts';
import { call } from './store.ts';

const ORDERS = readFileSync(join(import.meta.dirname, '../../examples/orders.md'), 'utf8');
const PAGE = 4096;

test('the log begins anew while writes go on, and all that they wrote is there', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'orders.sqlite');
  const plan = compile('orders.md', ORDERS).plan as Plan;
  const store = new SqliteStore(file, plan);
  const customer = randomUUID();
  const addCustomer = store.prepare({ kind: 'insert', resource: 'Customer' });
  await store.write(() => call(addCustomer, [customer, 'Ada', 'ada@example.com', 1]));
  const insert = store.prepare({ kind: 'insert', resource: 'Order' });
  // With a text of that length each order takes a page and more of the log.
  const note = 'x'.repeat(PAGE - 300);
  let longest = 0;
  let written = 0;
  while (written < 3 * LOG_PAGES) {
    const batch = Array.from({ length: 400 }, (_, n) =>
      store.write(() =>
        call(insert, [randomUUID(), customer, `AAA-${written + n}`, 1, note, 'draft', Date.now(), 1, null, null]),
      ),
    );
    written += (await Promise.all(batch)).length;
    longest = Math.max(longest, statSync(`${file}-wal`).size / PAGE);
  }
  assert.ok(longest > LOG_PAGES && longest < 2 * LOG_PAGES, `the log had ${longest} pages`);
  await store.close();
  const again = new SqliteStore(file, plan);
  const count = again.prepare({ kind: 'count', resource: 'Order', where: null });
  assert.deepEqual(await again.read(() => call(count, [])), [[written]]);
  await again.close();
});
