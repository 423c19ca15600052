import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Outlet } from './message.ts';
import { send, sendStream } from './sending.ts';

/** Returns a request that has arrived, its response, and the client's socket. */
async function asked(t: TestContext): Promise<readonly [IncomingMessage, ServerResponse, Socket]> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  t.after(() => client.destroy());
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return [request, response, client];
}

const stream = (run: (out: Outlet) => Promise<void>) => ({ status: 200, headers: [], body: null, stream: { run } });

test('a client that does not take its answer in is let go', { timeout: 30_000 }, async (t) => {
  const [request, response] = await asked(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // More bytes than the system buffers for a client that doesn't read.
  const body = 'x'.repeat(64 << 20);
  send({
    response,
    answer: { status: 200, headers: [], body },
    bytes: Buffer.byteLength(body),
    last: false,
    rest: null,
  });
  const closed = once(request.socket, 'close');
  t.mock.timers.tick(30_000);
  await closed;
});

test('a stream whose answer waits for others ends with its connection', { timeout: 30_000 }, async (t) => {
  const [request, , client] = await asked(t);
  // Node 22 emits no event on an answer that is queued behind another.
  const waiting = new ServerResponse(request);
  const sent = sendStream(
    request,
    waiting,
    stream(async (out) => {
      assert.equal(await out.write('a', 1000), true);
      client.resetAndDestroy();
      await out.gone;
      assert.equal(await out.write('b', 1000), false);
    }),
    true,
  );
  await sent;
  await sendStream(
    request,
    new ServerResponse(request),
    stream(async (out) => {
      await out.gone;
      assert.equal(await out.write('a', 1000), false);
    }),
    true,
  );
});

test('a stream keeps nothing of the times that its reader was slow', { timeout: 30_000 }, async (t) => {
  const [request, response, client] = await asked(t);
  let waits = 0;
  await sendStream(
    request,
    response,
    stream(async (out) => {
      const then = t.mock.method(out.gone, 'then');
      const listeners = (): number => response.listenerCount('close') + request.socket.listenerCount('close');
      const before = listeners();
      const piece = 'x'.repeat(1 << 20);
      response.on('drain', () => waits++);
      client.resume();
      for (let i = 0; i < 16; i++) assert.equal(await out.write(piece, 10_000), true);
      assert.equal(then.mock.callCount(), 0);
      assert.equal(listeners(), before);
    }),
    true,
  );
  assert.ok(waits > 0);
});
