import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { EventStream, type StreamMessage } from './event-stream.ts';
import type { Exchange, Request } from './exchange.ts';
import { HttpTarget } from './http-target.ts';
import { placeOf } from './loopback.ts';

const GET: Request = { method: 'GET', target: '/events', headers: [], body: null };
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n';
/** Long enough for a busy machine. */
const PATIENCE_MS = 60_000;

async function targetThat(
  t: TestContext,
  act: (socket: Socket) => void,
  milliseconds: number,
  bytes = 1 << 20,
): Promise<HttpTarget> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => act(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new HttpTarget(await placeOf(url, false), { milliseconds, bytes });
}

function stream(opened: EventStream | Exchange): EventStream {
  assert.ok(opened instanceof EventStream, JSON.stringify(opened));
  return opened;
}

const told = (message: StreamMessage | null): unknown =>
  message && [message.id, message.event, message.data, message.retry];

test('messages are read as browsers read them, in whatever pieces they come', async () => {
  const text =
    'retry: 250\nid: 1\n\n:beat\n\nevent: opened\ndata: {"a":\ndata: "é"}\nid: 2\n\rdata:x\r\n\r\nevent: none\r\ndata\r\rdata: cut';
  const bytes = Buffer.from(text.replace('\n\rdata:x', '\n\ndata:x'));
  for (const size of [bytes.length, 7, 1]) {
    const one = new EventStream({ status: 200, headers: [], close: () => {} }, 1000);
    for (let i = 0; i < bytes.length; i += size) one.take(bytes.subarray(i, i + size));
    one.ended();
    const all: unknown[] = [];
    for (;;) {
      const message = await one.next(0);
      if (!message) break;
      all.push(told(message));
    }
    assert.deepEqual(
      all,
      [
        ['1', 'message', null, 250],
        ['1', 'message', null, null],
        ['2', 'opened', '{"a":\n"é"}', null],
        ['2', 'message', 'x', null],
        ['2', 'none', '', null],
      ],
      `in pieces of ${size}`,
    );
    assert.ok(one.isOver);
  }
});

test('a stream lasts longer than an answer may take, and ends when either side ends it', async (t) => {
  const sockets: Socket[] = [];
  const target = await targetThat(
    t,
    (socket) => {
      sockets.push(socket);
      socket.write(HEAD);
      setTimeout(() => socket.write('data: late\n\n'), 2500);
    },
    2000,
  );
  const one = stream(await target.follow(GET));
  assert.equal(await one.next(50), null);
  assert.equal((await one.next(PATIENCE_MS))?.data, 'late');
  sockets[0]?.end('data: half');
  assert.equal(await one.next(PATIENCE_MS), null);
  assert.equal(one.isOver, true);
  const two = stream(await target.follow(GET));
  const closed = once(sockets[1] ?? assert.fail('no connection'), 'close');
  two.close();
  await closed;
  assert.equal(two.isOver, true);
  assert.equal(target.sent, 2);
});

test('an answer that is no stream is an exchange', async (t) => {
  const refuses = await targetThat(
    t,
    (socket) => {
      socket.end('HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/event-stream\r\nContent-Length: 2\r\n\r\nno');
    },
    PATIENCE_MS,
  );
  const refused = await refuses.follow(GET);
  assert.ok(!(refused instanceof EventStream) && 'status' in refused.outcome);
  assert.deepEqual([refused.outcome.status, refused.outcome.body.toString()], [429, 'no']);
  const hangs = await targetThat(t, () => {}, 300);
  const late = await hangs.follow(GET);
  assert.ok(!(late instanceof EventStream) && 'failed' in late.outcome);
  assert.equal(late.outcome.failed, 'timed out');
});

test('a stream without end of a message, or with too many, is cut off', async (t) => {
  const pour = (socket: Socket, piece: string): void => {
    socket.write(HEAD);
    const go = (): void => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once('drain', go);
    };
    go();
  };
  for (const [piece, says] of [
    ['data: x'.repeat(1000), 'A message of the stream is longer than 65536 bytes. Ninefold closed the stream.'],
    ['data: x\n\n'.repeat(100), 'More than 10000 messages of the stream wait. Ninefold closed the stream.'],
  ] as const) {
    let closed: Promise<unknown> | null = null;
    const target = await targetThat(
      t,
      (socket) => {
        closed = new Promise((resolve) => socket.on('close', resolve));
        pour(socket, piece);
      },
      PATIENCE_MS,
      1 << 16,
    );
    const one = stream(await target.follow(GET));
    await closed;
    while (!one.isOver) await one.next(0);
    assert.equal(one.cutOff, says);
  }
});
