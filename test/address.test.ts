import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edited, ORDERS, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';

const USING = edited(ORDERS, ['Location `"/orders/" + order.id`', 'Location `service.url + "/orders/" + order.id`']);
const STATED = edited(USING, ['Address: given by the operator', 'Address: `https://orders.example.com/shop`']);

test('an address that an expression needs has to be given', async () => {
  await using space = new Workspace(USING);
  const refused = await space.serveRefused('--port', '0');
  assert.deepEqual([refused.code, refused.out], [2, '']);
  assert.match(refused.err, /uses service\.url: give the public address with --url/);
  const wrong = await space.serveRefused('--port', '0', '--url', 'https://a.example/?b');
  assert.equal(wrong.code, 2);
  const key = await space.key(await space.customer());
  const service = await space.serve({ args: ['--url', 'https://shop.example/'] });
  assert.match(service.out, /at https:\/\/shop\.example\n/);
  const { headers, body } = await service.open(key, { sku: 'LIF-0001', quantity: 3 });
  assert.equal(headers.get('location'), `https://shop.example/orders/${(body as { id: string }).id}`);
});

test('what the document states of the address, nobody else says', IN_WHOLE, async () => {
  await using space = new Workspace(STATED);
  const refused = await space.serveRefused('--port', '0', '--url', 'https://other.example');
  assert.deepEqual([refused.code, refused.out], [2, '']);
  assert.match(refused.err, /the document states another address: https:\/\/orders\.example\.com\/shop/);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const { headers, body } = await service.open(key, { sku: 'LIF-0001', quantity: 3 });
  assert.equal(headers.get('location'), `https://orders.example.com/shop/orders/${(body as { id: string }).id}`);
});

test('where rows need the address, the operator’s commands have to be given it', async () => {
  await using space = new Workspace(
    edited(ORDERS, [
      'Visible: `customer == caller',
      'Visible: `service.url == "https://a.example" || customer == caller',
    ]),
  );
  const ada = ['add', 'Customer', 'id=0195c2a0-0000-7000-8000-000000000001', 'name=Ada', 'email=ada@example.com'];
  const refused = await space.cli('rows', ...ada);
  assert.deepEqual([refused.code, refused.out], [2, '']);
  assert.match(refused.err, /give the public address with --url/);
  const wrong = await space.cli('rows', 'list', 'Customer', '--url', 'a.example');
  assert.equal(wrong.code, 2);
  const done = await space.cli('rows', ...ada, '--url', 'https://a.example');
  assert.equal(done.code, 0, done.err);
  assert.match(done.out, /Ada/);
});
