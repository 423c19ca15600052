import assert from 'node:assert/strict';
import { test } from 'node:test';
import { example } from '../../fixtures.ts';
import { edited } from '../../harness.ts';
import { type ClientOptions, ConnectionError, createClient, UnexpectedAnswerError } from './goldens/orders.ts';
import { clientText, imported } from './made.ts';
import { cut, html, json, nothing, pausesOf, refused, Scripted, torn } from './scripted.ts';

// When the client sends a request again, and when it doesn't: by a network that does what it is told.

const ORDER = {
  id: '1',
  customer: '2',
  sku: 'ABC-1234',
  quantity: 1,
  status: 'draft',
  created: '2026-01-01T00:00:00Z',
};
const BODY = { sku: 'ABC-1234', quantity: 1 };
const over = ({ fetch }: Scripted, more: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: 'https://shop.example/api/', fetch, pause: 1, ...more });

test('a request that HTTP lets be sent twice is sent again where the network fails, so often as is said', async () => {
  const network = new Scripted(cut);
  await assert.rejects(over(network).orders.get('1'), (error) => {
    assert.ok(error instanceof ConnectionError && error.cause instanceof TypeError);
    assert.equal(error.message, 'GET /orders/1 was sent 4 times and not answered');
    return error.attempts === 4 && error.idempotencyKey === undefined;
  });
  assert.equal(network.sent.length, 4);
  await assert.rejects(over(network, { attempts: 2 }).orders.get('1'), ConnectionError);
  await assert.rejects(over(network, { attempts: 2 }).orders.get('1', { attempts: 1 }), ConnectionError);
  assert.equal(network.sent.length, 7);
});

test('one that isn’t and has no key is sent once, whatever is said', async () => {
  const network = new Scripted(cut);
  await assert.rejects(over(network, { attempts: 9 }).orders.place('1'), ConnectionError);
  await assert.rejects(over(network).orders.update('1', { quantity: 2 }, { ifMatch: '"1"' }), ConnectionError);
  assert.equal(network.sent.length, 2);
});

