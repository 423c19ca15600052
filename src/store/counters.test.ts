import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../test/seeded.ts';
import { Counters } from './counters.ts';

const MINUTE = 60_000;

describe('a window', () => {
  test('lets exactly the limit through', () => {
    const counters = new Counters();
    const taken = Array.from({ length: 2000 }, (_, at) => counters.take(0, 'a', 100, MINUTE, at));
    assert.equal(taken.filter(({ allowed }) => allowed).length, 100);
    assert.deepEqual(taken[0], { allowed: true, remaining: 99, resetSeconds: 60 });
    assert.deepEqual(taken[99], { allowed: true, remaining: 0, resetSeconds: 60 });
    assert.deepEqual(taken[100], { allowed: false, remaining: 0, resetSeconds: 60 });
    assert.deepEqual(taken[1500], { allowed: false, remaining: 0, resetSeconds: 59 });
  });

  test('opens at the first counted request and lasts its time exactly', () => {
    const counters = new Counters();
    counters.take(0, 'a', 1, MINUTE, 1234);
    assert.deepEqual(counters.take(0, 'a', 1, MINUTE, 1234 + MINUTE - 1), {
      allowed: false,
      remaining: 0,
      resetSeconds: 1,
    });
    assert.deepEqual(counters.take(0, 'a', 1, MINUTE, 1234 + MINUTE), {
      allowed: true,
      remaining: 0,
      resetSeconds: 60,
    });
    assert.equal(counters.take(0, 'a', 1, MINUTE, 1234 + 2 * MINUTE - 1).allowed, false);
    assert.equal(counters.take(0, 'a', 1, MINUTE, 1234 + 2 * MINUTE).allowed, true);
  });

  test('tells whole seconds, at least one', () => {
    const counters = new Counters();
    const reset = (now: number) => counters.take(0, 'a', 9, 2000, now).resetSeconds;
    assert.deepEqual([0, 999, 1000, 1001, 1999].map(reset), [2, 2, 1, 1, 1]);
    assert.equal(counters.take(0, 'b', 9, 1, 0).resetSeconds, 1);
  });

  test('is its policy and key alone', () => {
    const counters = new Counters();
    assert.equal(counters.take(0, 'a', 1, MINUTE, 0).allowed, true);
    assert.equal(counters.take(1, 'a', 1, MINUTE, 0).allowed, true);
    assert.equal(counters.take(0, 'b', 1, MINUTE, 0).allowed, true);
    assert.equal(counters.take(0, '__proto__', 1, MINUTE, 0).allowed, true);
    assert.equal(counters.take(0, '', 1, MINUTE, 0).allowed, true);
    assert.equal(counters.take(0, 'a', 1, MINUTE, 0).allowed, false);
  });

  test('holds nothing where the limit is none', () => {
    const counters = new Counters();
    assert.deepEqual(counters.take(0, 'a', 0, MINUTE, 0), { allowed: false, remaining: 0, resetSeconds: 60 });
    assert.equal(counters.size, 0);
  });

  test('follows a limit that changes', () => {
    const counters = new Counters();
    for (let at = 0; at < 5; at += 1) counters.take(0, 'a', 5, MINUTE, 0);
    assert.deepEqual(counters.take(0, 'a', 2, MINUTE, 0), { allowed: false, remaining: 0, resetSeconds: 60 });
    assert.deepEqual(counters.take(0, 'a', 7, MINUTE, 0), { allowed: true, remaining: 1, resetSeconds: 60 });
  });
});

describe('memory', () => {
  test('holds no more than the keys of the busiest recent window', () => {
    const counters = new Counters();
    let largest = 0;
    for (let at = 0; at < 50_000; at += 1) {
      counters.take(0, `a${at}`, 10, 1000, at);
      largest = Math.max(largest, counters.size);
    }
    assert.ok(largest <= 1001, `${largest}`);
  });

  test('is given back by requests of one key', () => {
    const counters = new Counters();
    for (let at = 0; at < 1000; at += 1) counters.take(0, `a${at}`, 10, 1000, 0);
    for (let at = 0; at < 1000; at += 1) counters.take(0, 'b', 10, 1000, 2000);
    assert.equal(counters.size, 1);
  });

  test('is given back by policies nobody asks for any more', () => {
    const counters = new Counters();
    for (let at = 0; at < 900; at += 1) counters.take(at % 3, `a${at}`, 10, 1000, 0);
    for (let at = 0; at < 1000; at += 1) counters.take(3, 'b', 10, 1000, 2000);
    assert.equal(counters.size, 1);
  });

  test('is given back after the clock has jumped back', () => {
    const counters = new Counters();
    for (let at = 0; at < 1000; at += 1) counters.take(0, `a${at}`, 10, 1000, 1e12);
    let largest = 0;
    for (let at = 0; at < 10_000; at += 1) {
      counters.take(0, `b${at}`, 10, 1000, at);
      largest = Math.max(largest, counters.size);
    }
    assert.ok(largest <= 2500, `${largest}`);
    assert.ok(counters.size <= 1001, `${counters.size}`);
  });
});

describe('a clock that jumps', () => {
  test('back locks nobody out for longer than a window, and keeps the count', () => {
    const counters = new Counters();
    counters.take(0, 'a', 1, MINUTE, 1e12);
    assert.deepEqual(counters.take(0, 'a', 1, MINUTE, 5000), { allowed: false, remaining: 0, resetSeconds: 60 });
    assert.equal(counters.take(0, 'a', 1, MINUTE, 5000 + MINUTE - 1).allowed, false);
    assert.equal(counters.take(0, 'a', 1, MINUTE, 5000 + MINUTE).allowed, true);
  });

  test('forward ends windows', () => {
    const counters = new Counters();
    counters.take(0, 'a', 1, MINUTE, 0);
    assert.equal(counters.take(0, 'a', 1, MINUTE, 1e12).allowed, true);
  });
});

