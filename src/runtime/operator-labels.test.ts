import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentText, planOf } from '../../test/subject.ts';
import { labelField, labelOf } from './operator-labels.ts';

const { resources } = planOf(documentText('examples/orders.md'));
const customer = resources.find(({ name }) => name === 'Customer')!;
const at = customer.columns.findIndex(({ name }) => name === 'email');

const labelled = (text: string | null): string | null =>
  labelOf(
    customer,
    customer.columns.map((_, i) => (i === at ? text : null)),
  );

test('a label is a text of the row that people can see', () => {
  assert.equal(labelField(customer), 'email');
  assert.equal(labelled('ada@example.com'), 'ada@example.com');
  assert.equal(labelled('<b>'), '<b>');
  for (const none of [null, '', '   ', '\t\n', '\u00a0\u3000', '\u200b\u200f', '\u202e', '\u3164', '\u0007'])
    assert.equal(labelled(none), null, JSON.stringify(none));
});

test('a long label is cut, and stays well-formed', () => {
  assert.equal(labelled('x'.repeat(10_000))?.length, 60);
  assert.equal(labelled(`${'x'.repeat(59)}😀`)?.isWellFormed(), true);
});