test('one with a key is sent again with the same key, which a failure hands over', async () => {
  const network = new Scripted(cut, torn(201, '{"id":'), html(502), refused(503, 'unavailable'), json(201, ORDER));
  const made = await over(network, { attempts: 5 }).orders.create(BODY);
  assert.ok(made.ok && made.attempts === 5);
  const keys = network.sent.map(({ headers }) => headers.get('Idempotency-Key'));
  assert.match(keys[0] ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(new Set(keys).size, 1);
  const failing = new Scripted(cut);
  await assert.rejects(
    over(failing).orders.create(BODY),
    (error) =>
      error instanceof ConnectionError &&
      error.idempotencyKey === failing.sent[0]?.headers.get('Idempotency-Key') &&
      failing.sent.length === 4,
  );
});

test('a redirect of an endpoint is the result, is not followed, and any other is no answer of the service', async () => {
  const text = edited(example('orders'), ['Answer 201 with `order` and header', 'Answer 303 with header']);
  const made = await imported(clientText('orders.md', text));
  const away = (status: number) => () => new Response(null, { status, headers: { Location: '/orders/1' } });
  const call = (...outcomes: ReadonlyArray<() => Response>) => {
    const network = new Scripted(...outcomes);
    const { fetch } = network;
    return { network, made: made.createClient({ baseUrl: 'https://shop.example', fetch, pause: 1 }).orders.add(BODY) };
  };
  const { network, made: answered } = call(away(303));
  const { ok, status, data, headers } = await answered;
  assert.deepEqual([ok, status, data, headers.get('Location')], [true, 303, undefined, '/orders/1']);
  assert.deepEqual(
    network.sent.map(({ init }) => init.redirect),
    ['manual'],
  );
  for (const other of [302, 307]) await assert.rejects(call(away(other)).made, made.UnexpectedAnswerError);
  // A browser hides the redirect: the status is 0, and nothing is sent again.
  const hidden = call(() => Response.error());
  await assert.rejects(hidden.made, (error: UnexpectedAnswerError) => error.status === 0);
  assert.equal(hidden.network.sent.length, 1);
});

test('where the key is optional, it is sent where the caller gives one, and nothing else is sent again', async () => {
  const text = edited(example('orders'), ['`Idempotency-Key`, required,', '`Idempotency-Key`, optional,']);
  const made = await imported(clientText('orders.md', text));
  const options = (network: Scripted) => ({ baseUrl: 'https://shop.example', fetch: network.fetch, pause: 1 });
  const bare = new Scripted(cut);
  await assert.rejects(made.createClient(options(bare)).orders.create(BODY), made.ConnectionError);
  assert.deepEqual(
    bare.sent.map(({ headers }) => headers.get('Idempotency-Key')),
    [null],
  );
  const keyed = new Scripted(cut, json(201, ORDER));
  const answer = await made.createClient(options(keyed)).orders.create(BODY, { idempotencyKey: 'own' });
  assert.equal(answer.attempts, 2);
  assert.deepEqual(
    keyed.sent.map(({ headers }) => headers.get('Idempotency-Key')),
    ['own', 'own'],
  );
});

test('whatever can’t have been done is sent again, and what the service may have done isn’t', async (t) => {
  pausesOf(t);
  for (const again of [refused(429, 'rate_exceeded'), refused(409, 'conflict')]) {
    const network = new Scripted(again, json(200, ORDER));
    const placed = await over(network).orders.place('1');
    assert.ok(placed.ok && placed.attempts === 2);
  }
  for (const [status, code] of [
    [503, 'unavailable'],
    [503, 'time_out'],
    [500, 'failure'],
    [507, 'storage_full'],
    [409, 'order_not_placeable'],
    [404, 'order_not_found'],
  ] as const) {
    const network = new Scripted(refused(status, code), json(200, ORDER));
    const placed = await over(network).orders.place('1');
    assert.ok(!placed.ok && placed.error.code === code && network.sent.length === 1);
  }
  const read = new Scripted(refused(503, 'time_out'), refused(503, 'unavailable'), json(200, ORDER));
  assert.equal((await over(read).orders.get('1')).attempts, 3);
  const failing = new Scripted(refused(500, 'failure'));
  assert.ok(!(await over(failing).orders.get('1')).ok && failing.sent.length === 1);
});

test('Retry-After is waited for, in seconds and as a time; one that is too long isn’t', async (t) => {
  const pauses = pausesOf(t);
  const date = 'Mon, 23 Nov 2026 10:00:00 GMT';
  const network = new Scripted(
    refused(429, 'rate_exceeded', { 'Retry-After': '7' }),
    // By the clock of the service, whatever the one here says.
    refused(429, 'rate_exceeded', { 'Retry-After': 'Mon, 23 Nov 2026 10:00:12 GMT', Date: date }),
    refused(429, 'rate_exceeded', { 'Retry-After': date, Date: 'Mon, 23 Nov 2026 10:00:12 GMT' }),
    refused(429, 'rate_exceeded', { 'Retry-After': 'soon' }),
    json(200, ORDER),
  );
  assert.ok((await over(network, { attempts: 5, pause: 100 }).orders.place('1')).ok);
  assert.deepEqual(pauses.slice(0, 3), [7000, 12_000, 0]);
  assert.ok(pauses[3] !== undefined && pauses[3] >= 400 && pauses[3] <= 800, 'it waits as usual');
  const long = new Scripted(refused(429, 'rate_exceeded', { 'Retry-After': '3600' }));
  const result = await over(long).orders.get('1');
  assert.ok(!result.ok && result.headers.get('Retry-After') === '3600' && long.sent.length === 1);
  const patient = new Scripted(refused(429, 'rate_exceeded', { 'Retry-After': '3600' }), json(200, ORDER));
  assert.ok((await over(patient, { longestPause: 3_600_000 }).orders.get('1')).ok);
});

test('pauses are twice as long each time, not the same for all, and bounded', async (t) => {
  const pauses = pausesOf(t);
  const network = new Scripted(cut);
  await assert.rejects(over(network, { attempts: 9, pause: 100, longestPause: 1000 }).orders.get('1'), ConnectionError);
  const most = [100, 200, 400, 800, 1000, 1000, 1000, 1000];
  assert.equal(pauses.length, most.length);
  for (const [i, pause] of pauses.entries())
    assert.ok(pause >= (most[i] ?? 0) / 2 && pause <= (most[i] ?? 0), `${pause}`);
});

test('what is no answer of the service is told as that', async (t) => {
  pausesOf(t);
  for (const answer of [
    html(404),
    html(200),
    json(302, ''),
    json(404, null),
    json(404, []),
    json(404, { code: 'unheard_of' }),
    json(404, { code: 'toString' }),
    json(404, { code: ['order_not_found'] }),
    // The code has another status.
    json(400, { code: 'order_not_found' }),
  ]) {
    const network = new Scripted(answer);
    await assert.rejects(over(network).orders.get('1'), UnexpectedAnswerError);
    assert.equal(network.sent.length, 1);
  }
  const gateway = new Scripted(html(504));
  await assert.rejects(
    over(gateway).orders.get('1'),
    (error) => error instanceof UnexpectedAnswerError && error.status === 504,
  );
  await assert.rejects(over(gateway).orders.place('1'), UnexpectedAnswerError);
  assert.equal(gateway.sent.length, 5);
});

test('a call ends when its signal says so: before it is sent, amid it, and between two attempts', async () => {
  const reason = new Error('enough');
  const network = new Scripted(nothing);
  const ended = AbortSignal.abort(reason);
  await assert.rejects(over(network).orders.get('1', { signal: ended }), reason);
  assert.equal(network.sent.length, 0);
  const amid = new AbortController();
  const asked = over(network).orders.create(BODY, { signal: amid.signal });
  setTimeout(() => amid.abort(reason), 5);
  await assert.rejects(asked, reason);
  assert.equal(network.sent.length, 1);
  const between = new AbortController();
  const failing = new Scripted(cut);
  const waiting = over(failing, { pause: 600_000, longestPause: 600_000 }).orders.get('1', { signal: between.signal });
  setTimeout(() => between.abort(reason), 5);
  await assert.rejects(waiting, reason);
  assert.equal(failing.sent.length, 1);
});

test('an attempt that takes too long is given up, and is a failure of the network', async () => {
  const network = new Scripted(nothing);
  await assert.rejects(
    over(network, { timeout: 5, attempts: 3 }).orders.get('1'),
    (error) => error instanceof ConnectionError && (error.cause as Error).name === 'TimeoutError',
  );
  assert.equal(network.sent.length, 3);
  await assert.rejects(over(network).orders.place('1', { timeout: 5 }), ConnectionError);
  assert.equal(network.sent.length, 4);
});

test('requests are as the document has them', async () => {
  const network = new Scripted(json(200, ORDER), json(201, ORDER), json(204, null));
  let asked = 0;
  const client = over(network, { apiKey: () => `key ${++asked}` });
  await client.orders.get('a/b ü');
  await client.orders.create(BODY, { idempotencyKey: 'own' });
  const removed = await client.orders.delete('1');
  assert.ok(removed.ok && removed.data === undefined);
  const sent = network.sent.map(({ url, init, headers }) => [init.method, url, init.body, Object.fromEntries(headers)]);
  const always = { accept: 'application/json', 'orders-version': '2026-11-01' };
  assert.deepEqual(sent, [
    ['GET', 'https://shop.example/api/orders/a%2Fb%20%C3%BC', null, { ...always, authorization: 'Bearer key 1' }],
    [
      'POST',
      'https://shop.example/api/orders',
      '{"sku":"ABC-1234","quantity":1}',
      { ...always, authorization: 'Bearer key 2', 'content-type': 'application/json', 'idempotency-key': 'own' },
    ],
    ['DELETE', 'https://shop.example/api/orders/1', null, { ...always, authorization: 'Bearer key 3' }],
  ]);
  // Nobody is followed elsewhere with credentials.
  assert.deepEqual(new Set(network.sent.map(({ init }) => init.redirect)), new Set(['manual']));
  assert.throws(() => over(network, { baseUrl: 'https://shop.example/?a' }), TypeError);
  await assert.rejects(over(network, { apiKey: 'a\nb' }).orders.get('1'), {
    message: 'The credential apiKey has characters that headers do not allow',
  });
  for (const [ifMatch, idempotencyKey] of [
    ['"🐝"', 'a'],
    ['"1"', 'a\nb'],
  ]) {
    const message = /^The header (?:If-Match|Idempotency-Key) has characters that headers do not allow$/;
    const client = over(network);
    const sent =
      ifMatch === '"1"' ? client.orders.create(BODY, { idempotencyKey }) : client.orders.update('1', {}, { ifMatch });
    await assert.rejects(sent, { name: 'TypeError', message });
  }
  const keyless = new Error('no key today');
  await assert.rejects(over(network, { apiKey: () => Promise.reject(keyless) }).orders.get('1'), keyless);
  assert.equal(network.sent.length, 3);
});

test('the entity tag of a row is held until another is told, and forgotten where none is', async () => {
  const tagged = (etag: string) => json(200, ORDER, { ETag: etag });
  const network = new Scripted(tagged('"1"'), tagged('"2"'), json(200, ORDER), refused(428, 'match_required'));
  const client = over(network);
  await client.orders.get('1');
  await client.orders.update('1', { quantity: 2 });
  await client.orders.update('1', { quantity: 3 });
  await client.orders.update('1', { quantity: 4 });
  await client.orders.update('2', { quantity: 4 }, { ifMatch: '"9"' });
  assert.deepEqual(
    network.sent.map(({ headers }) => headers.get('If-Match')),
    [null, '"1"', '"2"', null, '"9"'],
  );
});

test('the entity tag of an answer belongs to its path and query', async () => {
  const text = edited(example('files'), ['- Preconditions on writes: ignored', '- Preconditions on writes: required']);
  const { createClient: create } = await imported(clientText('files.md', text));
  const tagged = (etag: string) => json(200, { items: [] }, { ETag: etag });
  const network = new Scripted(tagged('"all"'), tagged('"part"'), refused(412, 'precondition_failed'));
  const { attachments } = create({ baseUrl: 'https://files.example', fetch: network.fetch });
  const file = { type: 'text/plain', content: new Blob(['a']) };
  await attachments.list();
  await attachments.list({ limit: 1 });
  await attachments.create(file, {});
  await attachments.create(file, { limit: 1 });
  await attachments.create(file, { limit: 2 });
  assert.deepEqual(
    network.sent.slice(2).map(({ headers }) => headers.get('If-Match')),
    ['"all"', '"part"', null],
  );
});

test('a page of a proxy is no text, no file and no stream of the service, although its status is that of a success', async () => {
  const text = edited(example('notes'), ['Answer 200 with `note`.', 'Answer 200 with `note.text` as text/plain.']);
  const page = () => new Response('<h1>Log in</h1>', { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  const { fetch } = new Scripted(page);
  const clientOf = async (name: string, document: string) => {
    const { createClient: create } = await imported(clientText(name, document));
    return create({ baseUrl: 'https://service.example', fetch });
  };
  const isUnexpected = { name: 'UnexpectedAnswerError', status: 200, text: '<h1>Log in</h1>' };
  await assert.rejects((await clientOf('notes.md', text)).notes.get('1'), isUnexpected);
  await assert.rejects((await clientOf('files.md', example('files'))).attachments.content.get('1'), isUnexpected);
  await assert.rejects((await clientOf('alarms.md', example('alarms'))).alarms.stream().next(), isUnexpected);
});

test('an answer without a body has no data, where another answer of the call is text', async () => {
  const answers = ['Answer 205', 'Answer 303 with header Location `"/notes"`'];
  for (const [i, answer] of answers.entries()) {
    const steps = `If \`note.text == "a"\`:\n   1. ${answer}.\n3. Otherwise:\n   1. Answer 200 with \`note.text\` as text/plain.`;
    const text = edited(example('notes'), ['Answer 200 with `note`.', steps]);
    const { createClient: create } = await imported(clientText('notes.md', text));
    const { fetch } = new Scripted(
      () => new Response(null, { status: [205, 303][i]! }),
      () => new Response('b'),
    );
    const { notes } = create({ baseUrl: 'https://service.example', fetch });
    assert.deepEqual([(await notes.get('1')).data, (await notes.get('1')).data], [undefined, 'b']);
  }
});
