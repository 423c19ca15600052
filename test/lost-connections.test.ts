import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { call, type Program, StoreError } from '../src/store/store.ts';
import { ORDERS } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

/** What a store sends in its first seconds comes in fewer pieces. */
const MOST_PIECES = times(15, 80);
const PLAN = compile('orders.md', ORDERS).plan!;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

/** Hands on what is sent to a database until the piece of this number comes, of all connections: then it cuts them all, once. */
async function cuttingAt(port: number, last: number) {
  const sockets = new Set<Socket>();
  let pieces = 0;
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (bytes: Buffer) => {
      if (++pieces === last) for (const socket of sockets) socket.resetAndDestroy();
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => client.write(bytes));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    cut: () => pieces >= last,
    close: async () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await once(proxy, 'close');
    },
  };
}

/** Opens a store, joins the other nodes, reads and gives up a claim. */
async function used(url: string): Promise<void> {
  const store = await PostgresStore.open(url, PLAN);
  try {
    store.hear(() => {});
    const pending = store.prepare({ kind: 'system', name: 'pending deliveries' });
    const asked = function* (): Program<unknown> {
      return yield* call(pending, [10]);
    };
    await Promise.all([store.read(asked), store.write(asked), store.claim('a')]);
    store.unclaim('a');
    await store.take(0, 'a', { count: 10, milliseconds: 1000 });
  } finally {
    await store.close();
  }
}

test('connections that are cut at any moment are told to whoever asked, and end nothing else', async (t) => {
  const made = await server.database();
  await used(made);
  let all = 0;
  for (let last = 1; last <= MOST_PIECES; last++) {
    const url = new URL(made);
    const proxy = await cuttingAt(Number(url.port), last);
    url.port = String(proxy.port);
    try {
      await used(url.href);
    } catch (error) {
      assert.ok(error instanceof StoreError, `piece ${last}: ${error}`);
    } finally {
      await proxy.close();
    }
    if (!proxy.cut()) {
      all = last - 1;
      break;
    }
  }
  t.diagnostic(`cut at each of ${all || MOST_PIECES} pieces`);
});
