import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Access } from './access.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Access by a clock that is moved. */
function timed(): { access: Access; pass: (milliseconds: number) => void } {
  let now = Date.UTC(2026, 0, 5);
  const access = new Access(() => now);
  return {
    access,
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

test('a key opens one session, and no other', () => {
  const { access } = timed();
  assert.equal(access.enter(`${access.issued}x`), null, 'another key');
  assert.equal(access.enter(''), null);
  const token = access.enter(access.issued);
  assert.ok(token);
  assert.ok(access.find(token));
  assert.equal(access.enter(access.issued), null, 'the same key again');
  assert.equal(access.find(access.issued), null, 'the key is no token');
  assert.ok(access.find(token), 'the session goes on');
});

test('a key is refused ten minutes after it was issued', () => {
  const late = timed();
  late.pass(10 * MINUTE_MS + 1);
  assert.equal(late.access.enter(late.access.issued), null);
  const justSo = timed();
  justSo.pass(10 * MINUTE_MS);
  assert.ok(justSo.access.enter(justSo.access.issued));
});

test('a session ends after 30 minutes without use, or after 12 hours, or when it is ended', () => {
  const idle = timed();
  const token = idle.access.enter(idle.access.issued) ?? '';
  idle.pass(30 * MINUTE_MS);
  assert.ok(idle.access.find(token), 'used in time');
  idle.pass(30 * MINUTE_MS + 1);
  assert.equal(idle.access.find(token), null);

  const busy = timed();
  const used = busy.access.enter(busy.access.issued) ?? '';
  for (let i = 0; i < 48; i++) {
    assert.ok(busy.access.find(used), `after ${i} quarters of an hour`);
    busy.pass(HOUR_MS / 4);
  }
  busy.pass(1);
  assert.equal(busy.access.find(used), null);

  const left = timed();
  const last = left.access.enter(left.access.issued) ?? '';
  left.access.end();
  assert.equal(left.access.find(last), null);
});
