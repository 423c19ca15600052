import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newKeyText } from '../../../test/tokens.ts';
import { compile } from '../../compiler/compile.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { storedColumns } from '../../store/tables.ts';
import { Engine } from '../engine/engine.ts';
import { columnsOf, packed } from './event-visibility.ts';

test('a row that is kept for readers of a stream holds no hash of a password', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/documents/accounts.md'), 'utf8');
  const plan = compile('accounts.md', text).plan!;
  const store = new SqliteStore(':memory:', plan);
  try {
    const engine = await Engine.start(plan, store, 'https://accounts.example', (_scheme, algorithm) =>
      newKeyText(algorithm),
    );
    const passwords = plan.resources.flatMap(({ name, columns }) =>
      columns.flatMap((column) => (column.password ? [[name, column.name] as const] : [])),
    );
    assert.ok(passwords.length > 0);
    for (const [name, column] of passwords) {
      const resource = engine.resources.get(name)!;
      const row = storedColumns(resource.plan).map((one) => `value of ${one.name}`);
      const kept = packed(columnsOf(resource), row);
      assert.ok(!kept.includes(column), kept);
      assert.ok(kept.includes(`value of ${resource.plan.identity}`));
    }
  } finally {
    await store.close();
  }
});
