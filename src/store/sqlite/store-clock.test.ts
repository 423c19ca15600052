import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../../compiler/compile.ts';
import { SqliteStore } from './store.ts';

const { plan } = compile('todos.md', readFileSync(join(import.meta.dirname, '../../../examples/todos.md'), 'utf8'));

test('a write waits no longer for another process where the clock has gone back', { timeout: 60_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  const store = new SqliteStore(join(dir, 'a.sqlite'), plan!);
  const other = new Database(join(dir, 'a.sqlite'));
  t.after(async () => {
    other.close();
    await store.close();
    rmSync(dir, { recursive: true });
  });
  other.exec('BEGIN IMMEDIATE');
  let hours = 0;
  const real = Date.now;
  t.mock.method(Date, 'now', () => real() - hours * 3_600_000);
  const refused = assert.rejects(
    store.write(function* () {}),
    { kind: 'busy' },
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  hours = 5;
  await refused;
});
