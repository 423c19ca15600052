import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointPlan } from '../../plan/step.ts';
import { headSizeOf } from './head-size.ts';

/** An endpoint that reads query parameters of some rules. */
const reading = (...rules: object[]): EndpointPlan =>
  ({
    before: [{ do: 'read parameters', path: [], query: rules.map((rule) => ({ rule })), header: [] }],
  }) as unknown as EndpointPlan;

const text = { kind: 'text', max: null, oneOf: null, items: null };

test('the head has room for the longest parameters of one endpoint, and what it has without any', () => {
  const bare = headSizeOf([]);
  assert.equal(headSizeOf([reading({ ...text }, { ...text, kind: 'integer', max: 9 })]), bare);
  const some = [reading({ ...text, max: 10 }), reading({ ...text, max: 20 }, { ...text, oneOf: ['a', 'abc'] })];
  assert.equal(headSizeOf(some), bare + 12 * 23);
  assert.equal(headSizeOf([reading({ ...text, kind: 'list', max: 3, items: { ...text, max: 4 } })]), bare + 12 * 15);
});

test('a parameter may have more allowed values than a call takes arguments', () => {
  const oneOf = Array.from({ length: 300_000 }, (_, i) => `v${i}`);
  assert.equal(headSizeOf([reading({ ...text, oneOf })]) - headSizeOf([]), 12 * 'v299999'.length);
});
