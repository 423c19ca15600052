import './whole-alone.ts';
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { largeDocument } from '../samples/large.ts';
import { compileApart } from '../src/cli/compiler-process.ts';
import { edited, RAISED, until, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';

/** The document with larger pages, which is known by the rows that it lists unasked. */
const paged = (standard: number): string =>
  edited(RAISED, ['20 by default, 100 at most', `${standard} by default, 100 at most`]);

const WIDER = edited(
  RAISED,
  [
    '| created  | timestamp |',
    '| extra    | string    |        | at most 40 characters | request | optional | |\n| created  | timestamp |',
  ],
  ['quantity, note, status, created\n', 'quantity, note, status, created, extra\n'],
  ['- Request: Order with sku, quantity, note\n', '- Request: Order with sku, quantity, note, extra\n'],
);

test(
  'a document that is a link is served anew when it points elsewhere, and when what it points at changes',
  IN_WHOLE,
  async () => {
    await using space = new Workspace(RAISED);
    for (const [version, standard] of [
      ['v1', 20],
      ['v2', 25],
    ] as const) {
      mkdirSync(join(space.dir, version));
      writeFileSync(join(space.dir, version, 'orders.md'), paged(standard));
    }
    rmSync(space.file);
    symlinkSync('v1', join(space.dir, '..data'));
    symlinkSync('..data/orders.md', space.file);
    const service = await space.serve({ args: ['--watch'] });
    const taken = (times: number) => (): boolean => service.out.split('The new document is served').length > times;
    // As a ConfigMap of Kubernetes is changed.
    symlinkSync('v2', join(space.dir, '..new'));
    renameSync(join(space.dir, '..new'), join(space.dir, '..data'));
    await until(taken(1), 'the other document served');
    writeFileSync(join(space.dir, 'v2', 'orders.md'), paged(30));
    await until(taken(2), 'the edit served');
    await sleep(1500);
    assert.ok(!taken(3)(), 'nothing is read anew that has not changed');
  },
);

/** A receiver that takes connections and never answers. */
async function hanging(): Promise<{ port: number; sockets: Socket[]; [Symbol.asyncDispose](): Promise<void> }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const over = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, sockets, [Symbol.asyncDispose]: over };
}

test(
  'nobody waits for a receiver that hangs while an edit is taken up that rows have to follow',
  IN_WHOLE,
  async () => {
    await using receiver = await hanging();
    await using space = new Workspace(RAISED);
    const key = await space.key(await space.customer());
    await space.receiver(`http://127.0.0.1:${receiver.port}/`);
    const service = await space.serve({ args: ['--watch'] });
    await service.opened(key, 'EXC-0001');
    await until(() => receiver.sockets.length > 0, 'something is sent');
    space.write(WIDER);
    while (!service.out.includes('The new document is served')) {
      const { status } = await service.request('GET', '/summary', { key });
      assert.equal(status, 200);
      await sleep(20);
    }
  },
);

const LIMITS = { seconds: 60, mebibytes: 512 };

test('an edited document that takes too long, or too much memory, costs its own process alone', IN_WHOLE, async () => {
  await using space = new Workspace(RAISED);
  const request = { file: space.file, settledOnly: false, url: 'https://api.example.com', color: false, answers: {} };
  const { signal } = new AbortController();
  const good = await compileApart(request, signal, LIMITS);
  assert.equal(good.kind, 'compiled');
  assert.deepEqual(await compileApart(request, signal, { ...LIMITS, seconds: 0.001 }), {
    kind: 'ended',
    reason: 'compiling took longer than 0.001 seconds',
  });
  space.write(largeDocument(3000));
  assert.deepEqual(await compileApart(request, signal, { ...LIMITS, mebibytes: 24 }), {
    kind: 'ended',
    reason: 'compiling took more than 24 MiB',
  });
  assert.deepEqual(await compileApart(request, AbortSignal.abort(), LIMITS), {
    kind: 'ended',
    reason: 'the document has changed again',
  });
  space.write('# Nothing');
  assert.equal((await compileApart(request, signal, LIMITS)).kind, 'findings');
  rmSync(space.file);
  assert.equal((await compileApart(request, signal, LIMITS)).kind, 'refused');
});

/**
 * Stops a compiler that a process has started; gives which, or null where there is none, or none any more. A child before
 * its `exec` is left out: stopping it blocks its parent.
 */
function stopCompiler(pid: number): number | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    const compiler = children.find((child) =>
      readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('compiler-child'),
    );
    if (compiler === undefined) return null;
    process.kill(Number(compiler), 'SIGSTOP');
    return Number(compiler);
  } catch {
    return null;
  }
}

test('a service goes on with the old document where the compiler of an edit is ended, and takes up the next edit', async () => {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const service = await space.serve({ args: ['--watch'] });
  const served = (): number => service.out.split('The new document is served').length - 1;
  let edits = 0;
  // A process that is stopped as soon as it is there stands for one that hangs; where it was done before that, another.
  const compiler = await until(() => {
    if (served() === edits) space.write(paged(25 + edits++));
    return stopCompiler(service.child.pid!);
  }, 'a compiler');
  assert.equal((await service.request('GET', '/summary', { key })).status, 200);
  process.kill(compiler, 'SIGKILL');
  await until(() => service.err.includes('The last good document is still served'), 'a line about it');
  assert.match(service.err, /the compiler ended early \(SIGKILL\)/);
  await until(() => service.err.includes('"event":"document.refused"'), 'a line in the log');
  assert.equal((await service.request('GET', '/summary', { key })).status, 200);
  space.write(paged(25 + edits));
  await until(() => served() === edits, 'the next edit served');
});
