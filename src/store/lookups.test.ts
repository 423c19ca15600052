import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../compiler/compile.ts';
import { listKeys } from './lookups.ts';
import { openTables } from './sqlite/tables.ts';

const text = readFileSync(new URL('../../examples/orders.md', import.meta.url), 'utf8');
const plan = compile('orders.md', text).plan!;

test('a list has an index for each parameter that may keep few rows', () => {
  const keys = listKeys(plan)
    .get('Order')!
    .map((index) => index.map(({ field }) => field));
  assert.ok(keys.some((fields) => fields.join() === 'customer,created'));
  assert.ok(keys.some((fields) => fields.join() === 'customer,sku,created'));
  assert.ok(!keys.some((fields) => fields.includes('status')), 'a state is one of few');
});

test('a list of which a parameter keeps few rows goes through no others, and sorts none', () => {
  const db = new Database(':memory:');
  openTables(db, plan);
  const steps = db
    .prepare(
      'EXPLAIN QUERY PLAN SELECT * FROM "order" WHERE customer = ? AND sku = ? ORDER BY created DESC, id DESC LIMIT 21',
    )
    .all(Buffer.alloc(16), 'ABC-1234') as Array<{ detail: string }>;
  assert.deepEqual(
    steps.map(({ detail }) => detail),
    ['SEARCH order USING INDEX ninefold_lookup_order_customer_sku_created (customer=? AND sku=?)'],
  );
});

test('rows that are visible by a field of the caller are looked up by it first', () => {
  const helpdesk = readFileSync(new URL('../../examples/helpdesk.md', import.meta.url), 'utf8');
  const keys = listKeys(compile('helpdesk.md', helpdesk).plan!).get('Ticket')!;
  const orders = keys.map((index) => index.map(({ field }) => field).join());
  assert.ok(orders.includes('organisation,due'));
  assert.ok(orders.includes('organisation,number'));
  assert.ok(!orders.includes('due'), 'another organisation’s tickets are not read');
});
