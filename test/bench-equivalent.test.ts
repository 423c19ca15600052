import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equivalentTo } from '../bench/test/equivalent.ts';
import { changed, type Edit, example } from './fixtures.ts';

/** Whether the bench takes a document that is changed so for one that nobody can tell from the original. */
function isLeftOut(name: string, ...edits: readonly Edit[]): boolean {
  const text = changed(example(name), ...edits);
  return equivalentTo({ name: `${name}.md`, text: example(name) })({ text });
}

test('what nobody can tell from outside is no mutant', () => {
  const [units, many] = [
    'Order.filter(o, o.customer == caller).map(o, o.quantity)',
    'Order.filter(x, x.customer == caller).map(y, y.quantity)',
  ];
  assert.ok(isLeftOut('orders', [units, many]), 'names in macros');
  assert.ok(
    isLeftOut('orders', ['kept 24 hours, answers below 500', 'kept 24 hours, answers below 499']),
    'no answer has the status 499',
  );
  assert.ok(
    isLeftOut('orders', ['| customer_has_orders | 409 ', '| customer_has_orders | 404 ']),
    'no request removes customers',
  );
});

test('what a caller may tell is one', () => {
  assert.ok(
    !isLeftOut('orders', [
      'Order.filter(o, o.customer == caller).map(o, o.quantity)',
      'Order.filter(o, o.customer != caller).map(o, o.quantity)',
    ]),
  );
  assert.ok(!isLeftOut('orders', ['kept 24 hours, answers below 500', 'kept 24 hours, answers below 422']));
  assert.ok(!isLeftOut('orders', ['| order_not_open      | 409 ', '| order_not_open      | 404 ']));
});
