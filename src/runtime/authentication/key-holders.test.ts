import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compile } from '../../compiler/compile.ts';
import { emptyFrame } from '../../expression/values/value.ts';
import type { Plan } from '../../plan/step.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { call } from '../../store/store.ts';
import { Engine } from '../engine/engine.ts';
import { Operator } from '../operator.ts';
import { KeyHolders } from './key-holders.ts';

const CUSTOMER = '0195c2a0-0000-7000-8000-000000000001';

test('a caller is assumed to be as it was read, but not for a while after it has changed', async () => {
  const plan = compile('orders.md', readFileSync('examples/orders.md', 'utf8')).plan as Plan;
  const store = new SqliteStore(':memory:', plan);
  const insert = store.prepare({ kind: 'insert', resource: 'Customer' });
  const rename = store.prepare({ kind: 'update', resource: 'Customer', columns: ['name'] });
  await store.write(() => call(insert, [CUSTOMER, 'Ada', 'ada@example.com', 1]));
  const engine = await Engine.start(plan, store, null);
  const { key } = await new Operator(engine).issueKey('Customer', CUSTOMER, ['orders:read']);
  const holders = new KeyHolders(plan.schemes[0]!, store, null);
  const isAssumed = async (assumes: boolean): Promise<boolean> => {
    const caller = await holders.accept(key, { frame: emptyFrame(Date.now(), ''), assumes });
    assert.ok(typeof caller !== 'string');
    return caller.assumed !== undefined;
  };
  assert.equal(await isAssumed(true), false, 'it has not been read before');
  assert.equal(await isAssumed(true), true);
  assert.equal(await isAssumed(false), false);
  assert.equal(await isAssumed(true), true, 'it was read again, and was the same');
  await store.write(() => call(rename, ['Bea', CUSTOMER]));
  assert.equal(await isAssumed(true), true, 'nobody knows of the change yet');
  assert.equal(await isAssumed(false), false);
  assert.equal(await isAssumed(true), false, 'it has changed, and may change again');
  await store.close();
});
