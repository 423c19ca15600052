import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../compiler/compile.ts';
import type { Argument } from '../store.ts';
import type { SystemStatement } from '../system.ts';
import { SqliteStore } from './store.ts';

const ORDERS = readFileSync(new URL('../../../examples/orders.md', import.meta.url), 'utf8');

test('a service leaves no bytes of a replaced secret, and none of a removed answer, in its database', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'ninefold.sqlite');
  const store = new SqliteStore(path, compile('orders.md', ORDERS).plan!, 'service');
  const run = (name: SystemStatement, ...args: Argument[]): Promise<void> => {
    const statement = store.prepare({ kind: 'system', name });
    return store.write(function* () {
      yield [statement, args];
    });
  };
  const print = Buffer.from('print');
  await run('insert receiver', 'rcv_r', 'https://example.com/', 'whsec_first', 'v1', false, 0);
  await run('keep answer', '1', 'POST /keys', 'caller', 'key', print, 201, '[]', '{"key": "answered_key"}', null, 1);
  await run('keep answer', '2', 'POST /keys', 'caller', 'other', print, 201, '[]', '{"key": "kept_key"}', null, 10);
  await run('rotate secret', 1, 'whsec_second', 'rcv_r');
  await run('forget old secrets', 2);
  await run('forget answers', 2, 100);
  await store.close();
  const file = readFileSync(path, 'latin1');
  const found = ['whsec_first', 'whsec_second', 'answered_key', 'kept_key'].filter((secret) => file.includes(secret));
  assert.deepEqual(found, ['whsec_second', 'kept_key']);
});
