import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { edited, ORDERS, RAISED, type Service, until, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';

const CALLER = 'Rate         | 600 requests per minute ';
const ADDRESS = 'Rate         | 6000 requests per minute';

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const codeOf = (answer: { body: unknown }): string => (answer.body as { code: string }).code;

/** What `RateLimit` says of a policy: what remains, and for how many seconds. */
function left({ headers }: Answered, policy: string): { r: number; t: number } | null {
  const found = new RegExp(`"${policy}";r=(\\d+);t=(\\d+)`).exec(headers.get('ratelimit') ?? '');
  return found && { r: Number(found[1]), t: Number(found[2]) };
}

/** Sends text as it is over a connection of its own; gives all that comes back until `enough` of it or its end. */
function raw(
  service: Service,
  parts: readonly string[],
  enough = /\r\n\r\n[\s\S]*\}$/,
  late: { readonly after: number; readonly part: string } | null = null,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let came = '';
    const over = () => {
      socket.destroy();
      resolve(came);
    };
    socket.on('data', (chunk) => {
      came += chunk;
      if (enough.test(came)) over();
    });
    socket.on('end', over);
    socket.on('error', (error) => (came ? over() : reject(error)));
    for (const part of parts) socket.write(part);
    if (late) setTimeout(() => socket.write(late.part), late.after);
  });
}

const head = (key: string, ...lines: string[]): string =>
  [
    'POST /orders HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Idempotency-Key: ${crypto.randomUUID()}`,
    ...lines,
    '',
    '',
  ].join('\r\n');

/** A body of so many bytes that a size limit is the one thing to say against. */
const bodyOf = (bytes: number, sku: string): string => `{"sku":"${sku}","quantity":1}`.padEnd(bytes, ' ');
const chunked = (body: string): string[] => {
  const half = Math.floor(body.length / 2);
  const chunks = [body.slice(0, half), body.slice(half), ''];
  return chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
};

async function exact(t: TestContext): Promise<void> {
  await using space = new Workspace(ORDERS);
  const customer = await space.customer();
  const key = await space.key(customer);
  const second = await space.key(customer);
  const other = await space.key(await space.customer());
  const service = await space.serve();
  const answers: Answered[] = [];
  for (let at = 0; at < 600; at += 100)
    answers.push(
      ...(await Promise.all(Array.from({ length: 100 }, () => service.request('GET', '/summary', { key })))),
    );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const remaining = answers.map((answer) => left(answer, 'caller')!.r);
  assert.deepEqual(
    remaining.sort((a, b) => a - b),
    Array.from({ length: 600 }, (_, n) => n),
    'each number from 599 to 0 once',
  );
  const beyond = await Promise.all(Array.from({ length: 100 }, () => service.request('GET', '/summary', { key })));
  for (const answer of beyond) {
    assert.deepEqual([answer.status, codeOf(answer)], [429, 'rate_exceeded']);
    assert.equal(answer.headers.get('ratelimit-policy'), '"address";q=6000;w=60, "caller";q=600;w=60');
    const { r, t: seconds } = left(answer, 'caller')!;
    assert.deepEqual([r, answer.headers.get('retry-after')], [0, String(seconds)]);
    assert.ok(seconds >= 1 && seconds <= 60);
  }
  const same = await service.request('POST', '/orders/x/place', { key: second });
  assert.equal(same.status, 429, 'a caller is a customer, whichever of its keys it uses, and whatever it asks');
  const free = await service.request('GET', '/summary', { key: other });
  assert.deepEqual([free.status, left(free, 'caller')!.r, free.headers.get('retry-after')], [200, 599, null]);
  assert.equal(await service.stop(), 0);
  const again = await space.serve();
  assert.equal(
    (await again.request('GET', '/summary', { key })).status,
    429,
    'a restart in good order forgets nothing',
  );
  t.diagnostic(`700 requests against 600 a minute: ${answers.length} passed, ${beyond.length} refused`);
}

