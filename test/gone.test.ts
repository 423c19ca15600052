import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { edited, RAISED, type Service, until, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';
import { isKnownToHaveGone, isRead } from './unread.ts';

const ADMIN = ['--admin', '127.0.0.1:0'];

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
    const { localPort = 0 } = socket;
    socket.write(create(key) + create(key) + create(key));
    await isRead(service.url, socket);
    await sleep(200);
    socket.resetAndDestroy();
    await isKnownToHaveGone(service.url, localPort);
    await sleep(200);
  } finally {
    other.close();
  }
}

/** Waits until each of the requests is told as ended in the numbers for the operator: no stop has to wait for them then. */
async function allEnded(service: Service): Promise<void> {
  const port = await until(() => /operator’s port is (\d+)/.exec(service.out)?.[1], 'the operator’s port');
  const ended = async (): Promise<number> => {
    const told = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return [...told.matchAll(/^ninefold_requests_total\{.*\} (\d+)$/gm)].reduce((sum, one) => sum + Number(one[1]), 0);
  };
  await until(async () => (await ended()) === 3, 'the end of each request');
}

test('a request whose client has gone ends, however long it may take', IN_WHOLE, async () => {
  await using space = new Workspace(ENDLESS);
  const key = await space.key(await space.customer());
  const service = await space.serve({ args: ADMIN });
  await askAndGo(space, service, key);
  await allEnded(service);
  assert.equal(await service.stop(), 0);
  assert.notEqual(space.select('SELECT * FROM ninefold_counter').length, 0, 'the store is closed in good order');
});

test('what a client that has gone had sent counts for its address', async () => {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const service = await space.serve({ args: ADMIN });
  await askAndGo(space, service, key);
  await allEnded(service);
  assert.equal(await service.stop(), 0);
  const counts = space.select("SELECT key, count FROM ninefold_counter WHERE key IN ('', '127.0.0.1')");
  assert.deepEqual(counts, [{ key: '127.0.0.1', count: 3 }]);
});
