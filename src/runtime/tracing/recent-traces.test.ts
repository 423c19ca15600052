import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentTraces } from './recent-traces.ts';

test('the newest events are known, and memory is bounded', () => {
  const traces = new RecentTraces();
  for (let i = 0; i < 35_000; i++) traces.note(`${i}`, { id: `trace ${i}`, span: null, flags: '00' });
  for (const [from, to, known] of [
    [0, 20_000, false],
    [25_000, 35_000, true],
  ] as const)
    for (let i = from; i < to; i++) assert.equal(traces.of(`${i}`)?.id, known ? `trace ${i}` : undefined);
});
