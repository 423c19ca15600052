import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { readCases } from './cases.ts';
import { edited, type Service, until, Workspace } from './harness.ts';
import { Reader } from './reader.ts';
import { IN_WHOLE, times } from './share.ts';

const BOUNDS = [
  ['600 requests per minute  ', '9000000 requests per minute'],
  ['6000 requests per minute ', '90000000 requests per minute'],
  ['At once: 9', 'At once: 2'],
] as const;
const STREAMED = edited(readCases('src/compiler/events/cases/stream.md')[0]!.document, ...BOUNDS);

const follow = (service: Service, key: string, from = ''): Promise<Reader> =>
  Reader.open(`${service.url}/events`, { authorization: `Bearer ${key}`, ...(from && { 'last-event-id': from }) });

/** The stream for anyone, with bounds for those with and those without a caller. */
const OPEN = edited(
  STREAMED,
  ['Access: orders:read\n\n1. Answer 200 with the stream', 'Access: anyone\n\n1. Answer 200 with the stream'],
  ['At once: 2 for each caller', 'At once: 2 for each caller, 1 for each address without a caller'],
  ['## Authentication\n', '## Authentication\n\n- Unaccepted credentials where none are needed: refused\n'],
  ['| Request size |', '| Rate | 900 requests per minute | each address without a caller |\n| Request size |'],
);

async function strangers(): Promise<void> {
  await using space = new Workspace(OPEN);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const anonymous = (): Promise<Reader> => Reader.open(`${service.url}/events`, {});
  const [one, two] = [await anonymous(), await anonymous()];
  assert.equal(one.status, 200);
  assert.deepEqual([two.status, JSON.parse(two.refusal).code], [429, 'too_many_streams']);
  const his = [await follow(service, key), await follow(service, key), await follow(service, key)];
  assert.deepEqual(
    his.map(({ status }) => status),
    [200, 200, 429],
    'callers are counted by themselves',
  );
  one.leave();
  const again = (await until(async () => {
    const reader = await anonymous();
    return reader.status === 200 && reader;
  }, 'room for another')) as Reader;
  for (const reader of [again, ...his.slice(0, 2)]) reader.leave();
}

/** Sends a request until it is answered, whichever service is up by then. */
async function insisting<T>(ask: () => Promise<T>): Promise<T> {
  return until(async () => {
    try {
      return await ask();
    } catch {
      return null;
    }
  }, 'an answer') as Promise<T>;
}

/** How many events there are, of which every fifteenth is followed by a kill. */
const EVENTS = times(30, 60);

async function overKills(t: TestContext): Promise<void> {
  await using space = new Workspace(STREAMED);
  const key = await space.key(await space.customer());
  let service = await space.serve();
  const heard: Array<{ type: string; sku: string; id: string }> = [];
  let last = '';
  let connections = 0;
  let over = false;
  // A reader as browsers have it: it comes back to where it was whenever its connection breaks.
  const reading = (async () => {
    while (!over) {
      const reader = await insisting<Reader | 'over'>(async () => (over ? 'over' : follow(service, key, last)));
      if (reader === 'over') return;
      connections++;
      if (reader.status !== 200) continue;
      await until(() => reader.lastId !== '' || reader.ended, 'where it begins');
      await until(() => reader.ended || over, 'the end of a connection');
      reader.leave();
      for (const { type, data, id } of reader.messages) heard.push({ type, sku: JSON.parse(data).sku, id });
      last = reader.lastId || last;
    }
  })();
  await until(() => connections > 0, 'a reader');
  const skus: string[] = [];
  for (let n = 0; n < EVENTS; n++) {
    const sku = `SSE-${String(n).padStart(4, '0')}`;
    await insisting(() => service.open(key, { sku, quantity: 1 }, `key-${n}`));
    skus.push(sku);
    if (n % 15 !== 14) continue;
    await service.kill();
    service = await space.serve();
  }
  const all = () => space.select('SELECT seq FROM ninefold_streamed s JOIN ninefold_event e ON e.seq = s.event').length;
  assert.equal(all(), skus.length);
  await service.open(key, { sku: 'SSE-9999', quantity: 1 });
  over = true;
  await service.stop();
  await reading;
  service = await space.serve();
  const rest = await follow(service, key, last);
  await until(() => heard.length + rest.messages.length >= skus.length + 1, 'everything heard');
  for (const { type, data, id } of rest.messages) heard.push({ type, sku: JSON.parse(data).sku, id });
  assert.deepEqual(
    heard.map(({ sku }) => sku),
    [...skus, 'SSE-9999'],
    'each once, in the order in which it happened',
  );
  assert.equal(new Set(heard.map(({ id }) => id)).size, heard.length);
  rest.leave();
  t.diagnostic(`${heard.length} events over ${EVENTS / 15} kills and a stop, read over ${connections + 1} connections`);
}

