import assert from 'node:assert/strict';
import { test } from 'node:test';
import { same } from './compare.ts';

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
