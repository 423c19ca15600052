import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { backupPostgres } from '../../src/store/postgres/backup.ts';
import { readCases } from '../cases.ts';
import { edited, PATIENT, type Service, until, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { Reader } from '../reader.ts';
import { Receiver } from '../receiver.ts';
import { IN_WHOLE } from '../share.ts';
import { load, mustBeOneState } from './load.ts';

// A service goes from SQLite to PostgreSQL and back, with everything that it has.

/** Orders that are numbered for each customer, expire soon, and are told of by webhooks, streams, or both. */
const LIVELY = edited(
  readCases('src/compiler/events/cases/stream.md')[0]!.document,
  ['600 requests per minute  ', '9000000 requests per minute'],
  ['24 hours after `created`', '10 seconds after `created`'],
  [
    '| created  | timestamp |',
    '| number   | integer   |        |     | sequence per customer |          |          |\n| created  | timestamp |',
  ],
  ['sku, quantity, note, status, created', 'sku, quantity, note, status, number, created'],
);

let server: PostgresServer;
const disposed: AsyncDisposable[] = [];

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  for (const one of disposed) await one[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const workspace = (document: string): Workspace => {
  const space = new Workspace(document);
  disposed.push(space);
  return space;
};

async function onPostgres(document: string): Promise<{ space: Workspace; url: string }> {
  const space = workspace(document);
  const url = await server.database();
  space.place = ['--store', url];
  return { space, url };
}

/** What a service has been asked and answered, to be asked again elsewhere. */
interface Life {
  readonly key: string;
  readonly receiver: Receiver;
  /** Requests whose answers have to stay the same, to the byte. */
  readonly paths: string[];
  /** Idempotency keys with what was sent and answered. */
  readonly kept: Map<string, { body: Record<string, unknown>; text: string }>;
  /** A draft that is to expire by itself. */
  timed: string;
  /** The order whose delivery is pending. */
  pending: string;
  /** The number of the last order. */
  last: number;
  /** Where a reader of the stream has stopped, and what was to come. */
  from: string;
  rest: string[];
}

const follow = (service: Service, key: string, from: string): Promise<Reader> =>
  Reader.open(`${service.url}/events`, { authorization: `Bearer ${key}`, ...(from && { 'last-event-id': from }) });

async function open(service: Service, life: Life, sku: string): Promise<{ id: string; number: number }> {
  const idempotency = randomUUID();
  const body = { sku, quantity: 2, note: `${sku} \u{1f41d} “é”\n\\` };
  const { status, text } = await service.open(life.key, body, idempotency);
  assert.equal(status, 201, text);
  life.kept.set(idempotency, { body, text });
  return JSON.parse(text) as { id: string; number: number };
}

/** Lives for a while: orders of all states, a reader, and a receiver that is away in the end. */
async function live(service: Service, life: Life, letters: string): Promise<void> {
  const reader = await follow(service, life.key, '');
  await until(() => reader.lastId !== '', 'where the stream begins');
  const move = async (id: string, how: string): Promise<void> => {
    const { status, text } = await service.request('POST', `/orders/${id}/${how}`, { key: life.key });
    assert.equal(status, 200, text);
  };
  life.receiver.answer = () => 204;
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) {
    const { id } = await open(service, life, `${letters}-000${n}`);
    await move(id, 'place');
    ids.push(id);
  }
  for (const how of ['ship', 'deliver']) await move(ids[0]!, how);
  for (const id of [ids[1]!, ids[2]!]) await move(id, 'cancel');
  assert.equal((await service.request('DELETE', `/orders/${ids[2]}`, { key: life.key })).status, 204);
  ids.splice(2, 1);
  await until(() => reader.messages.length >= 9, 'what the stream tells');
  life.from = reader.messages[3]!.id;
  reader.leave();
  const listed = await service.request('GET', `/orders?status=placed&limit=2`, { key: life.key });
  const { next } = listed.body as { next: string };
  life.paths.push(...ids.map((id) => `/orders/${id}`), `/orders?status=placed&limit=2&cursor=${next}`);
  await until(() => life.receiver.accepted.length >= 6, 'deliveries');
  life.receiver.answer = () => 503;
  life.pending = (await open(service, life, `${letters}-1000`)).id;
  await move(life.pending, 'place');
  await until(
    () => life.receiver.got.some(({ status, data }) => status === 503 && data.id === life.pending),
    'a failure',
  );
  const timed = await open(service, life, `${letters}-2000`);
  life.timed = timed.id;
  life.last = timed.number;
  const again = await follow(service, life.key, life.from);
  await until(() => again.messages.length >= 7, 'the rest');
  life.rest = again.messages.map(({ type, data, id }) => `${type} ${data} ${id.length}`);
  again.leave();
}

async function answers(service: Service, { key, paths }: Life): Promise<unknown[]> {
  const out: unknown[] = [];
  for (const path of paths) {
    const { status, headers, text } = await service.request('GET', path, { key });
    assert.equal(status, 200, text);
    out.push([path, headers.get('etag'), text]);
  }
  return out;
}

/** Everything is there, and goes on from where it was. */
async function mustGoOn(service: Service, life: Life, before: unknown[]): Promise<void> {
  const { key } = life;
  life.receiver.answer = () => 204;
  assert.deepEqual(await answers(service, life), before);
  for (const [idempotency, { body, text }] of life.kept) {
    const replayed = await service.open(key, body, idempotency);
    assert.deepEqual([replayed.status, replayed.text], [201, text]);
  }
  await until(
    () => life.receiver.accepted.filter(({ data }) => data.id === life.pending).length === 2,
    'both deliveries that were pending',
  );
  const line = life.receiver.accepted.filter(({ data }) => data.id === life.pending).map(({ type }) => type);
  assert.deepEqual(line, ['order.opened', 'order.placed'], 'in order');
  await until(async () => {
    const { body } = await service.request('GET', `/orders/${life.timed}`, { key });
    return (body as { status: string }).status === 'cancelled';
  }, 'what happens by itself');
  const { id, number } = await open(service, life, 'NXT-0001');
  // Placed, so that it does not expire on the way to where the service goes next.
  assert.equal((await service.request('POST', `/orders/${id}/place`, { key })).status, 200);
  assert.equal(number, life.last + 1);
  life.last = number;
  const reader = await follow(service, key, life.from);
  await until(() => reader.messages.length >= life.rest.length + 2, 'the rest of the stream, and what came since');
  const heard = reader.messages.map(({ type, data, id }) => `${type} ${data} ${id.length}`);
  assert.deepEqual(heard.slice(0, life.rest.length), life.rest);
  assert.deepEqual(
    reader.messages.slice(life.rest.length).map(({ type, data }) => [type, (JSON.parse(data) as { id: string }).id]),
    [
      ['order.cancelled', life.timed],
      ['order.opened', (JSON.parse([...life.kept.values()].at(-1)!.text) as { id: string }).id],
    ],
  );
  reader.leave();
}

async function done(space: Workspace, command: string, ...args: string[]): Promise<string> {
  const ran = await space.cli(command, ...args);
  assert.deepEqual([ran.code, ran.err], [0, '']);
  return ran.out;
}

test('a service moves from SQLite to PostgreSQL and back, with everything that it has', IN_WHOLE, async () => {
  const receiver = await new Receiver().up();
  disposed.push(receiver);
  const first = workspace(LIVELY);
  const key = await first.key(await first.customer());
  await first.receiver(receiver.url, '--events', 'order.opened,order.placed');
  const life: Life = {
    key,
    receiver,
    paths: [],
    kept: new Map(),
    timed: '',
    pending: '',
    last: 0,
    from: '',
    rest: [],
  };
  const embedded = await first.serve();
  await live(embedded, life, 'ONE');
  let before = await answers(embedded, life);
  await embedded.stop();
  const there = join(first.dir, 'there.sqlite');
  await done(first, 'backup', '--to', there);

  const { space, url } = await onPostgres(LIVELY);
  const told = await done(space, 'restore', '--from', there);
  assert.match(told, /there\.sqlite is restored to postgres:\/\/ninefold@127\.0\.0\.1:\d+\/test_[\d_]+: /);
  const shared = await space.serve();
  await mustGoOn(shared, life, before);
  // Numbers of events that were never committed leave gaps, and the stream has places of its own.
  for (let n = 0; n < 3; n++) await server.query(url, "SELECT nextval('ninefold_event_seq_seq')");
  await live(shared, life, 'TWO');
  before = await answers(shared, life);
  await shared.stop();
  const back = join(first.dir, 'back.sqlite');
  assert.match(
    await done(space, 'backup', '--to', back),
    /postgres:\/\/ninefold@127\.0\.0\.1:\d+\/test_[\d_]+ is backed up to /,
  );
  assert.equal(statSync(back).mode & 0o777, 0o600);

  const last = workspace(LIVELY);
  await done(last, 'restore', '--from', back);
  const again = await last.serve();
  await mustGoOn(again, life, before);
  await again.stop();
});

test('a backup of PostgreSQL is one state of everything, made while two nodes write', IN_WHOLE, async (t) => {
  const { space } = await onPostgres(PATIENT);
  const key = await space.key(await space.customer());
  const nodes = [await space.serve(), await space.serve()];
  const working = load(key, nodes);
  let to = '';
  for (let n = 1; n <= 3; n++) {
    const enough = working.opened.size + 60;
    await until(() => working.opened.size > enough, 'some load');
    const known = new Map(working.opened);
    to = join(space.dir, `backup-${n}.sqlite`);
    await done(space, 'backup', '--to', to);
    const { rows, placed } = mustBeOneState(to, known);
    t.diagnostic(`${rows} orders, ${placed} placed, ${known.size} acknowledged before`);
  }
  await working.stop();
  assert.deepEqual(
    readdirSync(space.dir).filter((name) => name.includes('.part')),
    [],
  );
  const other = workspace(PATIENT);
  await done(other, 'restore', '--from', to);
  const restored = await other.serve();
  assert.equal((await restored.request('GET', '/orders?limit=5', { key })).status, 200);
  assert.equal((await restored.open(key, { sku: 'NEW-0001', quantity: 1 })).status, 201);
});

test('rows that PostgreSQL has brought to another document go where that document does', IN_WHOLE, async () => {
  const { space } = await onPostgres(PATIENT);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const id = await service.opened(key, 'OLD-0001');
  await service.stop();
  space.write(
    edited(
      PATIENT,
      [
        '| status   | string',
        '| channel  | string    |        | at most 20 characters | request | optional |          |\n| status   | string',
      ],
      ['Order with sku, quantity, note\n', 'Order with sku, quantity, note, channel\n'],
      ['Shown: id, customer as id, sku, quantity,', 'Shown: id, customer as id, sku, channel, quantity,'],
    ),
  );
  await done(space, 'migrate');
  const changed = await space.serve();
  assert.equal((await changed.open(key, { sku: 'NEW-0001', quantity: 1, channel: 'web' })).status, 201);
  const listed = await changed.request('GET', '/orders', { key });
  await changed.stop();
  const to = join(space.dir, 'migrated.sqlite');
  await done(space, 'backup', '--to', to);
  space.place = ['--data', space.data];
  await done(space, 'restore', '--from', to);
  const embedded = await space.serve();
  const again = await embedded.request('GET', '/orders', { key });
  assert.equal(again.text, listed.text);
  assert.match(again.text, new RegExp(id));
});

test('a table that is written anew while a backup is made is whole in it', IN_WHOLE, async () => {
  const { space, url } = await onPostgres(PATIENT);
  await space.customer();
  const many = 'generate_series(1, 20000) AS n';
  await server.query(
    url,
    `INSERT INTO ninefold_event (id, type, resource, "row", at, packed) SELECT 'e' || n, 't', 'R', '', n, '' FROM ${many}`,
  );
  await server.query(url, `INSERT INTO ninefold_call SELECT 'c' || n, 'h', '{}', n, 'done', 0 FROM ${many}`);
  const to = join(space.dir, 'whole.sqlite');
  const made = backupPostgres(url, to, compile('orders.md', PATIENT).plan as Plan);
  await until(
    () =>
      readdirSync(space.dir).some(
        (name) =>
          name.startsWith(`${basename(to)}.part-`) &&
          readdirSync(join(space.dir, name)).some((file) => statSync(join(space.dir, name, file)).size > 0),
      ),
    'a start',
  );
  // As a migration does it: to a snapshot from before, the new table is empty.
  await server.query(url, 'ALTER TABLE ninefold_call ALTER COLUMN attempts TYPE bigint');
  await made;
  const db = new Database(to, { readonly: true });
  assert.equal(db.prepare('SELECT count(*) FROM ninefold_call').pluck().get(), 20_000);
  db.close();
});
