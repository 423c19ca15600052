import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContractType } from '../contract/types.ts';
import { same } from './compare.ts';
import { BREAKS, SERVICE } from './difference.ts';
import { typeDifference } from './values.ts';

test('an expression says the same with more zeros at the end of a decimal, and not in a text', () => {
  const expression = (text: string) => ({ text, tree: {}, lines: [1] });
  assert.ok(same(expression('owed < 10.00'), expression('owed < 10.000')));
  assert.ok(same(expression('owed < 1.50'), expression('owed < 1.5')));
  assert.ok(!same(expression('owed < 10.00'), expression('owed < 100.0')));
  assert.ok(!same(expression('name == "1.50"'), expression('name == "1.5"')));
  assert.ok(!same(expression('a.b0 == 1'), expression('a.b == 1')));
  const step = (text: string, under: string[]) => ({ do: 'require', text, under });
  assert.ok(same(step('require a > 1.0', ['b > 2.0']), step('require a > 1.00', ['b > 2.00'])));
  assert.ok(!same(step('require a > 1.0', ['b > 2.0']), step('require a > 1.0', ['b > 2.1'])));
});

test('an event that a stream sends no longer is missed', () => {
  const stream = (...events: string[]) => ({ kind: 'stream' as const, events });
  const verdict = (old: ContractType, next: ContractType): string | undefined =>
    typeDifference(old, next, 'answer', SERVICE, '')[0]?.verdict.why;
  assert.equal(verdict(stream('made', 'gone'), stream('made')), BREAKS.untold.why);
  assert.equal(verdict(stream('made'), stream('made', 'gone')), BREAKS.unknown.why);
  assert.equal(verdict(stream('made', 'gone'), stream('gone', 'made')), undefined);
});
