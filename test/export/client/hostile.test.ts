import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Served } from './served.ts';

const HOSTILE = readFileSync(new URL('hostile.md', import.meta.url), 'utf8');

test('names that mean something elsewhere are names, in requests, answers, pages and refusals', async () => {
  await using served = await Served.start(HOSTILE);
  const client = served.client();
  const body = { constructor: 1, arguments: 'a', default: 'new', size: 0.07, data: { then: 'b', valueOf: 'c' } };
  const made = await client.constructor.create(body);
  assert.ok(made.ok, JSON.stringify(made));
  assert.deepEqual(made.data, { ...body, toString: '*/', sum: 0.07 });
  assert.deepEqual((await client.constructor.get(1)).data, made.data);
  const taken = await client.constructor.create({ ...body, constructor: 2 });
  assert.deepEqual([taken.ok, taken.error.code, taken.error.status], [false, '__proto__', 409]);
  assert.equal(taken.error.problem.error['the-code'], '__proto__');
  const then = await client.constructor.then2(1, { query: '&=' }, { headers: { 'X-Then': 'b' } });
  assert.deepEqual(then.data, { found: { constructor: 1 }, then: 'b', query: '&=' });
  // A group isn’t what `await` calls.
  assert.equal(await client.constructor, client.constructor);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push((await client.errors.create({ name })).data.id);
  const found: string[] = [];
  for await (const one of client.errors.listAll()) found.push(one.id);
  assert.deepEqual(found, ids);
  assert.equal((await client.errors.aB(ids[0])).data.name, 'a');
  assert.equal((await client.errors.getAB(ids[1])).data.name, 'b');
  assert.equal((await client.errors.get({ id: ids[2], class: 'c', delete: 'c' })).data.name, 'c');
});

test('numbers of more digits than JavaScript’s have are told with all of them', async () => {
  await using served = await Served.start(HOSTILE);
  const { constructor: promises, _2fa: second } = served.client();
  for (const [number, size] of [
    [1, 9999999999999.99],
    [2, 9999999999999.98],
    [3, 0.01],
  ])
    assert.ok((await promises.create({ constructor: number, arguments: String(number), default: 'new', size })).ok);
  assert.equal((await second.get()).data.sum, '19999999999999.98');
  assert.equal((await promises.get(1)).data.size, 9999999999999.99);
});

test('a stream whose data is an envelope tells such numbers with all of their digits too', async () => {
  await using served = await Served.start(HOSTILE);
  const opened = Promise.withResolvers<void>();
  const listening = async (...given: Parameters<typeof fetch>) => {
    const response = await fetch(...given);
    opened.resolve();
    return response;
  };
  const heard = served.client({ fetch: listening }).events.stream();
  const first = heard.next();
  await opened.promise;
  const { constructor: promises, errors } = served.client();
  for (const number of [1, 2])
    await promises.create({ constructor: number, arguments: String(number), default: 'new', size: 9999999999999.99 });
  await errors.create({ name: 'a' });
  const events = [(await first).value, (await heard.next()).value, (await heard.next()).value];
  await heard.return();
  assert.deepEqual(
    events.map(({ type, data, id }) => [type, data.constructor, data.size, data.sum, data.name, id]),
    [
      ['constructor', 1, 9999999999999.99, 9999999999999.99, undefined, undefined],
      ['constructor', 2, 9999999999999.99, '19999999999999.98', undefined, undefined],
      ['then', Object, undefined, undefined, 'a', undefined],
    ],
  );
  for (const { timestamp } of events) assert.ok(Date.parse(timestamp) > 0);
});

test('a PUT that makes something each time is not sent again where the network fails', async () => {
  await using served = await Served.start(HOSTILE);
  let sent = 0;
  const fetch = () => {
    sent++;
    return Promise.reject(new TypeError('fetch failed'));
  };
  const client = served.client({ fetch, pause: 1 });
  await assert.rejects(client._2fa.set({ name: 'a' }), { name: 'ConnectionError' });
  assert.equal(sent, 1);
  await assert.rejects(client._2fa.get(), { name: 'ConnectionError' });
  assert.equal(sent, 5);
});