describe('a restart', () => {
  test('keeps the windows', () => {
    const before = new Counters();
    before.take(0, 'a', 3, MINUTE, 0);
    before.take(0, 'a', 3, MINUTE, 10);
    before.take(1, 'b', 3, 1000, 20);
    before.take(1, 'c', 3, 3000, 20);
    const rows = before.snapshot(2000);
    assert.deepEqual(rows, [
      [0, 'a', 2, MINUTE],
      [1, 'c', 1, 3020],
    ]);
    const after = new Counters();
    after.restore(JSON.parse(JSON.stringify(rows)));
    assert.deepEqual(
      after.snapshot(2000).toSorted(([one], [other]) => one - other),
      rows,
    );
    assert.deepEqual(after.take(0, 'a', 3, MINUTE, 2000), { allowed: true, remaining: 0, resetSeconds: 58 });
    assert.equal(after.take(0, 'a', 3, MINUTE, 2000).allowed, false);
    assert.equal(after.take(0, 'a', 3, MINUTE, MINUTE).allowed, true);
  });

  test('replaces windows that are there, and lets go of the restored', () => {
    const counters = new Counters();
    counters.take(0, 'a', 3, MINUTE, 0);
    counters.restore([
      [0, 'b', 3, 500],
      [0, 'a', 3, 400],
    ]);
    assert.equal(counters.size, 2);
    assert.equal(counters.take(0, 'a', 3, MINUTE, 399).allowed, false);
    counters.take(1, 'x', 3, MINUTE, 500);
    counters.take(1, 'x', 3, MINUTE, 500);
    assert.equal(counters.size, 1);
  });

  test('with an earlier clock locks nobody out for longer than a window', () => {
    const before = new Counters();
    before.take(0, 'a', 1, MINUTE, 1e12);
    assert.deepEqual(before.snapshot(0), [[0, 'a', 1, MINUTE]]);
    const after = new Counters();
    after.restore(before.snapshot(1e12));
    assert.deepEqual(after.take(0, 'a', 1, MINUTE, 0), { allowed: false, remaining: 0, resetSeconds: 60 });
    assert.equal(after.take(0, 'a', 1, MINUTE, MINUTE).allowed, true);
  });
});

test('agrees with plain windows that are never swept, over restarts', () => {
  const request = fc.record({ policy: fc.nat(2), key: fc.constantFrom('a', 'b', 'c', 'd'), wait: fc.nat(400) });
  const step = fc.oneof({ weight: 20, arbitrary: request }, { weight: 1, arbitrary: fc.constant('restart' as const) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const plain = new Map<string, { count: number; endsAt: number }>();
      let counters = new Counters();
      let now = 0;
      for (const one of steps) {
        if (one === 'restart') {
          const rows = counters.snapshot(now);
          counters = new Counters();
          counters.restore(rows);
          continue;
        }
        now += one.wait;
        const limit = one.policy + 1;
        const windowMs = 500 * limit;
        const id = `${one.policy} ${one.key}`;
        let window = plain.get(id);
        if (window === undefined || window.endsAt <= now) window = { count: 0, endsAt: now + windowMs };
        plain.set(id, window);
        const allowed = window.count < limit;
        if (allowed) window.count += 1;
        assert.deepEqual(counters.take(one.policy, one.key, limit, windowMs, now), {
          allowed,
          remaining: limit - window.count,
          resetSeconds: Math.ceil((window.endsAt - now) / 1000),
        });
      }
    }),
    { numRuns: 300 },
  );
});

describe('windows of very many networks', () => {
  const MOST = 80;
  const v6 = (n: number): string => `2001:${(n % 50).toString(16)}:${(n % 900).toString(16)}:${n.toString(16)}::/64`;
  const v4 = (n: number): string => `10.${n % 5}.${n % 250}.${n >> 8}`;
  const held = (networks: readonly string[]): Counters => {
    const counters = new Counters(MOST);
    for (const network of networks) counters.take(0, network, 3, MINUTE, 0);
    return counters;
  };
  const many = <T>(one: (n: number) => T): T[] => Array.from({ length: 20_000 }, (_, n) => one(n));

  test('are bounded, and wider networks count together', () => {
    for (const network of [v6, v4]) assert.ok(held(many(network)).size <= MOST * 1.5 + 1);
    const counters = held(many(v6));
    assert.equal(counters.take(0, v6(0), 3, MINUTE, 1).remaining, 1, 'a network that has a window keeps it');
    assert.equal(counters.take(0, 'ffff:1:1:1::/64', 3, MINUTE, 1).allowed, false);
    // Callers are stored rows, and each has a window of its own.
    assert.equal(counters.take(0, 'User/10.0.0.1', 3, MINUTE, 1).allowed, true);
  });

  test('give no network more than the limit, also once there is room again', () => {
    const counters = held(many(v6).slice(0, MOST));
    const late = 'ffff:1:1:1::/64';
    for (let i = 0; i < 3; i++) assert.equal(counters.take(0, late, 3, MINUTE, MINUTE - 10).allowed, true);
    // The windows of the others have ended, and that of its wider network has not.
    for (let i = 0; i < MOST; i++) counters.take(0, 'a', 1e6, MINUTE, MINUTE);
    assert.equal(counters.take(0, late, 3, MINUTE, MINUTE + 1).allowed, false);
    assert.equal(counters.take(0, late, 3, MINUTE, 3 * MINUTE).allowed, true);
  });
});
