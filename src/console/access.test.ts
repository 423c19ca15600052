import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Access, type Links } from './access.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** No links but the first. */
const NONE: Links = { take: async () => null, ends: async () => new Map() };

/** Access by a clock that is moved. */
function timed(links = NONE): { access: Access; pass: (milliseconds: number) => void } {
  let now = Date.UTC(2026, 0, 5);
  const access = new Access(links, () => now);
  return {
    access,
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

test('a key opens one session, and no other', async () => {
  const { access } = timed();
  assert.equal(await access.enter(`${access.issued}x`), null, 'another key');
  assert.equal(await access.enter(''), null);
  const token = await access.enter(access.issued);
  assert.ok(token);
  assert.ok(await access.find(token));
  assert.equal(await access.enter(access.issued), null, 'the same key again');
  assert.equal(await access.find(access.issued), null, 'the key is no token');
  assert.ok(await access.find(token), 'the session goes on');
});

test('a key is refused ten minutes after it was issued', async () => {
  const late = timed();
  late.pass(10 * MINUTE_MS + 1);
  assert.equal(await late.access.enter(late.access.issued), null);
  const justSo = timed();
  justSo.pass(10 * MINUTE_MS);
  assert.ok(await justSo.access.enter(justSo.access.issued));
});

test('a session ends after 30 minutes without use, or after 12 hours, or when it is ended', async () => {
  const idle = timed();
  const token = (await idle.access.enter(idle.access.issued)) ?? '';
  idle.pass(30 * MINUTE_MS);
  assert.ok(await idle.access.find(token), 'used in time');
  idle.pass(30 * MINUTE_MS + 1);
  assert.equal(await idle.access.find(token), null);

  const busy = timed();
  const used = (await busy.access.enter(busy.access.issued)) ?? '';
  for (let i = 0; i < 48; i++) {
    assert.ok(await busy.access.find(used), `after ${i} quarters of an hour`);
    busy.pass(HOUR_MS / 4);
  }
  busy.pass(1);
  assert.equal(await busy.access.find(used), null);

  const left = timed();
  const last = (await left.access.enter(left.access.issued)) ?? '';
  const found = await left.access.find(last);
  assert.ok(found);
  left.access.end(found);
  assert.equal(await left.access.find(last), null);
});

test('several operators have sessions of their own, which a command ends by their names', async () => {
  const keys = new Map([
    ['a', 'ada'],
    ['b', 'ben'],
  ]);
  const ends = new Map<string, string>();
  const { access, pass } = timed({
    take: async (key) => {
      const name = keys.get(key) ?? null;
      keys.delete(key);
      return name;
    },
    ends: async () => new Map(ends),
  });
  const [ada, ben] = [(await access.enter('a')) ?? '', (await access.enter('b')) ?? ''];
  assert.equal(await access.enter('a'), null, 'the same key again');
  assert.equal((await access.find(ada))?.name, 'ada');
  pass(1000);
  ends.set('first', 'ada');
  assert.equal(await access.find(ada), null);
  assert.equal((await access.find(ben))?.name, 'ben');
  keys.set('c', 'ada');
  const again = (await access.enter('c')) ?? '';
  pass(1000);
  assert.equal((await access.find(again))?.name, 'ada', 'a later session was not ended');
  pass(-60 * MINUTE_MS);
  ends.set('second', 'ada');
  assert.equal(await access.find(again), null, 'it is ended after the clock was set back, too');
});
