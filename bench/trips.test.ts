import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Wire } from './trips/wire.ts';

test('what is sent before an answer is one round trip, and what is sent after it is another', async () => {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const wire = await Wire.to((echo.address() as AddressInfo).port, 50);
  const [one, other] = [connect(wire.port, '127.0.0.1'), connect(wire.port, '127.0.0.1')];
  try {
    await Promise.all([once(one, 'connect'), once(other, 'connect')]);
    let heard = '';
    one.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    const until = async (text: string): Promise<void> => {
      while (heard !== text) await once(one, 'data');
    };
    one.write('a');
    await sleep(10);
    one.write('b');
    await until('ab');
    assert.equal(wire.trips, 1);
    one.write('c');
    await until('abc');
    assert.equal(wire.trips, 2);
    other.write('d');
    await once(other, 'data');
    assert.equal(wire.trips, 3, 'each connection has trips of its own');
  } finally {
    one.destroy();
    other.destroy();
    wire.close();
    echo.close();
  }
});
