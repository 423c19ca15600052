import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Alarm } from './alarm.ts';

const DAY = 86_400_000;
const LONGEST_OF_NODE = 2 ** 31 - 1;

test('an alarm goes off when its time has passed, and no sooner, however long that is', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const days of [1, 24, 25, 30, 365]) {
    let rung = 0;
    new Alarm(days * DAY, () => rung++);
    // A timer that is set while the mock clock advances counts from the clock's new time.
    let left = days * DAY - 1;
    for (; left > LONGEST_OF_NODE; left -= LONGEST_OF_NODE) t.mock.timers.tick(LONGEST_OF_NODE);
    t.mock.timers.tick(left);
    assert.equal(rung, 0, `${days} days less a millisecond`);
    t.mock.timers.tick(1);
    assert.equal(rung, 1, `${days} days`);
  }
});

test('an alarm that is cleared, or set for never, does not go off', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let rung = 0;
  const cleared = new Alarm(60 * DAY, () => rung++);
  new Alarm(Number.POSITIVE_INFINITY, () => rung++);
  t.mock.timers.tick(LONGEST_OF_NODE);
  cleared.clear();
  for (let n = 0; n < 20; n++) t.mock.timers.tick(LONGEST_OF_NODE);
  assert.equal(rung, 0);
});

test('an alarm whose time has passed goes off at the next turn', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let rung = 0;
  new Alarm(-5, () => rung++);
  assert.equal(rung, 0);
  t.mock.timers.tick(0);
  assert.equal(rung, 1);
});
