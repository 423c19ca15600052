import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { EndpointPlan } from '../../plan/step.ts';
import { compile } from '../compile.ts';

const source = readFileSync(new URL('../../../examples/orders.md', import.meta.url), 'utf8');

/** The plan of an endpoint of the example. */
function planned(name: string): EndpointPlan {
  const { plan } = compile('orders.md', source);
  const found = plan?.endpoints.find((one) => one.name === name);
  assert.ok(found, `${name} is settled`);
  return found;
}

const readsOf = ({ inside }: EndpointPlan) =>
  inside.flatMap((step) => (step.do === 'find' || step.do === 'list' ? [step.reads] : []));

test('a Find whose row is only shown reads nothing else of it but its tag', () => {
  assert.deepEqual(readsOf(planned('GET /orders/{id}')), [{ fields: [], tag: true }]);
});

test('a Find in an endpoint that changes rows reads them whole', () => {
  const changing = planned('POST /orders/{id}/cancel');
  assert.ok(changing.writes);
  assert.deepEqual(new Set(readsOf(changing)), new Set([null]));
});

test('an endpoint names the conditions that can arise at it, in the order they are checked in', () => {
  const { conditions } = planned('GET /orders/{id}');
  assert.ok(conditions.includes('scope missing'));
  assert.ok(!conditions.includes('conflict'), 'nothing is written');
  assert.ok(conditions.indexOf('credentials missing') < conditions.indexOf('scope missing'));
});
