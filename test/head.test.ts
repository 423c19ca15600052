import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readCases } from './cases.ts';
import { edited, PATIENT, type Service, Workspace } from './harness.ts';
import { headerOf, Line } from './line.ts';

const DOCUMENT = edited(
  PATIENT,
  ['HEAD: not served', 'HEAD: as GET'],
  [
    '- Conditional requests: none',
    '- Conditional requests: RFC 9110, strong ETag of the answer, every GET\n- Preconditions on writes: ignored',
  ],
  ['1. Answer 200 with `order` and header ETag `etag(order)`.', '1. Answer 200 with `order`.'],
  ['4. Answer 200 with `order` and header ETag `etag(order)`.', '4. Answer 200 with `order`.'],
);

let workspace: Workspace;
let service: Service;
let key = '';

before(async () => {
  workspace = new Workspace(DOCUMENT);
  key = await workspace.key(await workspace.customer());
  service = await workspace.serve();
});

after(() => workspace[Symbol.asyncDispose]());

const head = (start: string, ...lines: string[]): string =>
  [`${start} HTTP/1.1`, 'Host: orders.example', `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n');

test('answers to HEAD and 304s have no body, so that the next answer on the connection is read whole', async () => {
  const line = new Line(service.url);
  try {
    line.write(
      [
        head('HEAD /orders'),
        head('GET /orders'),
        head('GET /orders', 'If-None-Match: *'),
        head('HEAD /orders', 'If-None-Match: *'),
        head('HEAD /orders?limit=0'),
        `${head('HEAD /orders', 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`,
        head('GET /orders'),
      ].join(''),
    );
    const [quick, whole, same, quickSame, refused, body, last] = [
      await line.reply('HEAD'),
      await line.reply(),
      await line.reply(),
      await line.reply('HEAD'),
      await line.reply('HEAD'),
      await line.reply('HEAD'),
      await line.reply(),
    ];
    assert.deepEqual([quick.status, quick.body], [200, '']);
    assert.equal(headerOf(quick, 'content-length'), String(whole.body.length));
    assert.equal(headerOf(quick, 'etag'), headerOf(whole, 'etag'));
    for (const one of [same, quickSame]) {
      assert.deepEqual([one.status, one.body], [304, '']);
      assert.equal(headerOf(one, 'content-length'), undefined);
      assert.equal(headerOf(one, 'transfer-encoding'), undefined);
      assert.equal(headerOf(one, 'content-type'), undefined);
      assert.equal(headerOf(one, 'etag'), headerOf(whole, 'etag'));
    }
    assert.deepEqual([refused.status, refused.body], [400, '']);
    assert.deepEqual([body.status, body.body], [400, '']);
    assert.deepEqual([last.status, last.body], [200, whole.body]);
  } finally {
    line.close();
  }
});

test('the head of a stream opens none', async () => {
  const document = edited(
    readCases('src/compiler/events/cases/stream.md')[0]!.document,
    ['At once: 9', 'At once: 1'],
    ['HEAD: not served', 'HEAD: as GET'],
  );
  await using space = new Workspace(document);
  const authorization = `Authorization: Bearer ${await space.key(await space.customer())}`;
  const streaming = await space.serve();
  const asks = (method: string): string =>
    [`${method} /events HTTP/1.1`, 'Host: orders.example', authorization, '', ''].join('\r\n');
  const line = new Line(streaming.url);
  try {
    for (let n = 0; n < 3; n++) {
      const reply = await line.exchange(asks('HEAD'), 'HEAD');
      assert.deepEqual([reply.status, reply.last, headerOf(reply, 'content-length')], [200, false, undefined]);
      assert.equal(headerOf(reply, 'content-type'), 'text/event-stream');
    }
  } finally {
    line.close();
  }
});

test('a parameter of the greatest length that the document allows fits into the head of a request', async () => {
  const long = edited(
    DOCUMENT,
    ['at most 500 characters ', 'at most 5000 characters'],
    [
      '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |\n',
      '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |\n| note | query | Order.note | any | optional | `note == query.note` |\n',
    ],
  );
  await using own = new Workspace(long);
  const caller = await own.key(await own.customer());
  const { url } = await own.serve();
  const headers = { Authorization: `Bearer ${caller}` };
  const asked = (note: string): Promise<Response> =>
    fetch(`${url}/orders?note=${encodeURIComponent(note)}`, { headers });
  // Four bytes of UTF-8 each, and twelve characters of the address.
  const answered = await asked('𐍈'.repeat(5000));
  assert.equal(answered.status, 200, await answered.text());
  assert.equal((await asked('𐍈'.repeat(5001))).status, 422);
  assert.equal((await asked('x'.repeat(100_000))).status, 431);
});
