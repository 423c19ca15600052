import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceClock } from './clock.ts';

/** A clock of a service that counts how often it is read. */
class Asked {
  times = 0;
  ahead = 0;
  private readonly shown: () => number;

  constructor(shown: () => number) {
    this.shown = shown;
  }

  async now(): Promise<number> {
    this.times += 1;
    return this.shown() + this.ahead;
  }

  async pass(milliseconds: number): Promise<void> {
    this.ahead += milliseconds;
  }
}

const DAY_MS = 86_400_000;

test('a clock that stands is known without being asked', async () => {
  const asked = new Asked(() => 1000);
  const clock = await ServiceClock.of(asked);
  await clock.pass(500);
  const { when } = await clock.during(async () => null);
  assert.deepEqual([await clock.now(), when, asked.times], [1500, { earliest: 1500, latest: 1500 }, 2]);
});

test('a clock that runs as that of the tester does is known without being asked', async () => {
  const asked = new Asked(() => Date.now());
  const clock = await ServiceClock.of(asked);
  await clock.pass(DAY_MS);
  const { done, when } = await clock.during(async () => Date.now() + DAY_MS);
  assert.ok(when.earliest <= done && done <= when.latest, JSON.stringify({ done, when }));
  assert.equal(await clock.drift(), null);
  assert.equal(asked.times, 3);
});

test('the drift of a clock that moves by itself is found, and the clock asked from then on', async () => {
  const asked = new Asked(() => 1000);
  const clock = await ServiceClock.of(asked);
  asked.ahead = 250;
  assert.deepEqual(await clock.drift(), { earliest: 1000, latest: 1250 });
  asked.ahead = 300;
  const { when } = await clock.during(async () => (asked.ahead = 350));
  assert.deepEqual(when, { earliest: 1300, latest: 1350 });
  assert.equal(await clock.drift(), null);
});
