import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationOf, secondsOf } from './peers/helpdesk/durations.ts';
import { lastInstant } from './peers/helpdesk/schedule.ts';

test('the helpdesk by hand closes tickets at half past two in Berlin, and once where clocks change', () => {
  const daily = { hour: 2, minute: 30, zone: 'Europe/Berlin' };
  const last = (now: string): string => new Date(lastInstant(daily, Date.parse(now))).toISOString();
  assert.equal(last('2026-11-29T12:00:00Z'), '2026-11-29T01:30:00.000Z');
  assert.equal(last('2026-11-29T01:29:59Z'), '2026-11-28T01:30:00.000Z');
  assert.equal(last('2026-07-01T00:30:00Z'), '2026-07-01T00:30:00.000Z');
  // Clocks skip half past two in March, and have it twice in October.
  assert.equal(last('2026-03-29T12:00:00Z'), '2026-03-29T01:00:00.000Z');
  assert.equal(last('2026-03-29T00:59:59Z'), '2026-03-28T01:30:00.000Z');
  assert.equal(last('2026-10-25T12:00:00Z'), '2026-10-25T00:30:00.000Z');
  assert.equal(last('2026-10-26T12:00:00Z'), '2026-10-26T01:30:00.000Z');
});

test('durations are read and written in days and smaller units', () => {
  for (const [text, seconds] of [
    ['PT5M', 300],
    ['P2DT12H', 216_000],
    ['PT1H30M1S', 5401],
    ['P30D', 2_592_000],
  ] as const) {
    assert.equal(secondsOf(text), seconds);
    assert.equal(durationOf(seconds), text);
  }
  assert.equal(durationOf(secondsOf('P1DT36H')), 'P2DT12H');
});
