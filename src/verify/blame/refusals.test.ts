import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOfOne } from './refusals.ts';

const [name, forage] = [
  { at: 'name', why: 'It is required' },
  { at: 'forage.1', why: 'It is not allowed' },
];

const faults = (ours: unknown[], theirs: unknown[]): string[] =>
  faultsOfOne(
    { code: 'invalid', fields: ours as never },
    Buffer.from(JSON.stringify({ code: 'invalid', fields: theirs })),
  );

test('a fault that one of two refusals tells is found wherever it stands', () => {
  assert.deepEqual(faults([name], [forage, name]), [JSON.stringify(forage)]);
  assert.deepEqual(faults([forage, name], [forage]), [JSON.stringify(name)]);
});

test('faults may be the members of an object, by their fields', () => {
  const ours = { errors: { body: ['too long'], 'tags.0': ['not of the form'] } };
  const theirs = { errors: { body: ['too long'] } };
  const told = (one: object, other: object): string[] => faultsOfOne(one as never, Buffer.from(JSON.stringify(other)));
  assert.deepEqual(told(ours, theirs), ['{"tags.0":["not of the form"]}']);
  assert.deepEqual(told(theirs, ours), ['{"tags.0":["not of the form"]}']);
  assert.deepEqual(told(ours, { errors: { body: 'too long' } }), []);
  assert.deepEqual(told({ ...ours, title: 'Not allowed' }, ours), []);
});

test('where both tell what the other does not, or the same in another order, none is of one', () => {
  assert.deepEqual(faults([name], [forage]), []);
  assert.deepEqual(faults([name, forage], [forage, name]), []);
  assert.deepEqual(faultsOfOne(undefined, Buffer.from('[1]')), []);
  assert.deepEqual(faultsOfOne([1], Buffer.from('[')), []);
});
