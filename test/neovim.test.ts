import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { example } from './fixtures.ts';
import { BIN } from './harness.ts';

const hasNeovim = spawnSync('nvim', ['--version']).status === 0;
const DRIVE = fileURLToPath(new URL('neovim/drive.lua', import.meta.url));

test('Neovim shows and does what the server says', { skip: hasNeovim ? false : 'Neovim is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'neovim-'));
  try {
    const file = join(folder, 'orders.md');
    writeFileSync(file, example('orders'));
    const env = { ...process.env, NINEFOLD_SERVER: `${process.execPath} ${BIN} lsp`, NINEFOLD_DOCUMENT: file };
    const options = { env, encoding: 'utf8', timeout: 120_000 } as const;
    const { stdout, stderr } = spawnSync('nvim', ['--headless', '--clean', '-n', '-S', DRIVE], options);
    const line = stdout.split('\n').find((one) => one.startsWith('{'));
    assert.ok(line, stderr);
    const { finding, hover, completion, definition, references, outline, folds, tokens, ...others } = JSON.parse(line);
    assert.match(finding, /“Inital” is not allowed here/);
    assert.match(hover, /^Such a bullet is written: Initial: /);
    assert.ok(completion.includes('Initial: '));
    const lines = example('orders').split('\n');
    assert.equal(
      definition,
      lines.findIndex((one) => one.startsWith('| order_not_open ')),
    );
    assert.equal(references, lines.filter((one) => /\bquantity\b/.test(one)).length);
    assert.equal(outline, 9);
    assert.ok(folds > 30 && tokens > 500);
    assert.deepEqual(others, {
      fix: 'Write “Initial”',
      left: 0,
      mended: true,
      renamed: true,
      afterRename: 0,
      formatted: true,
      lenses: ['1 question', ...Array(10).fill('not served until a question elsewhere is answered')],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
