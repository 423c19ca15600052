import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Shown } from './harness.test.ts';
import { hidingOf } from './hidden-secrets.ts';
import type { ActsAnswer, KeysAnswer, Problem, TryAnswer, TryRequest } from './protocol.ts';
import { sendOut } from './sender.ts';

const document = (name: string): string =>
  readFileSync(new URL(`../../docs/documents/${name}.md`, import.meta.url), 'utf8');

type Tried = TryAnswer & Problem & { readonly http: number };

const sent = (page: Shown, more: Partial<TryRequest>): Promise<Tried> =>
  page.post('/try', {
    method: 'GET',
    path: '/me',
    headers: [],
    body: null,
    caller: null,
    ...more,
  } satisfies TryRequest);

const PASSWORD = 'correct horse battery';

test('an endpoint is tried as the holder of a token, and of a key that steps issue', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  process.env.NINEFOLD_KEY_SESSION = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const page = await Shown.open(document('accounts'));
  try {
    const headers = [['Content-Type', 'application/json']] as const;
    const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD });
    const made = await sent(page, { method: 'POST', path: '/users', headers, body });
    assert.equal(made.status, 201, made.body);
    const { user } = JSON.parse(made.body) as { readonly user: { readonly id: string } };
    const { id } = user;
    const caller = { scheme: 'Session', id, scopes: [] };
    const me = await sent(page, { caller });
    assert.equal(me.status, 200, JSON.stringify(me));
    assert.equal((JSON.parse(me.body) as { readonly id: string }).id, id);
    assert.deepEqual(
      me.sent.headers.filter(([name]) => name === 'Authorization'),
      [['Authorization', 'Bearer …']],
    );
    assert.doesNotMatch(JSON.stringify(me), /eyJ/, 'the token is shown nowhere');
    const machine = await sent(page, { method: 'POST', path: '/machines', headers, body: '{"label": "Pump"}', caller });
    assert.equal(machine.status, 201, machine.body);
    const { machine: own } = JSON.parse(machine.body) as { readonly machine: { readonly id: string } };
    const report = { scheme: 'Machine key', id: own.id, scopes: ['report'] };
    const told = await sent(page, { path: '/report', caller: report });
    assert.deepEqual([told.status, told.revoked], [200, true], told.body);
    assert.match(told.call ?? '', /machineKey: key/);
    assert.equal(
      (await page.get<KeysAnswer>('/keys?valid=1')).total,
      1,
      'only the one that steps have issued is valid',
    );
    const less = await sent(page, { path: '/report', caller: { ...report, scopes: [] } });
    assert.equal(less.status, 403);
    const ghost = await sent(page, { caller: { ...caller, id: own.id } });
    assert.equal(ghost.http, 404, 'a row of another resource');
    assert.equal((await sent(page, { caller: { ...report, scopes: ['all'] } })).http, 400);
    const { acts } = await page.get<ActsAnswer>('/acts');
    assert.ok(acts.some(({ what }) => what === `/try GET /me as Session ${id}`));
  } finally {
    await page.stop();
    delete process.env.NINEFOLD_KEY_SESSION;
  }
});

test('a credential that the service does not issue is given, and shown nowhere', async () => {
  const page = await Shown.open(document('readings'), { url: 'https://readings.example' });
  try {
    const fields = { name: 'Ada', password: PASSWORD };
    assert.equal((await page.post('/rows/Caretaker', { fields })).http, 200);
    const as = (credential: string) => sent(page, { caller: { scheme: 'Password', id: '', scopes: [], credential } });
    const me = await as(`ada:${PASSWORD}`);
    assert.equal(me.status, 200, me.body);
    const hidden = new RegExp(`${PASSWORD}|${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`);
    assert.doesNotMatch(JSON.stringify(me), hidden);
    assert.match(me.call ?? '', /password: credentials/);
    const lost = await sent(page, {
      path: `/nowhere/${encodeURIComponent(PASSWORD)}`,
      caller: { scheme: 'Password', id: '', scopes: [], credential: `ada:${PASSWORD}` },
    });
    assert.doesNotMatch(lost.body, hidden);
    assert.equal((await as('ada:wrong')).status, 401);
    assert.equal((await as('')).http, 400);
    const issued = { scheme: 'Password', id: 'x', scopes: [] };
    assert.equal((await sent(page, { caller: issued })).http, 409, 'the service issues none of the scheme');
    const { acts } = await page.get<ActsAnswer>('/acts');
    assert.doesNotMatch(JSON.stringify(acts), hidden);
  } finally {
    await page.stop();
  }
});

test('an answer that repeats a given credential is shown without it, in every form', async () => {
  const given = 'ada:pässword/"x" 1';
  const basic = Buffer.from(given).toString('base64');
  const password = given.slice(4);
  const forms = [
    `Basic ${basic}`,
    given,
    JSON.stringify({ password }),
    JSON.stringify(given).replaceAll('/', '\\/').replaceAll('ä', '\\u00e4'),
    encodeURIComponent(password),
    new URLSearchParams({ password }).toString(),
  ].join('\n');
  const server = createServer((_, response) => {
    response.setHeader('X-Repeated', basic);
    // The last one begins in the part that is read, and ends behind it.
    response.end(`${forms}\n${'x'.repeat((256 << 10) - Buffer.byteLength(forms) - 5)}${given}${'y'.repeat(200_000)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asked = { method: 'GET', address, path: '/', headers: [['Host', 'x']] as const, body: null };
    const { headers, body, bodyCut } = await sendOut(asked, hidingOf([basic, given, password]));
    assert.deepEqual(
      headers.find(([name]) => name === 'X-Repeated'),
      ['X-Repeated', '…'],
    );
    assert.deepEqual(body.slice(0, body.indexOf('x')).split('\n'), [
      'Basic …',
      '…',
      '{"password":"…"}',
      '"…"',
      '…',
      'password=…',
      '',
    ]);
    assert.match(body, /x…$/);
    assert.equal(bodyCut, true);
    assert.ok(Buffer.byteLength(body) <= 256 << 10);
    const many = hidingOf([password])(`${password.repeat(3)}${password.slice(0, -1)}`, true);
    assert.equal(many, '…………', 'a part at the end, whatever is hidden before it');
    assert.equal(hidingOf(['abc', ''])('abc'), 'abc', 'a short text is in many');
    const hide = hidingOf([password]);
    assert.equal(hide(encodeURIComponent(password).replace(/%../g, (one) => one.toLowerCase())), '…');
    assert.equal(hide(JSON.stringify({ password }).replaceAll('ä', '\\u00E4')), '{"password":"…"}');
  } finally {
    server.close();
  }
});
