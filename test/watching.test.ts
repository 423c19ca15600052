import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { edited, RAISED, until, Workspace } from './harness.ts';

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

test('a document that is a link is served anew when it points elsewhere, and when what it points at changes', async () => {
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
  const taken = (times: number) => (): boolean => service.out.split('is served as it is now').length > times;
  // As a ConfigMap of Kubernetes is changed.
  symlinkSync('v2', join(space.dir, '..new'));
  renameSync(join(space.dir, '..new'), join(space.dir, '..data'));
  await until(taken(1), 'the other document served');
  writeFileSync(join(space.dir, 'v2', 'orders.md'), paged(30));
  await until(taken(2), 'the edit served');
  await sleep(1500);
  assert.ok(!taken(3)(), 'nothing is read anew that has not changed');
});

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

test('nobody waits for a receiver that hangs while an edit is taken up that rows have to follow', async () => {
  await using receiver = await hanging();
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  await space.receiver(`http://127.0.0.1:${receiver.port}/`);
  const service = await space.serve({ args: ['--watch'] });
  await service.opened(key, 'EXC-0001');
  await until(() => receiver.sockets.length > 0, 'something is sent');
  space.write(WIDER);
  while (!service.out.includes('is served as it is now')) {
    const { status } = await service.request('GET', '/summary', { key });
    assert.equal(status, 200);
    await sleep(20);
  }
});
