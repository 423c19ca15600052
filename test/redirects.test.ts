import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { edited, PATIENT, Workspace } from './harness.ts';
import { Line } from './line.ts';
import { PostgresServer } from './postgres.ts';

const ORIGIN = 'https://app.example';
const DOCUMENT = edited(
  PATIENT,
  ['Answer 201 with `order` and header', 'Answer 303 with header'],
  ['HEAD: not served', 'HEAD: as GET'],
  [
    '1. Answer 200 with `order` and header ETag `etag(order)`.',
    '1. Answer 307 with header Location `"https://shop.example/" + (order.note != null ? order.note : order.sku)`.',
  ],
  [
    '- Browser origins: none',
    `- Browser origins: \`${ORIGIN}\`, without credentials, preflight not kept, showing headers Location`,
  ],
);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const STORES: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  SQLite: async () => [],
  PostgreSQL: async () => ['--store', await server.database()],
};

for (const [store, place] of Object.entries(STORES))
  test(`a redirect is kept for its key, over a restart, and goes to pages of other origins, in ${store}`, async () => {
    await using space = new Workspace(DOCUMENT);
    const given = await place();
    if (given.length > 0) space.place = given;
    const key = await space.key(await space.customer());
    const note = 'a\r\nSet-Cookie: b=1 \u{1f600}?#%';
    const open = {
      key,
      body: { sku: 'ABC-0001', quantity: 1, note },
      headers: { 'idempotency-key': 'a', origin: ORIGIN },
    };
    let service = await space.serve({ declared: true });
    const first = await service.request('POST', '/orders', open);
    const location = first.headers.get('location') ?? '';
    assert.deepEqual([first.status, first.text], [303, '']);
    assert.match(location, /^\/orders\/[0-9a-f-]{36}$/);
    assert.equal(first.headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(first.headers.get('access-control-expose-headers'), 'Location');
    await service.kill();
    service = await space.serve({ declared: true });
    const again = await service.request('POST', '/orders', open);
    assert.deepEqual([again.status, again.text, again.headers.get('location')], [303, '', location]);
    const listed = await service.request('GET', '/orders', { key });
    assert.equal(listed.text.split('"sku"').length - 1, 1, listed.text);
    const to = 'https://shop.example/a%0D%0ASet-Cookie:%20b=1%20%F0%9F%98%80?#%';
    for (const method of ['GET', 'HEAD']) {
      const away = await service.request(method, location, { key });
      assert.deepEqual([away.status, away.text, away.headers.get('location')], [307, '', to]);
      assert.equal(away.headers.get('set-cookie'), null);
    }
    const line = new Line(service.url);
    try {
      const asked = (method: string, path: string): string =>
        `${method} ${path} HTTP/1.1\r\nHost: orders.example\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      line.write(asked('GET', location) + asked('HEAD', location) + asked('GET', '/orders'));
      const statuses = [await line.reply(), await line.reply('HEAD'), await line.reply()].map(({ status }) => status);
      assert.deepEqual(statuses, [307, 307, 200], 'the next answer on the connection is read whole');
    } finally {
      line.close();
    }
  });
