import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { PATIENT, type Service, until, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';

let workspace: Workspace;
let service: Service;
let key = '';
let operator = '';

before(async () => {
  workspace = new Workspace(PATIENT);
  key = await workspace.key(await workspace.customer());
  service = await workspace.serve({ args: ['--admin', '127.0.0.1:0'] });
  operator = await until(() => /operator’s port is (\d+)/.exec(service.out)?.[1], 'the operator’s port');
});

after(() => workspace[Symbol.asyncDispose]());

/** One that is refused, for want of a key. */
const REFUSED = 'GET /summary HTTP/1.1\r\nHost: orders.example\r\n\r\n';

/** A request that opens an order under an idempotency key, head and body. */
function create(idempotency: string): readonly [head: string, body: string] {
  const body = JSON.stringify({ sku: 'PIP-2000', quantity: 1 });
  const head = `POST /orders HTTP/1.1\r\nHost: orders.example\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${idempotency}\r\n`;
  return [`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`, body];
}

/** A connection of a client that sends more than it waits for, and counts what it is answered. */
class Client {
  readonly socket;
  answers = 0;
  private before = '';

  constructor(reads: boolean) {
    const { hostname, port } = new URL(service.url);
    this.socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    this.socket.on('error', () => {});
    this.socket.on('data', (bytes) => {
      const text = this.before + bytes.toString('latin1');
      this.answers += text.split('HTTP/1.1 ').length - 1;
      this.before = /H[^ ]{0,7}$/.exec(text)?.[0] ?? '';
    });
    if (!reads) this.socket.pause();
  }
}

test('thousands of requests over one connection take nobody else’s turn', IN_WHOLE, async () => {
  const summary = (): Promise<{ status: number }> => service.request('GET', '/summary', { key });
  // Its connection stands before the others come.
  await summary();
  const many = new Client(true);
  many.socket.write(REFUSED.repeat(20_000));
  await until(() => many.answers > 2000, 'the first answers to come');
  const before = many.answers;
  assert.equal((await summary()).status, 200);
  const between = many.answers - before;
  await until(() => many.answers === 20_000, 'all of them to be answered');
  assert.ok(between < 5000, `${between} were answered between the request of another and its answer`);
  many.socket.destroy();
});

/** The number of answers that a request of the list has had. */
async function lists(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${operator}/metrics`)).text();
  const found = /^ninefold_requests_total\{[^}]*endpoint="[^"]*GET \/orders"[^}]*\} (\d+)/m.exec(text);
  return Number(found?.[1] ?? 0);
}

test('whoever takes in no answers is given no more of them, and all once it does', async () => {
  for (let n = 0; n < 100; n++) await service.opened(key, `PIP-${1000 + n}`, { note: '漢'.repeat(500) });
  const slow = new Client(false);
  const list = `GET /orders?limit=100 HTTP/1.1\r\nHost: orders.example\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  slow.socket.write(list.repeat(200));
  // What the system holds for a client that reads nothing is a few of them.
  const answered = await settled(lists);
  assert.ok(answered > 0 && answered < 150, `${answered} of 200 were answered to nobody`);
  slow.socket.resume();
  await until(() => slow.answers === 200, 'all of them to come');
  slow.socket.destroy();
});

test('a connection is read no further while its requests wait', async () => {
  const requests = Buffer.from(create('pip').join('').repeat(4000));
  // While another process writes, none of them can be answered.
  const other = new Database(join(workspace.data, 'ninefold.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  const eager = new Client(true);
  for (let n = 0; n < 64; n++) eager.socket.write(requests);
  const left = await settled(async () => eager.socket.writableLength);
  assert.ok(left > 0, 'all that it sends is taken in');
  assert.equal(eager.answers, 0);
  other.close();
  await until(() => eager.answers > 1000, 'answers to come');
  eager.socket.destroy();
  assert.equal((await service.request('GET', '/summary', { key })).status, 200);
});

/** What a figure is once it has stayed the same for half a second. */
async function settled(figure: () => Promise<number>): Promise<number> {
  for (let before = -1; ; ) {
    const now = await figure();
    if (now === before) return now;
    before = now;
    await sleep(500);
  }
}

test('a connection with many requests waiting, the last with its body still to come, goes on', async () => {
  const client = new Client(true);
  const [head, body] = create('late');
  client.socket.write(REFUSED.repeat(300) + head);
  await until(() => client.answers === 300, 'those before it to be answered');
  client.socket.write(body + REFUSED);
  await until(() => client.answers === 302, 'it and the one after it to be answered');
  client.socket.destroy();
});

test('requests that are refused before their bodies are read are all answered, and the connection goes on', async () => {
  const client = new Client(true);
  const [head, body] = create('refused');
  client.socket.write((head.replace(key, 'nobody') + body).repeat(1000) + REFUSED);
  await until(() => client.answers === 1001, 'all of them to be answered');
  assert.equal(client.socket.readableEnded, false);
  client.socket.destroy();
});

test('a client that ends its side behind its last request is answered all the same', async () => {
  for (const many of [1, 300]) {
    const client = new Client(true);
    for (let n = 0; n < many; n++) client.socket.write(create(`end-${many}-${n}`).join(''));
    const ended = once(client.socket, 'end');
    client.socket.end();
    await ended;
    assert.equal(client.answers, many);
  }
});
