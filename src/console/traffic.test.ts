import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { edited } from '../../test/harness.ts';
import { ADA, ORDERS, Shown, until } from './harness.test.ts';
import type {
  Activity,
  ActsAnswer,
  AttemptsAnswer,
  DeliveriesAnswer,
  EndpointAnswer,
  EndpointsAnswer,
  EventAnswer,
  HealthAnswer,
  KeyIssued,
  KeysAnswer,
  Problem,
  ReceiverAdded,
  ReceiverRotated,
  ReceiverShown,
  ReceiversAnswer,
  TestAnswer,
  TryAnswer,
  TryRequest,
} from './protocol.ts';

/** One attempt, so that a delivery that fails has ended. */
const ONCE = edited(ORDERS, [
  'Attempts: 8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
  'Attempts: 1',
]);

let page: Shown;
let hook: Server;
let answer = 500;
let body: string | undefined;
const heard: string[] = [];
before(async () => {
  page = await Shown.open(ONCE);
  await page.customer();
  hook = createServer((request, response) => {
    request.resume();
    heard.push(String(request.headers['webhook-id']));
    response.writeHead(answer, { 'content-type': 'text/html' }).end(body);
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  hook.close();
  await page.stop();
});

const attempt = (more: Partial<TryRequest>): Promise<TryAnswer & Problem & { readonly http: number }> =>
  page.post('/try', {
    method: 'POST',
    path: '/orders',
    headers: [
      ['Content-Type', 'application/json'],
      ['Idempotency-Key', crypto.randomUUID()],
    ],
    body: '{"sku": "ABC-0001", "quantity": 1}',
    caller: { scheme: 'API key', id: ADA, scopes: ['orders:write'] },
    ...more,
  } satisfies TryRequest);

test('an endpoint is tried as a caller, by a key that is revoked afterwards', async () => {
  const { endpoints } = await page.get<EndpointsAnswer>('/endpoints');
  assert.equal(endpoints[0]?.name, 'POST /orders');
  const told = await page.get<EndpointAnswer>(`/endpoints/${encodeURIComponent('POST /orders')}`);
  assert.equal(told.plan[0]?.phase, 'before');
  assert.ok(told.plan.some((one) => one.phase === 'inside' && one.line !== null));
  const came = await attempt({ ...told.sample, caller: { scheme: 'API key', id: ADA, scopes: ['orders:write'] } });
  assert.equal(came.status, 201, came.body);
  assert.equal(came.refusal, null);
  assert.equal(came.revoked, true);
  assert.ok(came.sent.headers.some(([name, value]) => name === 'Authorization' && value === 'Bearer …'));
  const { keys, total } = await page.get<KeysAnswer>('/keys');
  assert.equal(total, 1);
  assert.ok(keys[0]?.revoked);
});

test('a sample names rows of a set in a list', async () => {
  const note = /^\| note .*\n/m.exec(ORDERS)?.[0] ?? '';
  const keeps = '- Keeps: customer, else customer_has_orders\n';
  const request = '- Request: Order with sku, quantity, note\n';
  const shown = await Shown.open(
    edited(
      ORDERS,
      [note, `${note}| others | set of Customer | | at most 3 items | request | | |\n`],
      [keeps, `${keeps}- Cleared with: others\n`],
      [request, '- Request: Order with sku, quantity, note, others\n'],
    ),
  );
  try {
    await shown.customer();
    const { sample } = await shown.get<EndpointAnswer>(`/endpoints/${encodeURIComponent('POST /orders')}`);
    assert.deepEqual((JSON.parse(sample.body ?? '') as { others: unknown }).others, [ADA]);
    const caller = { scheme: 'API key', id: ADA, scopes: ['orders:write'] };
    const came = await shown.post<TryAnswer>('/try', { ...sample, caller });
    assert.equal(came.status, 201, came.body);
  } finally {
    await shown.stop();
  }
});

test('an endpoint that takes forms is tried with a form', async () => {
  const request = '- Request: Order with sku, quantity, note\n';
  const form = `- Payloads: JSON (RFC 8259), requests as form (URL Standard)\n${request}`;
  const shown = await Shown.open(edited(ORDERS, [request, form]));
  try {
    await shown.customer();
    const { sample } = await shown.get<EndpointAnswer>(`/endpoints/${encodeURIComponent('POST /orders')}`);
    assert.match(sample.body ?? '', /^sku=[^&]+&quantity=\d+/);
    const caller = { scheme: 'API key', id: ADA, scopes: ['orders:write'] };
    const came = await shown.post<TryAnswer>('/try', { ...sample, caller });
    assert.equal(came.status, 201, came.body);
  } finally {
    await shown.stop();
  }
});

test('a refusal names the line that refuses', async () => {
  const nobody = await attempt({ caller: null });
  assert.equal(nobody.refusal?.code, 'key_missing');
  const less = await attempt({ caller: { scheme: 'API key', id: ADA, scopes: ['orders:read'] } });
  assert.equal(less.status, 403);
  assert.ok(
    less.refusal?.lines.some((line) => line.text.includes('orders:write')),
    JSON.stringify(less.refusal),
  );
  const wrong = await attempt({ body: '{"sku": "x", "quantity": 1}' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.refusal?.lines[0]?.text ?? '', /^\| sku /);
  const elsewhere = await attempt({ path: '/nothing' });
  assert.equal(elsewhere.status, 404);
  assert.equal(elsewhere.endpoint, null);
  assert.ok(elsewhere.refusal);
});

test('what can’t be sent is not sent, and leaves no key behind', async () => {
  for (const more of [
    { path: 'http://evil.example/' },
    { method: 'CONNECT' },
    { path: '/a b' },
    { headers: [['X\r\nY', 'z']] as const },
    { headers: [['X', 'z\r\nHost: evil.example']] as const },
  ])
    assert.equal((await attempt(more)).kind, 'wrong use', JSON.stringify(more));
  const ghost = await attempt({ caller: { scheme: 'API key', id: ADA.replace('1', '9'), scopes: [] } });
  assert.equal(ghost.http, 404);
  const { keys } = await page.get<KeysAnswer>('/keys?valid=1');
  assert.deepEqual(keys, []);
});

test('a key is issued, works, and is revoked', async () => {
  const body = { scheme: 'API key', holder: ADA, scopes: ['orders:read'] };
  const issued = await page.post<KeyIssued>('/keys', body);
  const read = (): Promise<TryAnswer> =>
    attempt({
      method: 'GET',
      headers: [['Authorization', `Bearer ${issued.key}`]],
      body: null,
      caller: null,
    });
  assert.equal((await read()).status, 200);
  const { keys } = await page.get<KeysAnswer>('/keys?valid=1');
  assert.deepEqual(
    keys.map(({ id, holder, scopes, revoked }) => ({ id, holder, scopes, revoked })),
    [{ id: issued.id, holder: ADA, scopes: ['orders:read'], revoked: null }],
  );
  assert.equal((await page.post(`/keys/${issued.id}/revoke`, {})).http, 200);
  assert.equal((await read()).status, 401);
  assert.equal((await page.post(`/keys/${issued.id}/revoke`, {})).http, 404);
  assert.equal((await page.post('/keys', { ...body, scopes: ['x'] })).http, 400);
  assert.equal((await page.post('/keys', { ...body, scheme: 'x' })).http, 400);
});

test('a delivery that has failed is found and replayed', async () => {
  const { port } = hook.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const given = { url, events: ['order.placed'], version: null };
  const refused = await page.post<Problem>('/receivers', { ...given, allowPrivate: false });
  assert.match(refused.error, /private address/);
  const added = await page.post<ReceiverAdded>('/receivers', { ...given, allowPrivate: true });
  assert.match(added.secret, /^whsec_/);
  const { receivers } = await page.get<ReceiversAnswer>('/receivers');
  assert.deepEqual(receivers[0]?.events, ['order.placed']);
  body = `<script>alert(1)</script> ${added.secret}`;
  const order = await page.order('XYZ-0001', 1, { note: `My ${added.secret}"!` });
  await page.post(`/rows/Order/${order}/move`, { transition: 'place' });
  const failed = await until(async () => {
    const { deliveries } = await page.get<DeliveriesAnswer>('/deliveries?state=given%20up');
    return deliveries[0] ?? null;
  }, 'the delivery is given up');
  assert.equal(failed.row, order);
  assert.equal(failed.attempts, 1);
  assert.match(failed.lastResult ?? '', /500/);
  answer = 204;
  body = undefined;
  const again = await page.post<{ readonly deliveries: number }>('/deliveries/replay', { event: failed.event });
  assert.equal(again.deliveries, 1);
  await until(async () => {
    const { total } = await page.get<DeliveriesAnswer>(`/deliveries?state=delivered&row=${order}&resource=Order`);
    return total === 1;
  }, 'it is delivered');
  assert.deepEqual(heard, [failed.event, failed.event]);
  const { attempts } = await page.get<AttemptsAnswer>(`/deliveries/${failed.delivery}`);
  assert.deepEqual(
    attempts.map(({ status, result, body, bodyCut }) => ({ status, result, body, bodyCut })),
    [
      { status: 204, result: 'status 204', body: '', bodyCut: false },
      { status: 500, result: 'status 500', body: '<script>alert(1)</script> …', bodyCut: false },
    ],
    'the last first, also those before the replay, without the secret of the receiver',
  );
  for (const id of ['x', '0', '9999', '-1', '1e3', '9'.repeat(40)])
    assert.equal((await page.get(`/deliveries/${id}`)).http, 404, id);
  const none = await page.get<DeliveriesAnswer>('/deliveries?type=order.cancelled');
  assert.equal(none.total, 0);
  const { data } = await page.get<EventAnswer>(`/events/${failed.event}`);
  assert.equal((data as { readonly note: unknown }).note, 'My …"!', 'a secret that ends where JSON escapes');
  assert.equal((await page.post('/deliveries/replay', { event: 'x' })).http, 409);
  assert.equal((await page.post(`/receivers/${added.id}/change`, { events: ['order.cancelled'] })).http, 200);
  assert.equal((await page.post(`/receivers/${added.id}/remove`, {})).http, 200);
  assert.deepEqual((await page.get<ReceiversAnswer>('/receivers')).receivers, []);
});

test('a test event is signed and marked, stored nowhere, and noted as an act', async () => {
  const { port } = hook.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const given = { url, events: ['order.placed'], version: null, allowPrivate: true };
  const added = await page.post<ReceiverAdded>('/receivers', given);
  const seen: { headers: Record<string, string>; text: string }[] = [];
  hook.prependListener('request', (request) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    request.on('end', () => seen.push({ headers: request.headers as Record<string, string>, text }));
  });
  answer = 410;
  body = `<img src=x onerror=alert(1)>${'ß'.repeat(100_000)}`;
  const before = await page.get<DeliveriesAnswer>('/deliveries');
  const tested = await page.post<TestAnswer>(`/receivers/${added.id}/test`, { event: 'order.placed' });
  assert.equal(tested.http, 200, JSON.stringify(tested));
  assert.match(tested.event, /^test_[\w-]{36}$/);
  const { status, bodyCut } = tested.attempt;
  assert.deepEqual([status, bodyCut, tested.attempt.body.length], [410, true, 500]);
  const [{ headers, text } = assert.fail('nothing came')] = seen;
  assert.equal(headers['webhook-id'], tested.event);
  const event = new Webhook(added.secret).verify(text, headers) as { type: string; data: Record<string, unknown> };
  assert.equal(event.type, 'order.placed');
  assert.equal(typeof event.data.id, 'string');
  assert.equal((await page.get<DeliveriesAnswer>('/deliveries')).total, before.total, 'nothing is stored');
  assert.equal((await page.get<ReceiversAnswer>('/receivers')).receivers.length, 1, '410 of a test removes nothing');
  const refused = await page.post<Problem>(`/receivers/${added.id}/test`, { event: 'order.eaten' });
  assert.deepEqual([refused.http, refused.kind], [409, 'refused']);
  assert.equal((await page.post(`/receivers/rcv_none/test`, { event: 'order.placed' })).http, 404);
  const { acts } = await page.get<ActsAnswer>('/acts');
  assert.ok(acts.some(({ what, refused: no }) => what === `/receivers/${added.id}/test order.placed` && !no));
  answer = 204;
  body = undefined;
  assert.equal((await page.post(`/receivers/${added.id}/remove`, {})).http, 200);
});

test('the health of receivers is counted', async () => {
  const url = 'http://127.0.0.1:9/';
  const given = { url, events: ['order.placed'], version: null, allowPrivate: true };
  const added = await page.post<ReceiverAdded>('/receivers', given);
  const health = async () =>
    (await page.get<HealthAnswer>('/receivers/health')).receivers.find(({ receiver }) => receiver === added.id);
  assert.deepEqual(await health(), {
    receiver: added.id,
    url: null,
    delivered: 0,
    givenUp: 0,
    lastSuccess: null,
    pending: 0,
    next: null,
  });
  await page.post(`/receivers/${added.id}/pause`, {});
  const order = await page.order('XYZ-0002');
  await page.post(`/rows/Order/${order}/move`, { transition: 'place' });
  assert.deepEqual([(await health())?.pending, (await health())?.givenUp], [1, 0]);
  await page.post(`/receivers/${added.id}/resume`, {});
  await until(async () => (await health())?.givenUp === 1, 'the delivery is given up');
  const { attempts } = await page.get<AttemptsAnswer>(
    `/deliveries/${(await page.get<DeliveriesAnswer>(`/deliveries?receiver=${added.id}`)).deliveries[0]?.delivery}`,
  );
  assert.deepEqual(
    attempts.map(({ status, result, body }) => [status, result, body]),
    [[null, 'connection refused', '']],
  );
  assert.equal((await page.post(`/receivers/${added.id}/remove`, {})).http, 200);
});

test('a receiver that answered 410 where that removes it is shown for a while', async () => {
  const last = '- Kept: 30 days after delivery';
  const shown = await Shown.open(edited(ONCE, [last, `${last}\n- Gone: 410 removes the receiver`]));
  try {
    await shown.customer();
    answer = 410;
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/gone`;
    const given = { url, events: ['order.opened'], version: null, allowPrivate: true };
    const { id } = await shown.post<ReceiverAdded>('/receivers', given);
    await shown.order('ABC-0001');
    const { gone } = await until(async () => {
      const found = await shown.get<HealthAnswer>('/receivers/health');
      return found.gone.length > 0 && found;
    }, 'it is removed');
    assert.deepEqual(
      gone.map((one) => [one.receiver, one.url, typeof one.at]),
      [[id, url, 'string']],
    );
    assert.deepEqual((await shown.get<ReceiversAnswer>('/receivers')).receivers, []);
  } finally {
    answer = 204;
    await shown.stop();
  }
});

test('a receiver is moved, paused, and given another secret, which is shown once', async () => {
  const url = 'http://127.0.0.1:9/';
  const given = { url, events: ['order.placed'], version: null, allowPrivate: true };
  const added = await page.post<ReceiverAdded>('/receivers', given);
  const at = `/receivers/${added.id}`;
  const shown = async (): Promise<ReceiverShown | undefined> =>
    (await page.get<ReceiversAnswer>('/receivers')).receivers[0];
  assert.equal((await page.post(`${at}/change`, { events: ['order.cancelled'] })).http, 200);
  assert.deepEqual([(await shown())?.url, (await shown())?.events], [url, ['order.cancelled']]);
  const moved = `${url}moved`;
  assert.equal((await page.post(`${at}/change`, { url: moved, allowPrivate: false })).http, 409);
  assert.equal((await page.post(`${at}/change`, { url: moved, allowPrivate: true })).http, 200);
  assert.equal((await page.post(`${at}/pause`, {})).http, 200);
  assert.deepEqual([(await shown())?.url, typeof (await shown())?.paused], [moved, 'string']);
  assert.equal((await page.post(`${at}/resume`, {})).http, 200);
  assert.equal((await shown())?.paused, null);
  assert.equal((await page.post('/receivers/rcv_x/pause', {})).http, 404);
  for (const oldSecretFor of [undefined, 24, '', 'a day', '366 days'])
    assert.equal((await page.post(`${at}/rotate`, { oldSecretFor })).http, 400, String(oldSecretFor));
  const rotated = await page.post<ReceiverRotated>(`${at}/rotate`, { oldSecretFor: '24h' });
  assert.match(rotated.secret, /^whsec_/);
  assert.notEqual(rotated.secret, added.secret);
  assert.equal((await shown())?.oldSecretUntil, rotated.oldSecretUntil);
  const again = await page.post<Problem>(`${at}/rotate`, { oldSecretFor: '24h' });
  assert.deepEqual([again.http, /Two secrets/.test(again.error)], [409, true]);
  const ended = await page.post<ReceiverRotated>(`${at}/rotate`, { oldSecretFor: '0' });
  assert.deepEqual([ended.http, ended.oldSecretUntil], [200, null]);
  assert.doesNotMatch(JSON.stringify(await shown()), /whsec_/);
  assert.equal((await page.post(`${at}/remove`, {})).http, 200);
});

test('what the service has done is counted', async () => {
  const told = await page.get<Activity>('/activity');
  const orders = told.requests.find((one) => one.endpoint === 'POST /orders');
  assert.ok((orders?.statuses['201'] ?? 0) >= 2, JSON.stringify(told));
  assert.equal(
    orders?.took.reduce((all, one) => all + one, 0),
    Object.values(orders?.statuses ?? {}).reduce((all, one) => all + one, 0),
  );
  assert.equal(told.deliveries['given up'], 2);
  assert.equal(told.deliveries.delivered, 1);
  assert.equal(told.notReady, null);
});
