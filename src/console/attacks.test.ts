import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { edited } from '../../test/harness.ts';
import { readBody } from './body.ts';
import { ADA, ORDERS, type Sent, Shown } from './harness.test.ts';
import type { ActsAnswer, Problem, RowAnswer, RowsAnswer } from './protocol.ts';

/** Names as long as they like. */
const LONG = edited(ORDERS, ['1 to 80 characters     ', '1 to 200000 characters ']);

let page: Shown;
before(async () => {
  page = await Shown.open(LONG);
});
after(() => page.stop());

/** A change as the page asks for it, but for what is said otherwise. */
const change = (sent: Sent, path = '/console/api/rows/Customer'): ReturnType<Shown['ask']> =>
  page.ask(path, {
    method: 'POST',
    body: JSON.stringify({ fields: { id: ADA, name: 'Eve', email: 'eve@example.com' } }),
    ...sent,
    headers: {
      cookie: page.cookie,
      'content-type': 'application/json',
      'x-ninefold-console': '1',
      ...sent.headers,
    },
  });
const customers = async (): Promise<number> => (await page.get<RowsAnswer>('/rows/Customer')).total;

test('a page of another origin', async () => {
  const host = `127.0.0.1:${page.port}`;
  for (const origin of [
    'http://evil.example',
    'null',
    `https://${host}`,
    'http://127.0.0.1:1',
    `http://${host}.evil.example`,
  ])
    assert.equal((await change({ headers: { origin } })).status, 403, origin);
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal((await change({ headers: { 'sec-fetch-site': site } })).status, 403, site);
  for (const site of ['cross-site', 'same-site']) {
    const headers = { cookie: page.cookie, 'sec-fetch-site': site };
    assert.equal((await page.ask('/console/api/rows/Customer', { headers })).status, 403, `reads, ${site}`);
    assert.equal((await page.ask('/console/api/live', { headers })).status, 403, `looks on, ${site}`);
  }
  assert.equal(await customers(), 0);
});

test('a name that was made to lead here (DNS rebinding)', async () => {
  const { port } = page;
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
    '127.0.0.1',
    `localhost.evil.example:${port}`,
  ]) {
    const origin = `http://${host}`;
    assert.equal((await change({ headers: { host, origin } })).status, 421, host);
    assert.equal((await page.ask('/console/', { headers: { host, cookie: page.cookie } })).status, 421, host);
    assert.equal((await page.ask(page.link, { headers: { host } })).status, 421, host);
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
    assert.equal((await page.ask('/console/', { headers: { host, cookie: page.cookie } })).status, 200, host);
  assert.equal(await customers(), 0);
});

test('a form, which sends no JSON and no header of its own', async () => {
  const forms = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'text/plain; application/json',
    '',
  ];
  for (const type of forms) assert.equal((await change({ headers: { 'content-type': type } })).status, 415, type);
  for (const own of ['', '0', 'true'])
    assert.equal((await change({ headers: { 'x-ninefold-console': own } })).status, 403, own);
  const headers = { cookie: page.cookie, 'content-length': '0' };
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    assert.equal((await page.ask('/console/api/rows/Customer', { method, headers })).status, 405, method);
  assert.equal(await customers(), 0);
});

test('bodies that are no object of JSON, and one of 100 MB', async () => {
  for (const body of [
    '',
    'x',
    '[]',
    'null',
    '"x"',
    '{"fields": []}',
    '{"fields": {"id": 1}}',
    '{"__proto__": {"fields": {}}}',
    Buffer.from([0x7b, 0xff, 0x7d]),
  ])
    assert.equal((await change({ body })).status, 400, String(body));
  const long = Buffer.alloc(100_000_000, ' ');
  const [known, unknown] = await Promise.all([
    change({ body: long, headers: { 'content-length': String(long.length) } }).then((one) => one.status, codeOf),
    change({ body: long, headers: { 'transfer-encoding': 'chunked' } }).then((one) => one.status, codeOf),
  ]);
  // The connection is closed while most of it has not been sent: some never see the answer.
  for (const status of [known, unknown])
    assert.ok([413, 'ECONNRESET', 'EPIPE'].includes(status as string), String(status));
  assert.equal(await customers(), 0);
});

