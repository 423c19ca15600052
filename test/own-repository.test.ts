import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { IN_WHOLE } from './share.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'own-repository.md'), 'utf8');

/** The block of the page after the name of a file. */
function block(file: string): string {
  const [, text] = new RegExp(`\`${file.replaceAll('.', '\\.')}\`:\n\n\`\`\`\\w+\n([\\s\\S]*?)\`\`\``).exec(PAGE) ?? [];
  assert.ok(text, file);
  return text;
}

test('the files of docs/own-repository.md check, test and export a service of a team’s own', IN_WHOLE, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-own-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const file of ['package.json', 'test/service.test.js', 'ci.sh']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), block(file));
  }
  // As `npm install` leaves it.
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules', 'ninefold'));
  symlinkSync(join('..', 'ninefold', 'bin', 'ninefold.js'), join(folder, 'node_modules', '.bin', 'ninefold'));
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    NODE_TEST_CONTEXT: undefined,
  };
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('npx', 'ninefold', 'init', '--example', 'todos', 'service.md');
  const said = run('sh', 'ci.sh');
  assert.match(said, /No findings\. 31 items/);
  assert.match(said, /pass 1\n/);
  assert.match(said, /\d+ statements: \d+ kept, 0 broken/);
  assert.ok(existsSync(join(folder, 'contract.xml')));
  assert.match(readFileSync(join(folder, 'src', 'client.ts'), 'utf8'), /export class/);
});
