import './whole-alone.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { ORDERS, type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';

const space = new Workspace(ORDERS);
const receiver = new Receiver();
const keys: string[] = [];
const secrets: string[] = [];
/** Everything that anybody was told, with who told it. */
const told: Array<readonly [where: string, text: string]> = [];
let service: Service;
let customer: string;

before(async () => {
  customer = await space.customer();
  keys.push(await space.key(customer), await space.key(customer, 'orders:read'));
  await receiver.up();
  secrets.push(await space.receiver(receiver.url));
  secrets.push(await space.receiver('http://127.0.0.1:1/nobody'));
  service = await space.serve({ args: ['--log', 'debug', '--admin', '127.0.0.1:0'] });
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

/** Each form in which a key or a secret could get out: as it is, its secret part, and its hash. */
function canaries(): string[] {
  const parts = keys.map((key) => key.split('_').slice(2).join('_'));
  const hashes = [...keys, ...parts].flatMap((text) => {
    const hash = createHash('sha256').update(text).digest();
    return [
      hash.toString('hex'),
      hash.toString('base64').replace(/=+$/, ''),
      hash.toString('base64url'),
      hash.join(','),
    ];
  });
  const bare = secrets.map((secret) => secret.replace('whsec_', ''));
  const decoded = bare.map((text) => Buffer.from(text, 'base64').toString('hex'));
  return [...parts, ...hashes, ...bare, ...decoded];
}

async function ask(method: string, path: string, headers: Record<string, string>, body?: string): Promise<number> {
  const answer = await fetch(service.url + path, { method, headers, body: body ?? null });
  const lines = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
  told.push([`${method} ${path.split('?')[0]}`, `${lines.join('\n')}\n${await answer.text()}`]);
  return answer.status;
}

/** Drives every endpoint, in success and in each kind of failure. Gives the statuses that were met. */
async function drive([key, reader]: readonly [string, string]): Promise<Set<number>> {
  const met = new Set<number>();
  const json = { 'content-type': 'application/json' };
  const by = (text: string) => ({ authorization: `Bearer ${text}` });
  const send = async (...args: Parameters<typeof ask>) => met.add(await ask(...args));
  const open = (body: string, more: Record<string, string> = {}) =>
    send('POST', '/orders', { ...by(key), ...json, 'idempotency-key': crypto.randomUUID(), ...more }, body);
  await open('{"sku":"SEC-0001","quantity":1}');
  await open('{"sku":"SEC-0001","quantity":1}');
  for (const body of [
    '{',
    `{"sku":"${key}","quantity":1}`,
    `{"sku":"SEC-0002","quantity":"${key}"}`,
    `${key}`,
    '[]',
    `{"x":"${key}"}`,
  ])
    await open(body);
  for (const more of [
    { 'content-type': key },
    { 'content-encoding': key },
    { 'orders-version': key },
    { accept: `x/${key}` },
  ])
    await open('{"sku":"SEC-0003","quantity":1}', more);
  await open(' '.repeat(70_000));
  const [order] = space.select<{ id: string }>('SELECT row AS id FROM ninefold_event LIMIT 1');
  const path = `/orders/${order!.id}`;
  const patch = { ...by(key), 'content-type': 'application/merge-patch+json' };
  for (const match of [{}, { 'if-match': `"${key}"` }, { 'if-match': key }, { 'if-match': '*' }])
    await send('PATCH', path, { ...patch, ...match }, '{"quantity":2}');
  for (const verb of ['place', 'ship', 'deliver', 'cancel']) await send('POST', `${path}/${verb}`, by(key));
  await send('DELETE', path, by(key));
  await open('{"sku":"SEC-0004","quantity":1}');
  const [second] = space.select<{ id: string }>('SELECT row AS id FROM ninefold_event ORDER BY seq DESC LIMIT 1');
  await send('POST', `/orders/${second!.id}/cancel`, by(key));
  await send('DELETE', `/orders/${second!.id}`, by(key));
  for (const at of [
    path,
    '/orders',
    '/summary',
    `/orders/${key}`,
    `/${key}`,
    `/orders?status=${key}`,
    `/orders?cursor=${key}`,
    `/orders?api_key=${key}`,
    `/orders?limit=${key}`,
  ])
    await send('GET', at, by(key));
  const wrong = key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  for (const headers of [
    {},
    by(wrong),
    by(''),
    by(`${key}x`),
    { authorization: key },
    { authorization: `Basic ${key}` },
    { 'x-api-key': key },
  ])
    await send('GET', '/orders', headers);
  await send('GET', `/orders?access_token=${key}`, {});
  for (const method of ['PUT', 'OPTIONS', 'HEAD']) await send(method, '/orders', by(key));
  await send('POST', `${path}/ship`, by(reader));
  return met;
}

/** Takes a table away under the running service, so that a request fails for a reason that is no request’s fault. */
async function failInside(key: string): Promise<void> {
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  db.exec('ALTER TABLE ninefold_event RENAME TO taken_away');
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  };
  assert.equal(await ask('POST', '/orders', headers, '{"sku":"SEC-0009","quantity":1}'), 500);
  db.exec('ALTER TABLE taken_away RENAME TO ninefold_event');
  db.close();
  assert.equal(await ask('POST', '/orders', headers, '{"sku":"SEC-0009","quantity":1}'), 201);
  assert.match(service.err, /"event":"request.failed"/);
}

async function commands(): Promise<void> {
  const words = [
    ['check', '--no-try'],
    ['check', '--no-try', '--json'],
    ['plan'],
    ['keys', 'list'],
    ['keys', 'list', '--json'],
    ['receivers', 'list'],
    ['receivers', 'list', '--json'],
    ['rows', 'list', 'Customer', '--json'],
    ['rows', 'list', 'Order'],
    ['events', 'list'],
    ['events', 'list', '--json'],
    ['keys', 'revoke', keys[0]!.split('_')[1]!],
    ['keys', 'list', '--json'],
  ] as const;
  for (const [command, ...args] of words) {
    const ran = await space.cli(command, ...args);
    assert.equal(ran.code, 0, ran.err);
    told.push([[command, ...args].join(' '), ran.out + ran.err]);
  }
}

test('no key, hash of a key or signing secret gets out', async (t) => {
  const met = await drive(keys as unknown as readonly [string, string]);
  for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428])
    assert.ok(met.has(status), `an answer of ${status}`);
  await until(
    () => /webhook\.failed/.test(service.err) && /webhook\.delivered/.test(service.err),
    'deliveries in the log',
  );
  await failInside(keys[0]!);
  const admin = await until(() => /operator’s port is (\d+)/.exec(service.out)?.[1], 'the operator’s port');
  for (const path of ['/livez', '/readyz', '/metrics', `/${keys[0]}`]) {
    const answer = await fetch(`http://127.0.0.1:${admin}${path}`);
    told.push([`admin ${path.slice(0, 9)}`, await answer.text()]);
  }
  await commands();
  assert.equal(await service.stop(), 0);
  told.push(['standard output', service.out], ['the log', service.err]);
  assert.match(service.err, /"event":"request"/, 'the log tells of requests');
  for (const [where, text] of told)
    for (const canary of canaries()) assert.ok(!text.includes(canary), `${where} holds ${canary}`);
  const bytes = told.reduce((sum, [, text]) => sum + text.length, 0);
  t.diagnostic(
    `${told.length} texts, ${bytes} bytes, searched for ${canaries().length} canaries; statuses ${[...met].sort().join(' ')}`,
  );
});

test('the canaries would be found: webhooks are signed with the secrets, and the keys open the door', async () => {
  assert.ok(receiver.verified(secrets[0]!).length > 0);
  const planted = `${keys[0]} ${secrets[0]}`;
  assert.ok(canaries().filter((canary) => planted.includes(canary)).length >= 2);
});

test('the database holds no key', () => {
  const parts = keys.map((key) => key.split('_').slice(2).join('_'));
  const files = readdirSync(space.data);
  for (const file of files) {
    const bytes = readFileSync(join(space.data, file));
    for (const part of parts) assert.equal(bytes.indexOf(part), -1, `${file} holds a key`);
  }
  const hashes = space
    .select<{ hash: Buffer }>('SELECT hash FROM ninefold_key')
    .map(({ hash }) => hash.toString('hex'));
  const expected = keys.map((key) => createHash('sha256').update(key).digest('hex'));
  assert.deepEqual(hashes.sort(), expected.sort(), 'it holds their hashes');
});