async function bounds(): Promise<void> {
  await using space = new Workspace(edited(STREAMED, ['Heartbeat: every 15 seconds', 'Heartbeat: every 1 second']));
  const customer = await space.customer();
  const key = await space.key(customer);
  const other = await space.key(await space.customer('Bob'));
  const service = await space.serve();
  const [one, two] = [await follow(service, key), await follow(service, key)];
  const third = await follow(service, key);
  assert.deepEqual([third.status, JSON.parse(third.refusal).code], [429, 'too_many_streams']);
  const his = await follow(service, other);
  assert.equal(his.status, 200, 'each caller has its own');
  one.leave();
  const again = (await until(async () => {
    const reader = await follow(service, key);
    return reader.status === 200 && reader;
  }, 'room for another')) as Reader;
  await until(() => again.beats >= 2, 'heartbeats');
  const before = again.lastId;
  await until(() => again.lastId !== before, 'a heartbeat that says where the reader is');
  // A key that is revoked ends what was opened with it, before anything more is told.
  const [{ id }] = JSON.parse((await space.cli('keys', 'list', '--json')).out) as [{ id: string }];
  assert.equal((await space.cli('keys', 'revoke', id)).code, 0);
  await until(() => two.ended && again.ended, 'the ends of the streams');
  assert.equal(his.ended, false);
  const stopped = service.stop();
  await until(() => his.ended, 'the end of the last stream');
  assert.equal(await stopped, 0);
}

async function slowReader(t: TestContext): Promise<void> {
  await using space = new Workspace(
    edited(
      STREAMED,
      ['Slow readers: cut off after 30 seconds', 'Slow readers: cut off after 2 seconds'],
      ['at most 500 characters', 'at most 60000 characters'],
    ),
  );
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const { hostname, port } = new URL(service.url);
  const slow = connect(Number(port), hostname);
  slow.write(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const [head] = (await once(slow, 'data')) as [Buffer];
  assert.match(head.toString(), /^HTTP\/1\.1 200 /);
  slow.pause();
  const fast = await follow(service, key);
  const count = 200;
  for (let n = 0; n < count; n++)
    await service.opened(key, `BIG-${String(n).padStart(4, '0')}`, { note: 'x'.repeat(60_000) });
  await until(() => fast.messages.length === count, 'all of the fast one’s');
  // Once the slow one is gone there is room for another.
  const second = (await until(async () => {
    const reader = await follow(service, key);
    return reader.status === 200 && reader;
  }, 'the end of the slow one')) as Reader;
  let got = 0;
  slow.on('data', (bytes: Buffer) => {
    got += bytes.length;
  });
  slow.on('error', () => {});
  slow.resume();
  await once(slow, 'close');
  assert.ok(got < count * 60_000, `${got} bytes were taken before it was cut off`);
  for (const reader of [fast, second]) reader.leave();
  t.diagnostic(`cut off ${got} bytes into ${count * 60_000}`);
}

async function tooLate(): Promise<void> {
  await using space = new Workspace(edited(STREAMED, ['Last-Event-ID, for 24 hours', 'Last-Event-ID, for 1 second']));
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const reader = await follow(service, key);
  await until(() => reader.lastId !== '', 'where it begins');
  reader.leave();
  const refused = (await until(async () => {
    const later = await follow(service, key, reader.lastId);
    later.leave();
    return later.status !== 200 && later;
  }, 'the end of the second')) as Reader;
  assert.equal(refused.status, 410, refused.refusal);
  assert.equal(JSON.parse(refused.refusal).code, 'events_gone');
  for (const forged of ['0', `${reader.lastId}A`, reader.lastId.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')), 'é'])
    assert.equal((await follow(service, key, encodeURI(forged))).status, 410, forged);
}

describe('streams', { concurrency: 2 }, () => {
  test('a reader that comes back hears each event once, in order, over kills', IN_WHOLE, overKills);
  test('heartbeats, streams at once, revoked keys and a stop are as stated', IN_WHOLE, bounds);
  test('of readers without a caller, addresses are counted', IN_WHOLE, strangers);
  test('a slow reader is cut off, and holds up nobody', IN_WHOLE, slowReader);
  test('a reader that comes back too late, or with an id that is none, is refused', tooLate);
});
