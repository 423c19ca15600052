import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { SchemePlan } from '../src/plan/callers.ts';
import { type Served, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE } from './share.ts';
import { TestKeys } from './tokens.ts';

// Three services as they were written before the language could say what most services have, and as they are now.

const DOCUMENTS = ['clinic', 'hotel', 'processor'] as const;
const textOf = (name: string): string => readFileSync(new URL(`./rewritten/${name}.md`, import.meta.url), 'utf8');
const lines = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

for (const name of DOCUMENTS)
  test(`${name}: both forms are complete, and the new one is shorter`, (t) => {
    const [before, now] = [textOf(`${name}.before`), textOf(name)];
    assert.deepEqual(compile(`${name}.before.md`, before).findings, []);
    assert.deepEqual(compile(`${name}.md`, now).findings, []);
    t.diagnostic(`${name}: ${lines(before)} lines before, ${lines(now)} now`);
    assert.ok(lines(now) < lines(before));
  });

const server = await PostgresServer.shared();
after(() => server[Symbol.asyncDispose]());

const STORES = [
  { store: 'SQLite', usual: {}, prepare: async (space: Workspace) => void space },
  {
    store: 'PostgreSQL',
    usual: IN_WHOLE,
    prepare: async (space: Workspace) => {
      space.place = ['--store', await server.database()];
    },
  },
];

/** A caller with the cookie that the service has set. */
class Visitor {
  cookie = '';
  private readonly service: Served;

  constructor(service: Served) {
    this.service = service;
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await this.service.request(method, path, {
      body,
      headers: { origin: 'https://clinic.example', ...(this.cookie ? { cookie: this.cookie } : {}), ...headers },
    });
    const set = answer.headers.get('set-cookie');
    if (set) this.cookie = set.split(';')[0]!;
    return { ...answer, body: answer.body as Record<string, unknown> };
  }
}

async function added(space: Workspace, resource: string, values: Record<string, unknown>): Promise<string> {
  const words = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  const { code, out, err } = await space.cli('rows', 'add', resource, ...words);
  assert.equal(code, 0, err);
  return out;
}

