import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantile, Samples, spread } from './statistics.ts';

test('samples are kept exactly and in order, past the room that there was at first', () => {
  const samples = new Samples();
  const count = 100_000;
  for (let i = 0; i < count; i++) samples.add((i * 7919) % count);
  const sorted = samples.sorted();
  assert.equal(sorted.length, count);
  assert.ok(sorted.every((value, i) => value === i));
});

test('a quantile is one of the numbers: the least that so large a share does not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  assert.equal(quantile(hundred, 0.5), 50);
  assert.equal(quantile(hundred, 0.99), 99);
  assert.equal(quantile(hundred, 1), 100);
  assert.equal(quantile([7], 0.99), 7);
  assert.equal(quantile([], 0.5), 0);
});

test('a spread has the middle, the least and the most', () => {
  assert.deepEqual(spread([3, 1, 2]), { median: 2, least: 1, most: 3 });
  assert.deepEqual(spread([4, 1, 2, 3]), { median: 2.5, least: 1, most: 4 });
  assert.equal(spread([]), null);
});
