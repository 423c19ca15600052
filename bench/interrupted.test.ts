import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';

const SERVER = `require('node:http').createServer().listen(0, '127.0.0.1', function () {
  console.log('http://127.0.0.1:' + this.address().port);
});`;

/** A run: it has a server started, and then waits until it is interrupted. */
const RUN = `
import { hearInterrupts } from '${import.meta.dirname}/interrupted.ts';
import { Running } from '${import.meta.dirname}/process.ts';
const interrupted = hearInterrupts((line) => console.log(line));
const where = { data: '', document: '', syncs: null, pinned: false, profiles: null, interrupted };
const server = { name: 'one', title: 'One', arguments: () => ['-e', ${JSON.stringify(SERVER)}] };
const running = await Running.start(server, where);
console.log('pid', running.pid);
await new Promise((resolve) => interrupted.soon.addEventListener('abort', resolve));
if (process.argv[1] === 'orderly') await running.stop();
`;

async function start(how: string) {
  const run = spawn(process.execPath, ['--input-type=module', '-e', RUN, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => void run.kill('SIGKILL'));
  const lines = createInterface(run.stdout)[Symbol.asyncIterator]();
  const [, pid] = ((await lines.next()).value as string).split(' ');
  return { run, lines, server: Number(pid), ended: once(run, 'exit') };
}

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a run that is interrupted goes on to its report, and ends with the signal’s number', async () => {
  const { run, lines, server, ended } = await start('orderly');
  run.kill('SIGINT');
  assert.match((await lines.next()).value as string, /^Interrupted: .* is reported once/);
  assert.deepEqual(await ended, [130, null]);
  assert.equal(runs(server), false);
});

test('one that is interrupted twice leaves no server behind', async () => {
  const { run, lines, server, ended } = await start('stuck');
  run.kill('SIGTERM');
  await lines.next();
  run.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(runs(server), true);
  run.kill('SIGTERM');
  assert.deepEqual(await ended, [143, null]);
  while (runs(server)) await new Promise((resolve) => setTimeout(resolve, 20));
});
