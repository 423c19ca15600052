import { spawn } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { installTools } from './export/tools/install.ts';
import { inMemory } from './temporary.ts';
import { abreast, whole } from './tiers.ts';

/**
 * Runs the tests: `npm run cases` those of a usual run, and with `--whole` (`npm run test:whole`) those that have more to
 * do in a whole one, with the tools of others that only those need; with `--all`, each case of those, which takes hours. There are more processes at once than cores,
 * since most tests wait for others most of the time.
 */
const asked = process.argv.includes('--whole');
if (asked) installTools();
/** A whole run is on the disk, as services are. */
const temporary = asked ? tmpdir() : inMemory();
const child = spawn(
  process.execPath,
  [
    '--test',
    `--test-global-setup=${join(import.meta.dirname, 'everywhere.ts')}`,
    '--test-reporter=spec',
    `--test-concurrency=${asked ? 2 * availableParallelism() + 1 : abreast.length}`,
    ...(asked ? whole : abreast),
  ],
  {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'inherit',
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'),
      ...process.env,
      TMPDIR: temporary,
      ...(asked ? { NINEFOLD_WHOLE: process.argv.includes('--all') ? 'all' : '1' } : {}),
    },
  },
);
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
// Whoever interrupts a run interrupts the tests too, which end first: this stays to clear up behind them.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('SIGTERM', () => child.kill());