test('framing, sniffing and caching: every answer says what it is', async () => {
  const headers = { cookie: page.cookie };
  const answers = [
    await page.ask('/console/'),
    await page.ask('/console/', { headers }),
    await page.ask('/console/api/service', { headers }),
    await page.ask('/console/api/nothing', { headers }),
    await page.ask('/console/', { headers: { host: 'evil.example' } }),
    await page.ask(page.link),
  ];
  for (const { headers: told, status } of answers) {
    assert.match(String(told['content-security-policy']), /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(String(told['content-security-policy']), /frame-ancestors 'none'$/);
    assert.doesNotMatch(String(told['content-security-policy']), /unsafe/);
    assert.equal(told['x-frame-options'], 'DENY');
    assert.equal(told['x-content-type-options'], 'nosniff');
    assert.equal(told['referrer-policy'], 'no-referrer');
    assert.equal(told['cross-origin-opener-policy'], 'same-origin');
    assert.equal(told['cross-origin-resource-policy'], 'same-origin');
    assert.equal(told['cache-control'], 'no-store', String(status));
    assert.equal(told['access-control-allow-origin'], undefined);
  }
});

test('paths that lead out of the page, or are no paths', async () => {
  const headers = { cookie: page.cookie };
  for (const path of [
    '/console/assets/../../package.json',
    '/console/assets/%2e%2e/index.html',
    '/console/assets/..%2f..%2fpackage.json',
  ])
    assert.equal((await page.ask(path, { headers })).status, 404, path);
  for (const path of ['/rows/%', '/rows/Customer/%ff', '/rows/__proto__', '/rows/constructor/x', '/endpoints/toString'])
    assert.ok([400, 404].includes((await page.ask(`/console/api${path}`, { headers })).status), path);
});

test('rows whose text is a script, or 100 kB long', async () => {
  const script = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';
  await page.customer(ADA, script);
  const long = `<b>${'é'.repeat(100_000)}`;
  const other = '0195c2a0-0000-7000-8000-000000000002';
  await page.customer(other, long);
  const came = await page.ask('/console/api/rows/Customer', { headers: { cookie: page.cookie } });
  assert.equal(came.headers['content-type'], 'application/json');
  assert.ok(came.text.length < 2000, 'a list shows how it begins');
  const { rows } = JSON.parse(came.text) as RowsAnswer;
  assert.equal(rows[0]?.values.name, script);
  assert.equal(rows[1]?.values.name, long.slice(0, 200));
  assert.deepEqual(rows[1]?.shortened, ['name']);
  const whole = await page.get<RowAnswer>(`/rows/Customer/${other}`);
  assert.equal(whole.row.values.name, long);
});

test('what is refused is told in the form of the interface, and names nothing that was not asked', async () => {
  const refused = await page.post<Problem>('/rows/Customer', { fields: { id: ADA, name: script() } });
  assert.equal(refused.http, 400);
  assert.equal(refused.kind, 'wrong use');
  assert.equal(refused.error, 'Customer needs email.');
});

const script = (): string => '<script>alert(1)</script>';
const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? String(error);

test('a name that was made to lead here learns nothing from the rest of the port', async () => {
  const { port } = page;
  for (const path of ['/metrics', '/openapi.json', '/asyncapi.json']) {
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '[::1'])
      assert.equal((await page.ask(path, { headers: { host } })).status, 421, `${path} ${host}`);
    for (const host of [`127.0.0.1:${port}`, 'localhost', `LOCALHOST.:${port}`, '[::1]:80', `10.1.2.3:${port}`])
      assert.equal((await page.ask(path, { headers: { host } })).status, 200, `${path} ${host}`);
  }
  // Probes ask by whatever name they like, and learn whether the service lives.
  assert.equal((await page.ask('/livez', { headers: { host: 'orders' } })).status, 200);
});

test('a path of 10 kB, of which the list of changes keeps whole characters', async () => {
  for (const character of ['x', '客']) {
    const id = encodeURIComponent(character.repeat(10_000 / encodeURIComponent(character).length));
    assert.equal((await page.post(`/rows/Order/${id}/move`, { transition: 'place' })).http, 404);
    const { acts } = await page.get<ActsAnswer>('/acts');
    assert.equal(decodeURIComponent(acts[0]?.what ?? ''), `/rows/Order/${character.repeat(200)}…/move place`);
  }
});

test('names that the operator gives', async () => {
  const named = await Shown.start(ORDERS, { adminNames: 'Orders.internal, orders' });
  try {
    for (const [host, status] of [
      ['orders.internal:9090', 200],
      ['ORDERS', 200],
      ['orders.example', 421],
    ] as const)
      assert.equal((await named.ask('/metrics', { headers: { host } })).status, status, host);
  } finally {
    await named.stop();
  }
});

test('two lines Host are no request (RFC 9112, section 3.2)', async () => {
  for (const path of ['/console/', '/metrics', '/livez']) {
    const socket = connect(page.port, '127.0.0.1');
    const host = `127.0.0.1:${page.port}`;
    socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nCookie: ${page.cookie}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(String(answer), /^HTTP\/1.1 400 /, path);
    socket.destroy();
  }
});

test('a body that is broken off is the fault of whoever sends it', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const head = 'Content-Type: application/json\r\nX-Ninefold-Console: 1\r\nContent-Length: 100';
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n{"fields":`);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  const read = readBody(request);
  socket.destroy();
  await assert.rejects(read, { kind: 'wrong use', message: 'The body has ended too early.' });
});
