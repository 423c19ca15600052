import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { edited, RAISED, type Service, Workspace } from './harness.ts';

/** The orders document without any time-out. */
const ENDLESS = edited(
  RAISED,
  ['| Time-out     | 5 seconds                                   | every endpoint                      |\n', ''],
  ['- Rate headers:', 'Time-outs: none.\n\n- Rate headers:'],
);

/** A request that opens an order, head and body. */
function create(key: string): string {
  const body = '{"sku":"ABC-1234","quantity":1}';
  return [
    'POST /orders HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${key}`,
    `Idempotency-Key: ${randomUUID()}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

/** Sends several requests, of which the first is kept waiting, and goes before any is answered. */
async function askAndGo(space: Workspace, service: Service, key: string): Promise<void> {
  const other = new Database(join(space.data, 'ninefold.sqlite'));
  try {
    other.exec('BEGIN IMMEDIATE');
    const { hostname, port } = new URL(service.url);
    const socket = connect({ port: Number(port), host: hostname });
    await once(socket, 'connect');
    socket.write(create(key) + create(key) + create(key));
    await sleep(1000);
    socket.resetAndDestroy();
    await sleep(300);
  } finally {
    other.close();
  }
  await sleep(500);
}

test('a request whose client has gone ends, however long it may take', async () => {
  await using space = new Workspace(ENDLESS);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  await askAndGo(space, service, key);
  const began = Date.now();
  assert.equal(await service.stop(), 0);
  assert.ok(Date.now() - began < 5000, 'the stop waits for nothing');
  assert.notEqual(space.select('SELECT * FROM ninefold_counter').length, 0, 'the store is closed in good order');
});

test('what a client that has gone had sent counts for its address', async () => {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  await askAndGo(space, service, key);
  assert.equal(await service.stop(), 0);
  const counts = space.select("SELECT key, count FROM ninefold_counter WHERE key IN ('', '127.0.0.1')");
  assert.deepEqual(counts, [{ key: '127.0.0.1', count: 3 }]);
});
