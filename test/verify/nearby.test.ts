import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { statementId } from '../../src/plan/lines.ts';
import type { Plan } from '../../src/plan/step.ts';
import { withNearby } from '../../src/verify/blame/nearby.ts';
import { example } from '../fixtures.ts';

function planOf(name: string): Plan {
  const { plan } = compile(`${name}.md`, example(name));
  assert.ok(plan);
  return plan;
}

test('behind a parameter stands the field whose values it takes, by its name or by what is allowed', () => {
  const status = statementId.parameter('GET /orders', 'query', 'status');
  assert.deepEqual(withNearby(planOf('orders'), [status]), [status, statementId.field('Order', 'status')]);
  const lock = statementId.parameter('PUT /repos/{owner}/{repo}/issues/{number}/lock', 'body', 'lock_reason');
  assert.deepEqual(withNearby(planOf('issues'), [lock]), [lock, statementId.field('Issue', 'active_lock_reason')]);
});

test('behind a parameter whose values several fields have, or none, stands nothing', () => {
  const from = statementId.parameter('GET /rooms/{room}/bookings', 'query', 'from');
  assert.deepEqual(withNearby(planOf('bookings'), [from]), [from]);
});

test('behind who may call stands the scope that callers must have, of each scheme that has it', () => {
  const access = statementId.endpoint('POST /orders', 'access');
  assert.deepEqual(withNearby(planOf('orders'), [access]), [
    access,
    statementId.scheme('API key', 'scope orders:write'),
  ]);
  const anyone = statementId.endpoint('GET /articles', 'access');
  assert.deepEqual(withNearby(planOf('blogging'), [anyone]), [anyone]);
});

test('behind an event stand the transitions that it tells of, and what is named already is not named again', () => {
  const event = statementId.event('order.cancelled');
  const [cancel, expire] = [statementId.transition('Order', 'cancel'), statementId.transition('Order', 'expire')];
  assert.deepEqual(withNearby(planOf('orders'), [event, expire]), [event, cancel, expire]);
});
