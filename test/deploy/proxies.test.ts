import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCases } from '../cases.ts';
import { edited, ORDERS, type Service, until, Workspace } from '../harness.ts';
import { Receiver } from '../receiver.ts';
import { IN_WHOLE, WHOLE } from '../share.ts';
import { FrontProxy, PROXIES, withoutProxy } from './proxy.ts';

/** Linux has all of 127.0.0.0/8 for its own: clients there have addresses of their own. */
const CLIENTS = process.platform === 'linux' ? false : 'the clients have one address here';

const skipped = (name: string): { skip?: string } => {
  const skip = CLIENTS || withoutProxy(name);
  return !WHOLE ? IN_WHOLE : skip ? { skip } : {};
};

/** Five requests of each address, and then none. */
const RATED = edited(ORDERS, ['6000 requests per minute ', '5 requests per day ']);

const STREAMED = edited(
  readCases('src/compiler/events/cases/stream.md')[0]!.document,
  ['600 requests per minute  ', '9000000 requests per minute'],
  ['6000 requests per minute ', '90000000 requests per minute'],
);

/** What clients write who would like to be somebody else, one each. */
const FORGED: ReadonlyArray<readonly string[]> = [
  ['X-Forwarded-For', '192.0.2.66'],
  ['X-Forwarded-For', '192.0.2.66, 127.0.0.1'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-For', '::1'],
  ['X-Forwarded-For', '192.0.2.66', 'X-Forwarded-For', '192.0.2.67'],
  ['x-forwarded-for', '192.0.2.68', 'X-FORWARDED-FOR', '127.0.0.1'],
  ['X-Forwarded-For', ''],
  ['X-Forwarded-For', 'unknown'],
  ['X-Forwarded-For', ',,,'],
  ['X-Forwarded-For', '"'],
  ['X-Forwarded-For', 'for=192.0.2.66'],
  ['X_Forwarded_For', '192.0.2.66'],
  ['X-Real-IP', '192.0.2.66'],
  ['X-Client-IP', '192.0.2.66'],
  ['True-Client-IP', '192.0.2.66'],
  ['CF-Connecting-IP', '192.0.2.66'],
  ['Forwarded', 'for=192.0.2.66'],
  ['Forwarded', 'for="[2001:db8::66]:80";proto=https;host=evil.example'],
  ['Forwarded', 'for="'],
  ['Forwarded', 'for=192.0.2.66', 'Forwarded', 'for=127.0.0.1'],
  ['Forwarded', 'for=192.0.2.66', 'X-Forwarded-For', '192.0.2.66'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'http', 'X-Forwarded-Port', '80'],
  ['Via', '1.1 127.0.0.1', 'X-Forwarded-For', '192.0.2.70'],
  ['Connection', 'X-Forwarded-For', 'X-Forwarded-For', '192.0.2.71'],
  ['Connection', 'close, X-Forwarded-For'],
];

const addressOf = (service: Service): string => service.url.replace('http://', '');

for (const name of PROXIES)
  test(`behind ${name}, rates count clients, and what clients forge changes nothing`, skipped(name), async () => {
    await using space = new Workspace(RATED);
    const service = await space.serve({ args: ['--trust-proxy', '127.0.0.1'] });
    await using proxy = await FrontProxy.start(name, addressOf(service), space.dir);
    for (const [i, lines] of FORGED.entries()) {
      const { status } = await proxy.ask('/orders', { from: '127.0.0.2', lines });
      assert.equal(status, i < 5 ? 401 : 429, `${i} ${lines.join(' ')}`);
    }
    const others = await Promise.all([3, 4].map((last) => proxy.ask('/orders', { from: `127.0.0.${last}` })));
    assert.deepEqual(
      others.map(({ status }) => status),
      [401, 401],
    );
    assert.equal(service.err.includes('proxy.untrusted'), false);
  });

for (const name of PROXIES)
  test(`behind ${name}, over a Unix socket, rates count clients`, skipped(name), async () => {
    await using space = new Workspace(RATED);
    const path = join(space.dir, 'http.sock');
    const service = await space.serve({ listen: `unix:${path}`, args: ['--trust-proxy', 'unix'] });
    await using proxy = await FrontProxy.start(name, service.url, space.dir);
    const statuses = async (from: string, count: number): Promise<number[]> => {
      const answers = [];
      for (let i = 0; i < count; i++) answers.push((await proxy.ask('/orders', { from })).status);
      return answers;
    };
    assert.deepEqual(await statuses('127.0.0.2', 7), [401, 401, 401, 401, 401, 429, 429]);
    assert.deepEqual(await statuses('127.0.0.3', 1), [401]);
  });

test('a proxy that nobody trusts is counted itself, and the log says so once', IN_WHOLE, async () => {
  await using space = new Workspace(RATED);
  const service = await space.serve();
  const answers = [];
  for (let i = 0; i < 7; i++)
    answers.push((await service.request('GET', '/orders', { headers: { 'x-forwarded-for': `192.0.2.${i}` } })).status);
  assert.deepEqual(answers, [401, 401, 401, 401, 401, 429, 429]);
  assert.equal(service.err.match(/proxy\.untrusted/g)?.length, 1);
});

for (const name of PROXIES)
  test(
    `behind ${name}, a request is followed by its id, from the proxy’s log to a webhook`,
    skipped(name),
    async () => {
      await using space = new Workspace(ORDERS);
      const key = await space.key(await space.customer());
      await using receiver = await new Receiver().up();
      await space.receiver(receiver.url);
      const service = await space.serve({ args: ['--trust-proxy', '127.0.0.1'] });
      await using proxy = await FrontProxy.start(name, addressOf(service), space.dir);
      const own = '4bf92f3577b34da6a3ce929d0e0e4736';
      await opened(proxy, key, 1, ['traceparent', `00-${own}-00f067aa0ba902b7-01`]);
      await opened(proxy, key, 2, ['traceparent', 'no trace at all']);
      const lines = (): string[] => service.err.split('\n').filter((line) => line.includes('"event":"request"'));
      await until(() => receiver.got.length === 2 && lines().length === 2, 'both orders told', 60);
      const ids = lines().map((line) => (JSON.parse(line) as { id: string }).id);
      assert.equal(ids[0], own);
      const told = receiver.got.map(
        ({ headers }) => /^00-([0-9a-f]{32})-[0-9a-f]{16}-0[01]$/.exec(headers.traceparent ?? '')?.[1],
      );
      assert.deepEqual(new Set(told), new Set(ids));
      const delivered = (): string[] => service.err.split('\n').filter((line) => line.includes('webhook.delivered'));
      await until(() => delivered().length === 2, 'both deliveries in the log', 60);
      for (const id of ids)
        assert.ok(
          delivered().some((line) => line.includes(id)),
          service.err,
        );
      // Before 2.8, Caddy’s log tells only of a trace that the client began.
      for (const id of name === 'nginx' ? ids : [own])
        await until(() => readFileSync(proxy.log, 'utf8').includes(`00-${id}-`), `${id} in the log of ${name}`, 60);
    },
  );

for (const name of PROXIES)
  test(`behind ${name}, streams flow over HTTP/2`, skipped(name), async () => {
    await using space = new Workspace(STREAMED);
    const key = await space.key(await space.customer());
    const service = await space.serve({ args: ['--trust-proxy', '127.0.0.1'] });
    await using proxy = await FrontProxy.start(name, addressOf(service), space.dir);
    const session = connect(`https://localhost:${proxy.port}`, {
      rejectUnauthorized: false,
      lookup: (_host, _options, give) => give(null, [{ address: '127.0.0.1', family: 4 }] as never),
    });
    // Before the proxy is asked to end, which waits for whoever still reads.
    using _ = { [Symbol.dispose]: () => session.destroy() };
    const reader = session.request({ ':path': '/events', authorization: `Bearer ${key}` });
    const [head] = (await once(reader, 'response')) as [Record<string, unknown>];
    assert.equal(head[':status'], 200);
    let heard = '';
    reader.setEncoding('utf8').on('data', (chunk: string) => {
      heard += chunk;
    });
    for (let count = 1; count <= 3; count++) {
      await opened(proxy, key, count);
      // Each before the next is made: none waits in the proxy for company.
      await until(() => heard.split('event: order.opened').length > count, `event ${count}`, 60);
    }
  });

/** Opens an order of the article with a number through a proxy; gives its id. */
async function opened(proxy: FrontProxy, key: string, article: number, more: string[] = []): Promise<string> {
  const lines = [
    ...more,
    'Authorization',
    `Bearer ${key}`,
    'Content-Type',
    'application/json',
    'Idempotency-Key',
    randomUUID(),
  ];
  const body = JSON.stringify({ sku: `ABC-${String(article).padStart(4, '0')}`, quantity: 1 });
  const answer = await proxy.ask('/orders', { method: 'POST', lines, body });
  assert.equal(answer.status, 201, answer.text);
  return (JSON.parse(answer.text) as { id: string }).id;
}

for (const name of PROXIES)
  test(`a reload of ${name} loses no order that was acknowledged`, skipped(name), async (t) => {
    await using space = new Workspace(STREAMED);
    const key = await space.key(await space.customer());
    const service = await space.serve({ args: ['--trust-proxy', '127.0.0.1'] });
    await using proxy = await FrontProxy.start(name, addressOf(service), space.dir);
    const acknowledged: string[] = [];
    let articles = 0;
    let broken = 0;
    let over = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!over)
        try {
          acknowledged.push(await opened(proxy, key, articles++));
        } catch (error) {
          // Whose connection broke knows that its order may not have been taken. A refusal would be another matter.
          if (error instanceof assert.AssertionError) throw error;
          broken++;
        }
    });
    for (let i = 0; i < 5; i++) {
      const before = acknowledged.length;
      proxy.reload();
      await Promise.race([until(() => acknowledged.length > before + 20, 'orders after a reload'), ...clients]);
      await sleep(50);
    }
    over = true;
    await Promise.all(clients);
    const kept = new Set(space.select<{ id: string }>('SELECT lower(hex(id)) AS id FROM "order"').map(({ id }) => id));
    const lost = acknowledged.filter((id) => !kept.has(id.replaceAll('-', '')));
    t.diagnostic(`${acknowledged.length} orders acknowledged over 5 reloads, ${broken} connections broken`);
    assert.deepEqual(lost, []);
  });