async function windows(t: TestContext): Promise<void> {
  await using space = new Workspace(edited(RAISED, ['9000000 requests per minute', '5 requests per second']));
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const passed: Array<{ sent: number; came: number }> = [];
  let refused = 0;
  const ask = async (): Promise<void> => {
    const sent = Date.now();
    const { status } = await service.request('GET', '/summary', { key });
    if (status === 200) passed.push({ sent, came: Date.now() });
    else refused++;
  };
  // However slowly they are answered: some of so many at once are refused in the end.
  while (passed.length < 24 || refused === 0) await Promise.all(Array.from({ length: 12 }, ask));
  // Eleven came in three windows or more: the second of these lasted a second by the service's own clock.
  for (let at = 0; at + 11 <= passed.length; at++) {
    const some = passed.slice(at, at + 11);
    const [sent, came] = [Math.min(...some.map((one) => one.sent)), Math.max(...some.map((one) => one.came))];
    assert.ok(came - sent >= 1000, `eleven in ${came - sent} ms`);
  }
  t.diagnostic(`${passed.length} passed in windows of a second while ${refused} refused ones didn’t count`);
}

/** The same request from another address of this machine. */
function fromAddress(service: Service, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${service.url}/summary`, { localAddress }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    request.on('error', reject).end();
  });
}

async function addresses(): Promise<void> {
  await using space = new Workspace(edited(ORDERS, [ADDRESS, 'Rate         | 5 requests per minute   ']));
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const unknown = `nf_${'a'.repeat(12)}_${'b'.repeat(43)}`;
  const statuses = [];
  for (const options of [{}, { key: unknown }, { key }, {}, { key }])
    statuses.push((await service.request('GET', '/summary', options)).status);
  assert.deepEqual(statuses, [401, 401, 200, 401, 200], 'who has no key is counted as well');
  for (const headers of [{}, { 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }]) {
    const answer = await service.request('GET', '/summary', { key, headers });
    assert.deepEqual([answer.status, codeOf(answer)], [429, 'rate_exceeded'], 'an address can’t be claimed');
    assert.equal(answer.headers.get('ratelimit-policy'), '"address";q=5;w=60', 'refused before the caller is known');
    assert.equal(answer.headers.get('retry-after'), String(left(answer, 'address')!.t));
  }
  assert.equal(await fromAddress(service, '127.0.0.2'), 401, 'another address has its own');
}

async function restart(): Promise<void> {
  const document = edited(ORDERS, [CALLER, 'Rate         | 5 requests per minute   ']);
  await using space = new Workspace(document);
  const key = await space.key(await space.customer());
  let service = await space.serve();
  const ask = async () => (await service.request('GET', '/summary', { key })).status;
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 200]);
  assert.equal(await service.stop(), 0);
  service = await space.serve({ args: ['--watch'] });
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429], 'over a restart the count goes on');
  space.write(document.replace('Takes orders for a small shop', 'Takes orders for a shop'));
  await until(() => service.out.includes('The new document is served'), 'the document in force anew');
  assert.equal(await ask(), 429, 'and over an edit of the document, too');
}

async function sizes(): Promise<void> {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const most = 65_536;
  const length = (body: string): string => `Content-Length: ${body.length}`;
  const status = (text: string): string => text.slice(9, 12);
  const whole = bodyOf(most, 'SIZ-0001');
  assert.equal(status(await raw(service, [head(key, length(whole)), whole])), '201', '64 KiB');
  const other = bodyOf(most, 'SIZ-0002');
  assert.equal(
    status(await raw(service, [head(key, 'Transfer-Encoding: chunked'), ...chunked(other)])),
    '201',
    '64 KiB, chunked',
  );
  const over = bodyOf(most + 1, 'SIZ-0003');
  for (const { parts, whole: cameWhole } of [
    { parts: [head(key, length(over)), over], whole: true },
    // Announced alone, it is refused without being waited for.
    { parts: [head(key, length(over))], whole: false },
    { parts: [head(key, 'Content-Length: 99999999999')], whole: false },
    { parts: [head(key, 'Transfer-Encoding: chunked'), ...chunked(over)], whole: true },
    // One that never ends is refused once it is too large.
    { parts: [head(key, 'Transfer-Encoding: chunked'), ...chunked(over).slice(0, 2)], whole: false },
  ]) {
    const text = await raw(service, parts);
    assert.match(text, /^HTTP\/1\.1 413 [\s\S]*"code":"request_too_large"/);
    // Over a connection on which a body is still to come there can be no other request.
    if (!cameWhole) assert.match(text, /\r\nConnection: close\r\n/);
  }
  const place = head(key, length(over)).replace('POST /orders ', 'POST /orders/x/place ');
  assert.match(await raw(service, [place]), /^HTTP\/1\.1 413 /, 'where no body is taken, too');
  const listed = await service.request('GET', '/orders', { key });
  assert.equal((listed.body as { items: unknown[] }).items.length, 2);
}

async function slowBody({ service, key }: Raised): Promise<void> {
  const slow = Promise.all([
    raw(service, [head(key, 'Content-Length: 30'), '{"sku":']),
    raw(service, [head(key, 'Transfer-Encoding: chunked'), '5\r\n{"sku\r\n']),
    raw(service, [head(key, 'Content-Length: 30')]),
  ]);
  const meanwhile = await service.open(key, { sku: 'SLO-0001', quantity: 1 });
  assert.equal(meanwhile.status, 201);
  for (const text of await slow) {
    assert.match(text, /^HTTP\/1\.1 503 [\s\S]*"code":"time_out"/);
    assert.match(text, /\r\nConnection: close\r\n/);
  }
  assert.equal((await service.request('GET', '/orders?sku=SLO-0001', { key })).status, 200);
}

/** An order of which the last byte comes late. */
async function lateBody(service: Service, key: string, sku: string, after: number): Promise<string> {
  const body = bodyOf(40, sku);
  const parts = [head(key, `Content-Length: ${body.length}`), body.slice(0, -1)];
  return raw(service, parts, undefined, { after, part: body.slice(-1) });
}

async function lateBodies(): Promise<void> {
  const short = edited(RAISED, ['| 5 seconds  ', '| 1 second   ']);
  const longer = edited(RAISED, ['| 5 seconds  ', '| 1 minute   ']);
  const none = edited(
    RAISED,
    ['| Time-out     | 5 seconds                                   | every endpoint                      |\n', ''],
    ['- Rate headers:', 'Time-outs: none.\n\n- Rate headers:'],
  );
  const after = async (document: string): Promise<string> => {
    await using space = new Workspace(short);
    const key = await space.key(await space.customer());
    const service = await space.serve({ args: ['--watch'] });
    space.write(document);
    await until(() => service.out.includes('The new document is served'), 'the document in force anew');
    return await lateBody(service, key, 'LAT-0001', 5000);
  };
  for (const text of await Promise.all([after(longer), after(none)])) assert.match(text, /^HTTP\/1\.1 201 /);
}

async function form({ service, key }: Raised): Promise<void> {
  const is = (answer: Answered, status: number, code: string, what = ''): void =>
    assert.deepEqual([what, answer.status, codeOf(answer)], [what, status, code]);
  for (const accept of ['*/*', 'application/json', 'application/*;q=0.1', 'text/html, application/json;q=0.5'])
    assert.equal((await service.request('GET', '/summary', { key, headers: { accept } })).status, 200, accept);
  for (const accept of ['text/html', 'application/xml', 'application/json;q=0'])
    is(await service.request('GET', '/summary', { key, headers: { accept } }), 406, 'not_acceptable', accept);
  for (const query of ['?x=1', '?limit=5', '?status=draft&Status=draft', '?='])
    is(await service.request('GET', `/summary${query}`, { key }), 400, 'unknown_parameter', query);
  is(await service.request('GET', '/orders?status=open', { key }), 422, 'invalid_request');
  is(await service.request('GET', '/orders?status=draft&status=placed', { key }), 422, 'invalid_request');
  for (const path of ['/orders', '/orders/x', '/summary'])
    for (const method of ['HEAD', 'OPTIONS', 'PUT']) {
      const { status, headers } = await service.request(method, path, { key });
      assert.deepEqual([method, path, status], [method, path, 405]);
      assert.match(headers.get('allow') ?? '', /^(POST, GET|GET, PATCH, DELETE|GET)$/);
      assert.equal(headers.get('access-control-allow-origin'), null);
    }
  const id = await service.opened(key, 'FOR-0001');
  is(await service.request('POST', `/orders/${id}/place`, { key, body: {} }), 400, 'body_not_expected');
  const send = (body: string, headers: Record<string, string>) =>
    raw(service, [
      head(key, `Content-Length: ${Buffer.byteLength(body)}`).replace(
        'Content-Type: application/json\r\n',
        Object.entries(headers)
          .map(([k, v]) => `${k}: ${v}\r\n`)
          .join(''),
      ),
      body,
    ]);
  const fine = '{"sku":"FOR-0002","quantity":1}';
  const json = { 'Content-Type': 'application/json' };
  for (const [body, headers, expected] of [
    [fine, {}, /^HTTP\/1\.1 415 [\s\S]*unsupported_media_type/],
    [fine, { 'Content-Type': 'text/plain' }, /^HTTP\/1\.1 415 [\s\S]*unsupported_media_type/],
    [fine, { ...json, 'Content-Encoding': 'gzip' }, /^HTTP\/1\.1 415 [\s\S]*unsupported_encoding/],
    ['{"sku":', json, /^HTTP\/1\.1 400 [\s\S]*malformed_request/],
    ['{"sku":"FOR-0002","sku":"FOR-0003","quantity":1}', json, /^HTTP\/1\.1 400 [\s\S]*malformed_request/],
    [fine, { 'Content-Type': 'application/json; charset=utf-8' }, /^HTTP\/1\.1 201 /],
  ] as const)
    assert.match(await send(body, headers), expected);
  assert.match(await raw(service, [head(key)]), /^HTTP\/1\.1 411 [\s\S]*length_missing/);
}

async function faults({ service, key }: Raised): Promise<void> {
  const names = Array.from({ length: 5000 }, (_, n) => `x${n}`);
  const { status, body } = await service.open(key, Object.fromEntries(names.map((name) => [name, 1])));
  const { code, errors } = body as { code: string; errors: Array<{ pointer: string }> };
  assert.deepEqual([status, code], [422, 'invalid_request'], 'what is missing is told, too');
  const told = ['/sku', '/quantity', ...names.map((name) => `/${name}`)].slice(0, 100);
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    told,
  );
  const query = names.slice(0, 150).map((name) => `${name}=1`);
  const asked = await service.request('GET', `/orders?${query.join('&')}`, { key });
  assert.equal((asked.body as { errors: unknown[] }).errors.length, 100);
}

/** A service whose rates nobody reaches, for the tests of other limits. */
interface Raised {
  readonly service: Service;
  readonly key: string;
}

describe('limits', { concurrency: 2 }, () => {
  const space = new Workspace(RAISED);
  let raised: Raised;
  before(async () => {
    const key = await space.key(await space.customer());
    raised = { key, service: await space.serve() };
  });
  after(() => space[Symbol.asyncDispose]());

  test('600 requests a minute pass for each caller, and the next is refused', IN_WHOLE, exact);
  test('a window lasts its time, and refused requests do not count', IN_WHOLE, windows);
  test('addresses are counted before anybody is known', addresses);
  test('counts outlive a restart in good order, and an edit of the document', IN_WHOLE, restart);
  test('64 KiB are taken, and not a byte more', IN_WHOLE, sizes);
  test('a body slower than the time-out is answered as the document states', IN_WHOLE, () => slowBody(raised));
  test('a body has all the time that the document states by now, or any', IN_WHOLE, lateBodies);
  test('what is asked has to have the form stated', () => form(raised));
  test('of thousands of faults a hundred are told', () => faults(raised));
});
