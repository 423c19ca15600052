import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseClock } from './clock.ts';

/** A node whose own clock is monotonic, and a database whose clock can be set. */
class Two {
  measured = 5000;
  /** The lead of the database’s clock over the node’s clock. */
  ahead = Date.UTC(2026, 10, 23);
  readonly clock = new DatabaseClock(() => this.measured);

  get time(): number {
    return this.ahead + this.measured;
  }

  /** Reads the database’s time, with the given delays of the query and its answer. */
  ask(there: number, back: number): void {
    const asked = this.clock.asked();
    this.measured += there;
    const time = Math.floor(this.time);
    this.measured += back;
    this.clock.heard(asked, time);
  }

  /** The error of the node’s estimate. */
  get off(): number {
    return Math.abs(this.clock.now() - this.time);
  }
}

test('a node knows the database’s time as well as its quickest answer lets it, whatever comes after', () => {
  const two = new Two();
  two.ask(300, 20);
  assert.ok(two.off <= 150, `${two.off} ms`);
  two.ask(1, 1);
  two.measured += 200;
  assert.ok(two.off <= 2, `${two.off} ms`);
  for (let beat = 0; beat < 60; beat++) {
    two.measured += 1000;
    two.ask(beat % 3 ? 2 : 900, beat % 2 ? 700 : 3);
    assert.ok(two.off <= 10, `${two.off} ms at ${beat}`);
  }
});

test('what a stopped node was told before it was stopped says little, and does no harm', () => {
  const two = new Two();
  two.ask(1, 1);
  two.ask(1, 20_000);
  assert.ok(two.off <= 12, `${two.off} ms`);
});

test('a database whose clock is set is followed at once, forward and back', () => {
  const two = new Two();
  two.ask(1, 1);
  for (const set of [3_600_000, -7_200_000, 1500, -5000]) {
    two.ahead += set;
    two.measured += 1000;
    two.ask(2, 2);
    assert.ok(two.off <= 3, `${two.off} ms after ${set}`);
  }
});

test('time that was told does not go back for what is known better, and goes with a clock that goes faster', () => {
  const two = new Two();
  two.ask(0, 40);
  let last = two.clock.now();
  for (let n = 0; n < 2000; n++) {
    two.measured += 5;
    two.ahead += 0.002;
    if (n % 200 === 0) two.ask(n % 3, 5);
    const now = two.clock.now();
    assert.ok(now >= last, `${now} after ${last}`);
    last = now;
  }
  assert.ok(two.off <= 10, `${two.off} ms`);
});
