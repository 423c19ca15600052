import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ALL_SCOPES, edited, PATIENT, type Service, until, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { Receiver } from '../receiver.ts';
import { IN_WHOLE, share, WHOLE } from '../share.ts';
import { OlderNinefold, withoutCommit } from './older.ts';

/** Older versions, of different tables, and how each of them ends: published ones, once there are some. */
const OLDER = [
  { commit: 'fb1a9dc', store: 'SQLite', end: 'killed' },
  { commit: 'fb1a9dc', store: 'PostgreSQL', end: 'stopped' },
  { commit: 'cb48976', store: 'PostgreSQL', end: 'killed' },
  { commit: 'cb48976', store: 'SQLite', end: 'stopped' },
] as const;

/** The attempts of a delivery: enough for the minutes that a busy machine takes until the receiver listens. */
const ATTEMPTS = 60;
const PAUSES = Array(ATTEMPTS - 1).fill('10 seconds');

/** The orders with moves and attempts that come soon enough to be waited for, and not while the version is changed. */
const DOCUMENT = edited(
  PATIENT,
  ['24 hours after `created`', '15 seconds after `created`'],
  // The older versions don't know this statement.
  ['- Kept: 30 days after delivery\n', ''],
  [
    '8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
    `${ATTEMPTS}, after ${PAUSES.join(', ')}`,
  ],
);
/** The same for this version, which asks how long events are stored. */
const ANSWERED = edited(DOCUMENT, [
  '- Delivery: at least once\n',
  '- Delivery: at least once\n- Kept: 30 days after delivery\n',
]);
const CUSTOMER = '0195c2a0-0000-7000-8000-000000000001';

let server: PostgresServer;

