import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADA, Shown } from './harness.test.ts';
import type { RequestsAnswer } from './protocol.ts';

let page: Shown;
before(async () => {
  page = await Shown.open();
  await page.customer();
});
after(() => page.stop());

const caller = { scheme: 'API key', id: ADA, scopes: ['orders:read'] };
const ask = (method: string, path: string, who: object | null = caller) =>
  page.post('/try', { method, path, headers: [], body: null, caller: who });

test('the last requests are listed with what refused them', async () => {
  const id = await page.order('ABC-0001');
  await ask('GET', '/orders');
  await ask('POST', `/orders/${id}/place`);
  await ask('GET', '/orders', null);
  await ask('GET', '/nowhere?secret=1');
  const all = await page.get<RequestsAnswer>('/requests');
  assert.deepEqual(
    all.requests.map(({ endpoint, method, status, code }) => [endpoint ?? method, status, code]),
    [
      ['GET', 404, 'no_such_endpoint'],
      ['GET /orders', 401, 'key_missing'],
      ['POST /orders/{id}/place', 403, 'scope_missing'],
      ['GET /orders', 200, null],
      ['POST /orders', 201, null],
    ],
  );
  assert.doesNotMatch(JSON.stringify(all), /secret/, 'no value of a request is kept');
  const [, , scope, read] = all.requests;
  assert.deepEqual(read?.caller, { resource: 'Customer', id: ADA });
  assert.match(scope?.lines.map(({ text }) => text).join('\n') ?? '', /Access: orders:/);
});

test('a part of them is chosen', async () => {
  const total = async (query: string): Promise<number> => (await page.get<RequestsAnswer>(`/requests?${query}`)).total;
  assert.equal(await total('status=4'), 3);
  assert.equal(await total('endpoint=GET%20/orders'), 2);
  assert.equal(await total('endpoint=get%20/ord'), 2);
  assert.equal(await total('endpoint=none'), 1);
  assert.equal(await total(`caller=${ADA}`), 3);
  assert.equal(await total('code=scope_missing'), 1);
  const { requests } = await page.get<RequestsAnswer>('/requests?offset=1&limit=1');
  assert.equal(await total(`id=${requests[0]?.id}`), 1);
});
