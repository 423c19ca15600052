import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readGrowthOptions } from '../bench/growth/options.ts';
import { readOptions as readHelpdeskOptions } from '../bench/helpdesk/options.ts';
import { readOptions } from '../bench/options.ts';
import { BIN, ORDERS } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE } from './share.ts';

const ROOT = join(import.meta.dirname, '..');

/** The lines of the shell blocks of a page. */
function commandsOf(page: string): string[] {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, body]) => body!.trim().split('\n'));
}

/** Waits until the service says where it listens; throws what it said where it ends before. */
async function listening(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr!.on('data', (chunk) => {
    said += chunk;
  });
  for await (const chunk of child.stdout!) {
    said += chunk;
    if (/ at http:\/\//.test(said)) return;
  }
  throw new Error(said);
}

test('the commands of docs/scaling.md move a service to PostgreSQL, in the order of the page', IN_WHOLE, async () => {
  const all = commandsOf('docs/scaling.md');
  // A store with a standby is served by `npm run test:faults -- --only failover`.
  const commands = all.filter((command) => !command.includes('target_session_attrs'));
  assert.deepEqual([all.length, commands.length], [5, 4]);
  const place = mkdtempSync(join(tmpdir(), 'ninefold-docs-'));
  const server = await PostgresServer.shared();
  try {
    writeFileSync(join(place, 'orders.md'), ORDERS);
    const run = (...words: string[]): string => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], { cwd: place, encoding: 'utf8' });
      assert.equal(status, 0, `${words.join(' ')}\n${stderr}`);
      return stdout;
    };
    const ada = ['id=0190a000-0000-7000-8000-000000000001', 'name=Ada', 'email=ada@example.com'];
    run('rows', 'orders.md', 'add', 'Customer', ...ada, '--data', './data');
    const first = await server.database();
    const second = await server.database();
    for (const [i, command] of commands.entries()) {
      const [, line = ''] = /^(?:PGPASSWORD=… )?npx ninefold (.*)$/.exec(command) ?? [];
      // The page's first service has a database of its own: a backup is restored where there are no rows.
      const words = line.replace(/postgres:\S+/, i === 0 ? first : second).split(' ');
      if (words[0] !== 'serve') {
        run(...words);
        continue;
      }
      const child = spawn(process.execPath, [BIN, ...words, '--port', '0'], { cwd: place });
      await listening(child);
      child.kill('SIGTERM');
      await once(child, 'exit');
      assert.equal(child.exitCode, 0);
    }
    assert.match(run('rows', 'orders.md', 'list', 'Customer', '--store', second), /Ada/);
  } finally {
    await server[Symbol.asyncDispose]();
    rmSync(place, { recursive: true });
  }
});

test('the commands of docs/performance.md and CONTRIBUTING.md are commands of the bench', () => {
  const inline = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(/`(npm run bench[^`]*)`/g);
  const said = [...inline].map(([, command]) => command!);
  const commands = [...commandsOf('docs/performance.md'), ...said].filter((line) => line.startsWith('npm run bench'));
  const read = { bench: readOptions, 'bench:growth': readGrowthOptions, 'bench:helpdesk': readHelpdeskOptions };
  const seen = commands.flatMap((command) => {
    const [, script = '', words = ''] = /^npm run (\S+)(?: -- (.*))?$/.exec(command) ?? [];
    if (script !== 'bench' && script !== 'bench:growth' && script !== 'bench:helpdesk') return [];
    assert.doesNotThrow(() => read[script](words.split(' ').filter(Boolean)), command);
    return [script];
  });
  assert.ok(seen.length >= 7, seen.join(' '));
});