before(async () => {
  if (WHOLE) server = await PostgresServer.shared();
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

type Answer = Awaited<ReturnType<Service['request']>>;
type Page = { readonly items: ReadonlyArray<{ readonly id: string }>; readonly next: string };
type Row = Readonly<Record<string, unknown>>;

/** What an older version has stored, and what it said of that. */
interface Stored {
  readonly key: string;
  readonly revoked: string;
  readonly secret: string;
  readonly placed: string;
  readonly draft: string;
  readonly opened: Answer;
  readonly read: Answer;
  readonly page: Page;
  readonly listed: Readonly<Record<string, readonly Row[]>>;
}

const LISTS = [
  ['keys', 'list'],
  ['receivers', 'list'],
  ['rows', 'list', 'Customer'],
] as const;

const BODY = { sku: 'AAA-0001', quantity: 2, note: 'kept' };

/**
 * Sends a request, and again where it is answered 503: nothing has changed then. A service that loses its connections, as
 * they do while tables are changed, waits two seconds for others, which a busy machine may not open in that time.
 */
const answered = (send: () => Promise<Answer>): Promise<Answer> =>
  until(async () => {
    const answer = await send();
    return answer.status === 503 ? null : answer;
  }, 'an answer other than 503');

/** Lets an older version store what there is: rows, keys, receivers, deliveries, kept answers, cursors and moves to come. */
async function storedBy(older: OlderNinefold, space: Workspace, service: Service, receiver: Receiver): Promise<Stored> {
  const customer = ['add', 'Customer', `id=${CUSTOMER}`, 'name=Ada', 'email=ada@b.example'];
  await older.done(space, 'rows', ...customer);
  const issue = ['issue', 'Customer', CUSTOMER, '--scopes', ALL_SCOPES];
  const key = await older.done(space, 'keys', ...issue);
  const revoked = await older.done(space, 'keys', ...issue);
  const keys = JSON.parse(await older.done(space, 'keys', 'list', '--json')) as ReadonlyArray<{ readonly id: string }>;
  await older.done(space, 'keys', 'revoke', keys.find(({ id }) => revoked.includes(id))!.id);
  const events = ['--events', 'order.opened,order.placed,order.cancelled', '--allow-private'];
  const secret = await older.done(space, 'receivers', 'add', receiver.url, ...events);
  const opened = await answered(() => service.open(key, BODY, 'kept'));
  assert.equal(opened.status, 201, opened.text);
  const placed = (opened.body as { id: string }).id;
  assert.equal((await answered(() => service.request('POST', `/orders/${placed}/place`, { key }))).status, 200);
  const listed: Record<string, Row[]> = {};
  for (const [command, ...words] of LISTS)
    listed[command] = JSON.parse(await older.done(space, command, ...words, '--json')) as Row[];
  const second = await answered(() => service.open(key, { sku: 'AAA-0002', quantity: 1 }, 'second'));
  assert.equal(second.status, 201, second.text);
  const draft = (second.body as { id: string }).id;
  const read = await answered(() => service.request('GET', `/orders/${placed}`, { key }));
  const page = (await answered(() => service.request('GET', '/orders?limit=1', { key }))).body as Page;
  return { key, revoked, secret, placed, draft, opened, read, page, listed };
}

/** The events of a receiver have no order. */
const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value);

/** Sees that this version has all of it, and goes on with it. */
async function goesOn(space: Workspace, service: Service, stored: Stored, receiver: Receiver): Promise<void> {
  const { key, revoked, secret, placed, draft, opened, read, page, listed } = stored;
  for (const [command, ...words] of LISTS) {
    const { out } = await space.cli(command, ...words, '--json');
    // What is listed today may be more than was listed then.
    for (const [i, row] of (JSON.parse(out) as Row[]).entries())
      for (const [name, value] of Object.entries(listed[command]![i]!))
        assert.deepEqual(sorted(row[name]), sorted(value), name);
  }
  const again = await answered(() => service.open(key, BODY, 'kept'));
  assert.deepEqual([again.status, again.text], [201, opened.text]);
  const other = await answered(() => service.open(key, { ...BODY, quantity: 3 }, 'kept'));
  assert.equal(other.status, 422, other.text);
  const now = await answered(() => service.request('GET', `/orders/${placed}`, { key }));
  assert.deepEqual([now.status, now.text, now.headers.get('etag')], [200, read.text, read.headers.get('etag')]);
  assert.equal((await answered(() => service.request('GET', '/orders', { key: revoked }))).status, 401);
  const next = `/orders?limit=1&cursor=${encodeURIComponent(page.next)}`;
  const rest = await answered(() => service.request('GET', next, { key }));
  assert.equal(rest.status, 200, rest.text);
  const seen = [...page.items, ...(rest.body as Page).items].map(({ id }) => id);
  assert.deepEqual(new Set(seen), new Set([placed, draft]));

  // What had not been delivered is delivered now, in its order and signed; and the draft expires when its time has come.
  await receiver.up();
  const told = (type: string, id: string): boolean =>
    receiver.accepted.some((got) => got.type === type && got.data.id === id);
  await until(() => told('order.placed', placed) && told('order.cancelled', draft), 'everything told');
  assert.equal(receiver.accepted.findIndex(({ type }) => type === 'order.placed') > 0, true);
  assert.equal(told('order.opened', placed) && told('order.opened', draft), true);
  receiver.verified(secret);
  const gone = await answered(() => service.request('GET', `/orders/${draft}`, { key }));
  assert.equal((gone.body as { status: string }).status, 'cancelled');
  const patched = { key, body: { note: 'new' }, headers: { 'if-match': read.headers.get('etag')! } };
  assert.ok((await answered(() => service.request('POST', `/orders/${placed}/ship`, patched))).status < 500);
}

for (const { commit, store, end } of share(OLDER, 4, 2).cases) {
  const skip = WHOLE && withoutCommit(commit);
  const options = !WHOLE ? IN_WHOLE : skip ? { skip } : {};
  test(`what ${commit} has stored in ${store}, and was ${end}, is served by this version`, options, async () => {
    using older = await OlderNinefold.at(commit);
    await using space = new Workspace(DOCUMENT);
    if (store === 'PostgreSQL') space.place = ['--store', await server.database()];
    await using receiver = await new Receiver().up();
    await receiver.down();
    const first = await older.serve(space);
    const backup = join(space.dir, 'before');
    let service: Service;
    let stored: Stored;
    try {
      stored = await storedBy(older, space, first, receiver);
      await older.done(space, 'backup', '--to', backup);
      if (end === 'killed') await first.kill();
      else if (store === 'SQLite') assert.equal(await first.stop(), 0, first.err);
      writeFileSync(space.file, ANSWERED);
      service = await space.serve({ args: ['--allow-private'] });
      if (store === 'PostgreSQL' && end === 'stopped') {
        // Nodes are changed one after the other: both versions answer meanwhile.
        for (const one of [first, service]) {
          const get = () => one.request('GET', `/orders/${stored.placed}`, { key: stored.key });
          assert.equal((await answered(get)).status, 200);
        }
        assert.equal(await first.stop(), 0, first.err);
      }
    } finally {
      await first.kill();
    }
    await goesOn(space, service, stored, receiver);
    assert.equal(await service.stop(), 0, service.err);
    await goesBack(older, space, stored, backup);
  });
}

/** The version before kept answers and events were stored once and packed, and as many attempts as are soon given up. */
const BEFORE_ONE_COPY = 'ea809d4a';
const SOON_GIVEN_UP = edited(PATIENT, [
  '8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
  '2, after 1 second',
]);

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  const skip = WHOLE && withoutCommit(BEFORE_ONE_COPY);
  const options = !WHOLE ? IN_WHOLE : skip ? { skip } : {};
  test(
    `what ${BEFORE_ONE_COPY} gave up delivering from ${store} is delivered when it is replayed`,
    options,
    async () => {
      using older = await OlderNinefold.at(BEFORE_ONE_COPY);
      await using space = new Workspace(SOON_GIVEN_UP);
      if (store === 'PostgreSQL') space.place = ['--store', await server.database()];
      await using receiver = await new Receiver().up();
      receiver.answer = () => 500;
      const first = await older.serve(space);
      let stored: Stored;
      const events = async (): Promise<Row[]> =>
        JSON.parse(await older.done(space, 'events', 'list', '--json')) as Row[];
      const givenUp = async (): Promise<boolean> => {
        const all = await events();
        return all.length === 3 && all.every(({ attempts }) => attempts === 2);
      };
      try {
        stored = await storedBy(older, space, first, receiver);
        await until(givenUp, 'three deliveries given up');
        assert.equal(await first.stop(), 0, first.err);
      } finally {
        await first.kill();
      }
      const before = await events();
      const service = await space.serve({ args: ['--allow-private'] });
      const again = await answered(() => service.open(stored.key, BODY, 'kept'));
      assert.deepEqual([again.status, again.text], [201, stored.opened.text]);
      const tried = new Map(receiver.got.map((got) => [got.id, got]));
      assert.equal(tried.size, 3);
      receiver.answer = () => 204;
      for (const { event } of before) await space.cli('events', 'replay', String(event));
      await until(() => receiver.accepted.length === 3, 'three deliveries replayed');
      for (const { id, body, headers } of receiver.accepted) {
        const once = tried.get(id)!;
        assert.equal(body, once.body);
        assert.equal(headers['webhook-id'], once.headers['webhook-id']);
      }
      receiver.verified(stored.secret);
      assert.equal(await service.stop(), 0, service.err);
    },
  );
}

/**
 * The way back to the older version: by the backup made then. On the tables as they are now, the older version fails
 * where it would read a kept answer, rather than answer otherwise than before.
 */
async function goesBack(older: OlderNinefold, space: Workspace, stored: Stored, backup: string): Promise<void> {
  writeFileSync(space.file, DOCUMENT);
  if (space.place[0] === '--data')
    await assert.rejects(older.serve(space), /no such column: body|has no column named data/);
  else {
    const again = await older.serve(space);
    try {
      const get = () => again.request('GET', `/orders/${stored.placed}`, { key: stored.key });
      const { status, text } = await answered(get);
      assert.equal(status, 200, text);
      assert.ok((await again.open(stored.key, BODY, 'kept')).status >= 500);
      assert.equal(await again.stop(), 0, again.err);
    } finally {
      await again.kill();
    }
  }
  // A node that was killed counts as running for some seconds.
  const restores = async (): Promise<boolean> =>
    (await older.cli(space, 'restore', '--from', backup, '--replace')).code === 0;
  await until(restores, 'the backup restored');
  const back = JSON.parse(await older.done(space, 'rows', 'list', 'Order', '--json')) as Row[];
  assert.equal(back.length, 2);
}
