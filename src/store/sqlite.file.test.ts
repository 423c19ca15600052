import assert from 'node:assert/strict';
import { fstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DatabaseFile } from './sqlite.file.ts';

test('a shared file is closed by the last who has it', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'a');
  writeFileSync(path, '');
  const one = new DatabaseFile(path);
  const descriptor = one.descriptor();
  const other = one.shared();
  one.close();
  assert.equal(other.descriptor(), descriptor);
  assert.ok(fstatSync(descriptor).isFile());
  other.close();
  assert.throws(() => fstatSync(descriptor), { code: 'EBADF' });
  const again = other.shared();
  assert.ok(fstatSync(again.descriptor()).isFile());
  again.close();
  assert.throws(() => new DatabaseFile(join(path, 'none')).descriptor(), { code: 'ENOTDIR' });
});