for (const { store, usual, prepare } of STORES)
  test(`clinic, on ${store}: patients book, the desk lets them in, and closed accounts are gone`, usual, async () => {
    await using space = new Workspace(textOf('clinic'), 'clinic.md');
    await prepare(space);
    const house = randomUUID();
    await added(space, 'House', { id: house, name: 'North', zone: 'Europe/Berlin', rate: 100 });
    const password = 'correct horse battery';
    await added(space, 'Staff', { house, email: 'Boss@clinic.example', password, name: 'Bo', role: 'manager' });
    const service = await space.serveHere({ declared: true });
    const [boss, doctor, desk, ann] = [0, 1, 2, 3].map(() => new Visitor(service)) as [
      Visitor,
      Visitor,
      Visitor,
      Visitor,
    ];
    const login = (who: Visitor, email: string) => who.ask('POST', '/sessions/staff', { email, password });
    assert.equal((await login(boss, 'boss@CLINIC.example')).status, 204);
    const entered = async (email: string, role: string) =>
      (await boss.ask('POST', '/staff', { house, email, password, name: role, role })).body.id as string;
    const treats = await entered('doc@clinic.example', 'doctor');
    const lets = await entered('desk@clinic.example', 'desk');
    assert.equal(
      (await boss.ask('POST', '/staff', { house, email: 'DOC@clinic.example', password, name: 'x', role: 'desk' }))
        .status,
      409,
    );
    for (const [who, email] of [
      [doctor, 'doc@clinic.example'],
      [desk, 'desk@clinic.example'],
    ] as const)
      assert.equal((await login(who, email)).status, 204);
    const patient = { email: 'Ann@example.com', password, name: 'Ann', born: '1980-02-29' };
    assert.equal((await ann.ask('POST', '/patients', patient)).status, 201);
    const starts = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T09:00:00Z`;
    const booking = { doctor: treats, starts };
    const once = { 'idempotency-key': 'k' };
    const booked = await ann.ask('POST', '/appointments', booking, once);
    assert.equal(booked.status, 201, booked.text);
    assert.equal(booked.body.ends, starts.replace('09:00', '09:20'));
    const again = await ann.ask('POST', '/appointments', booking, once);
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [booked.text, 'true']);
    assert.equal((await ann.ask('POST', '/appointments', booking)).status, 409);
    const at = `/appointments/${booked.body.id}`;
    const changed = await ann.ask('PATCH', at, { length: 'PT30M' }, { 'if-match': '*' });
    assert.deepEqual([changed.status, changed.body.ends], [200, starts.replace('09:00', '09:30')]);
    assert.equal((await ann.ask('POST', `${at}:arrive`, { room: '1', urgency: 4 })).status, 401);
    const arrived = await desk.ask('POST', `${at}:arrive`, { room: '1', urgency: 4 });
    assert.deepEqual([arrived.status, arrived.body.room, arrived.body.status], [200, '1', 'arrived']);
    assert.equal((await desk.ask('GET', '/waiting')).status, 200);
    const seen = await doctor.ask('POST', `${at}:see`);
    assert.deepEqual([seen.body.room, seen.body.status], [null, 'seen']);
    assert.equal((await doctor.ask('POST', `${at}/notes`, { text: 'Rest.' })).status, 201);
    assert.equal((await desk.ask('GET', `${at}/notes`)).status, 200);
    assert.equal((await ann.ask('GET', `${at}/notes`)).status, 401);
    const day = starts.slice(0, 10);
    const figures = await boss.ask('GET', `/figures?from=${day}&to=9999-01-01`);
    assert.deepEqual(figures.body, {
      figures: [{ doctor: treats, status: 'seen', count: 1, first: starts, urgent: 1 }],
      booked: 0,
    });
    const sheet = await fetch(`${service.url}/appointments.csv`, { headers: { cookie: boss.cookie } });
    const [titles, row] = (await sheet.text()).split('\r\n') as [string, string];
    assert.equal(titles, 'id,starts,ends,Doctor,Patient,status,urgency');
    assert.match(row, /^[0-9a-f-]{36},\S+,\S+,doctor,Ann,seen,4$/);
    const acts = (await boss.ask('GET', '/acts')).body.data as Array<{ what: string }>;
    assert.deepEqual(
      acts.map(({ what }) => what),
      ['note', 'see', 'arrive', 'change', 'book'],
    );
    assert.equal((await boss.ask('DELETE', `/staff/${lets}`)).status, 204);
    assert.equal((await desk.ask('GET', '/waiting')).status, 401);
    assert.equal((await ann.ask('DELETE', '/me')).status, 204);
    assert.equal((await ann.ask('GET', '/me')).status, 401);
    assert.equal(((await doctor.ask('GET', at)).body.patient as { name: string }).name, 'Ann');
  });

for (const { store, usual, prepare } of STORES)
  test(`processor, on ${store}: payments in the form that payment APIs have`, usual, async () => {
    await using space = new Workspace(textOf('processor'), 'processor.md');
    await prepare(space);
    const id = randomUUID();
    await added(space, 'Merchant', { id, name: 'Books', rate: 50 });
    const issued = await space.cli('keys', 'issue', 'Merchant', id, '--scopes', 'admin');
    const service = await space.serveHere({ declared: true });
    const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const answer = await service.request(method, path, { key: issued.out.trim(), body, headers });
      return { ...answer, body: answer.body as Record<string, unknown> };
    };
    const customer = await ask('POST', '/v1/customers', { email: 'Ann@example.com' });
    assert.match(String(customer.body.id), /^cus_[0-9A-Za-z]{24}$/);
    assert.equal((await ask('POST', '/v1/customers', { email: 'ANN@example.com' })).status, 400);
    const wanted = { amount: 1250, currency: 'chf', customer: customer.body.id, method: 'card' };
    const once = { 'idempotency-key': 'k' };
    const made = await ask('POST', '/v1/payments', wanted, once);
    assert.deepEqual([made.body.object, made.body.fee, typeof made.body.created], ['payment', 37, 'number']);
    assert.equal((await ask('POST', '/v1/payments', wanted, once)).headers.get('idempotent-replayed'), 'true');
    const other = await ask('POST', '/v1/payments', wanted);
    const at = `/v1/payments/${made.body.id}`;
    for (const step of ['confirm', 'capture']) assert.equal((await ask('POST', `${at}/${step}`)).status, 200);
    const given = await ask('POST', '/v1/refunds', { payment: made.body.id, amount: 1251 });
    assert.equal((given.body as { error: Record<string, unknown> }).error.code, 'refund_too_large');
    assert.equal((await ask('POST', '/v1/refunds', { payment: made.body.id, amount: 250 })).status, 200);
    const gone = await ask('POST', `/v1/payments/${other.body.id}/cancel`, { reason: 'duplicate' });
    assert.deepEqual([gone.body.status, gone.body.reason], ['canceled', 'duplicate']);
    assert.equal(
      (await space.cli('rows', 'change', 'Merchant', id, `closed=${Math.floor(Date.now() / 1000)}`)).code,
      0,
    );
    assert.equal((await ask('GET', at)).status, 401);
  });

for (const { store, usual, prepare } of STORES)
  test(`hotel, on ${store}: nights are sold once, and clerks work for the house of their token`, usual, async () => {
    await using space = new Workspace(textOf('hotel'), 'hotel.md');
    await prepare(space);
    for (const [code, zone] of [
      ['north', 'Europe/Berlin'],
      ['south', 'Europe/Rome'],
    ] as const)
      await added(space, 'House', { code, name: code, zone, active: true });
    const [ann, bob, clerk] = [randomUUID(), randomUUID(), randomUUID()];
    await added(space, 'Guest', { id: ann, email: 'ann@example.com', name: 'Ann' });
    await added(space, 'Guest', { id: bob, email: 'bob@example.com', name: 'Bob' });
    await added(space, 'Clerk', { id: clerk, name: 'Cleo' });
    const { plan } = compile('hotel.md', textOf('hotel'));
    const keys = new TestKeys(plan!);
    const [guests, clerks] = plan!.schemes as [SchemePlan, SchemePlan];
    const env = {
      NINEFOLD_KEY_GUEST_TOKEN: keys.secret(guests.name),
      NINEFOLD_KEY_CLERK_TOKEN: keys.secret(clerks.name),
    };
    const service = await space.serve({ declared: true, env });
    const guest = (sub: string): Promise<string> => keys.sign(guests, { sub });
    const staff = (house: string, scope = 'desk office'): Promise<string> =>
      keys.sign(clerks, { sub: clerk, scope, house });
    const ask = async (key: Promise<string>, method: string, path: string, body?: unknown, headers = {}) => {
      const answer = await service.request(method, path, { key: await key, body, headers });
      return { ...answer, body: answer.body as Record<string, unknown> };
    };
    const wanted = { number: '12', beds: 2, price: '80.50' };
    const room = (await ask(staff('north'), 'POST', '/rooms', wanted)).body;
    assert.equal((await ask(staff('north'), 'POST', '/rooms', wanted)).status, 409);
    assert.equal((await ask(staff('west'), 'POST', '/rooms', wanted)).status, 403);
    assert.equal((await ask(staff('south'), 'PATCH', `/rooms/${room.id}`, { beds: 6 })).status, 404);
    const day = (more: number): string => new Date(Date.now() + more * 86_400_000).toISOString().slice(0, 10);
    const stay = { room: room.id, from: day(3), to: day(5), people: 2 };
    const booked = await ask(guest(ann), 'POST', '/stays', stay);
    assert.deepEqual([booked.status, booked.body.nights, booked.body.total], [201, 2, '161.00'], booked.text);
    assert.equal((booked.body.links as { self: string }).self, `https://hotel.example/stays/${booked.body.id}`);
    assert.equal((await ask(guest(bob), 'POST', '/stays', { ...stay, from: day(4), to: day(6) })).status, 409);
    assert.equal((await ask(guest(bob), 'POST', '/stays', { ...stay, from: day(5), to: day(5) })).status, 422);
    const free = await service.request('GET', `/free-rooms?from=${day(4)}&to=${day(6)}`);
    assert.deepEqual(free.body, []);
    const at = `/stays/${booked.body.id}`;
    assert.equal((await ask(guest(ann), 'PATCH', at, { to: day(6) })).status, 428);
    const etag = (await ask(guest(ann), 'GET', at)).headers.get('etag')!;
    const longer = await ask(guest(ann), 'PATCH', at, { to: day(6) }, { 'if-match': etag });
    assert.deepEqual([longer.status, longer.body.nights], [200, 3]);
    assert.equal((await ask(guest(ann), 'POST', `${at}:confirm`)).status, 200);
    assert.equal((await ask(guest(bob), 'GET', at)).status, 404);
    assert.equal((await ask(staff('south'), 'POST', `${at}:arrive`, { key: 'A7' })).status, 404);
    const here = await ask(staff('north'), 'POST', `${at}:arrive`, { key: 'A7' });
    assert.deepEqual([here.status, here.body.key, here.body.status], [200, 'A7', 'here']);
    const clean = { condition: 'ready', remark: 'cleaned' };
    const ready = await ask(staff('north'), 'PUT', `/rooms/${room.id}/condition`, clean);
    assert.deepEqual([ready.body.condition, ready.body.remark], ['ready', 'cleaned']);
    const left = await ask(staff('north'), 'POST', `${at}:leave`);
    assert.deepEqual([left.body.key, left.body.status], [undefined, 'gone']);
    const figures = await ask(staff('north'), 'GET', '/figures');
    assert.deepEqual(figures.body, [{ room: '12', status: 'gone', stays: 1, nights: 3, total: '241.50' }]);
    assert.equal((await space.cli('rows', 'change', 'Guest', ann, `left=${day(0)}`)).code, 0);
    assert.equal((await ask(guest(ann), 'GET', at)).status, 401);
  });
