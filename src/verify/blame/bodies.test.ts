import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../plan/step.ts';
import { isRounding } from './bodies.ts';

test('two decimals differ by how they are rounded where they differ by one of the last digit', () => {
  const differs = (expected: string, actual: string, rounding = 'half up'): boolean =>
    isRounding({ wire: { decimals: { as: 'strings', rounding } } } as unknown as Plan, {
      at: 'body /price',
      expected,
      actual,
    });
  assert.ok(differs('"0.01"', '"0.00"'));
  assert.ok(differs('1.5', '1.49'));
  assert.ok(differs('"-0.01"', '"0.00"'));
  assert.ok(differs('"12345678901234567.90"', '"12345678901234567.89"'));
  assert.ok(!differs('"0.01"', '"0.03"'));
  assert.ok(!differs('"0.01"', '"0.01"'));
  assert.ok(!differs('"abc"', '"0.01"'));
  assert.ok(!differs('"0.01"', '"0.00"', 'refused'));
});
