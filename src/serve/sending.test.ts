import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { send } from './sending.ts';

test('a client that does not take its answer in is let go', { timeout: 30_000 }, async (t) => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  t.after(() => client.destroy());
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [request, response] = await once(server, 'request');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // More than the system takes in for a client that reads nothing.
  const body = 'x'.repeat(64 << 20);
  send({ response, answer: { status: 200, headers: [], body }, last: false, rest: null });
  const closed = once(request.socket, 'close');
  t.mock.timers.tick(30_000);
  await closed;
});
