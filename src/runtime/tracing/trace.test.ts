import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentTraces, sentTrace, Traces, traceparentOf } from './trace.ts';

const traces = new Traces();

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test('a request goes on with the trace that it came with', () => {
  for (const value of [`00-${ID}-${PARENT}-01`, `cc-${ID}-${PARENT}-01-what-comes-later`, `01-${ID}-${PARENT}-01`]) {
    assert.deepEqual(sentTrace(value), { id: ID, span: PARENT, flags: '01' });
  }
});

test('what is no traceparent belongs to no trace', () => {
  for (const value of [
    '',
    ID,
    `00-${ID}-${PARENT}`,
    `00-${ID}-${PARENT}-01-more`,
    `00-${ID}-${PARENT}-0g`,
    `ff-${ID}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${ID}-${'0'.repeat(16)}-01`,
    `00-${ID.toUpperCase()}-${PARENT}-01`,
    `00-${ID}-${PARENT}-01, 00-${ID}-${PARENT}-01`,
    `00-${ID}-${PARENT}-01\n`,
    'x'.repeat(5000),
  ]) {
    assert.equal(sentTrace(value), null);
  }
  assert.equal(sentTrace(undefined), null);
});

test('each trace that is begun has an id of its own', () => {
  const many = Array.from({ length: 1000 }, () => traces.begun());
  for (const { id, span, flags } of many) {
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.deepEqual([span, flags], [null, '00']);
  }
  assert.equal(new Set(many.map(({ id }) => id)).size, 1000);
});

test('what is done for a trace has an id of its own in it', () => {
  const trace = { id: ID, span: PARENT, flags: '01' };
  const [one, other] = [traceparentOf(trace), traceparentOf(trace)];
  assert.match(one, new RegExp(`^00-${ID}-[0-9a-f]{16}-01$`));
  assert.notEqual(one, other);
});

test('the newest events are known, and memory is bounded', () => {
  const traces = new RecentTraces();
  for (let i = 0; i < 35_000; i++) traces.note(`${i}`, { id: `trace ${i}`, span: null, flags: '00' });
  for (const [from, to, known] of [
    [0, 20_000, false],
    [25_000, 35_000, true],
  ] as const)
    for (let i = from; i < to; i++) assert.equal(traces.of(`${i}`)?.id, known ? `trace ${i}` : undefined);
});
