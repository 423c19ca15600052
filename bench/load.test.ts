import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { timeOfChildren } from './load/measure.ts';
import { ORDERS, Requests, skuOf, WORKS } from './load/requests.ts';
import { ResponseReader } from './load/response.ts';

const ANSWER = 'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}';

test('an answer is read whole, however it comes in pieces', () => {
  const reader = new ResponseReader();
  const bytes = Buffer.from(ANSWER);
  for (let cut = 1; cut < bytes.length; cut++) {
    assert.equal(reader.push(bytes.subarray(0, cut)), false);
    assert.equal(reader.push(bytes.subarray(cut)), true);
    assert.equal(reader.status, 201);
    assert.equal(reader.body.toString(), '{"a":1}');
  }
  for (let at = 0; at < bytes.length; at++)
    assert.equal(reader.push(bytes.subarray(at, at + 1)), at + 1 === bytes.length);
});

test('what is not one answer to one request is refused', () => {
  assert.throws(() => new ResponseReader().push(Buffer.from(`${ANSWER}HTTP`)), /More came/);
  assert.throws(() => new ResponseReader().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')), /without a length/);
  assert.equal(new ResponseReader().push(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')), true);
});

test('each number has a SKU of its own, of the form that the document states', () => {
  const seen = new Set<string>();
  for (let i = 0; i < 200_000; i++) {
    const sku = skuOf(i);
    assert.match(sku, /^[A-Z]{3}-[0-9]{4}$/);
    seen.add(sku);
  }
  assert.equal(seen.size, 200_000);
});

const DATA = {
  customers: [{ id: 'c', key: 'k' }],
  reader: 'r',
  orders: [
    { id: 'one', customer: 0 },
    { id: 'two', customer: 0 },
  ],
  drafts: [1],
};

test('the shares of every work come to a hundred, and a draft is placed once', () => {
  for (const { mix } of Object.values(WORKS)) {
    let sum = 0;
    for (const [, share] of mix) sum += share;
    assert.equal(sum, 100);
  }
  const requests = new Requests(DATA, ORDERS);
  assert.match(
    requests.next('transition')!,
    /^POST \/orders\/two\/place HTTP\/1\.1\r\n[\s\S]*Content-Length: 0\r\n\r\n$/,
  );
  assert.equal(requests.next('transition'), null);
  assert.equal(requests.left, 0);
});

test('a request to create states the length that its body has', () => {
  const text = new Requests(DATA, ORDERS).next('create')!;
  const [head, body] = text.split('\r\n\r\n');
  assert.equal(Number(/Content-Length: (\d+)/.exec(head!)![1]), body!.length);
});

test('the processor time of children holds that of those that have ended', { skip: !existsSync('/proc') }, async () => {
  const before = timeOfChildren(process.pid)!;
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); while (process.cpuUsage().user < 3e5);']);
  await once(child.stdout, 'data');
  const running = timeOfChildren(process.pid)!;
  await once(child, 'exit');
  const ended = timeOfChildren(process.pid)!;
  assert.ok(running > before && ended >= before + 0.3, `${before}, ${running}, ${ended}`);
});

test('an engine is asked at its addresses, with its form of an order, for the customer of the key', () => {
  const requests = new Requests(DATA, {
    ...ORDERS,
    orders: '/items',
    list: '/items?customer={customer}',
    draft: '{"data":{"customer":"{customer}","sku":"{sku}","quantity":{quantity}}}',
    createdStatus: 200,
  });
  assert.match(requests.next('read')!, /^GET \/items\/(one|two) HTTP/);
  assert.match(requests.next('list')!, /^GET \/items\?customer=c HTTP/);
  const [head, body] = requests.next('create')!.split('\r\n\r\n');
  assert.equal(requests.expected, 200);
  assert.match(head!, /^POST \/items HTTP/);
  assert.deepEqual(JSON.parse(body!), { data: { customer: 'c', sku: skuOf(2), quantity: 12 } });
});
