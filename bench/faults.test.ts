import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IN_WHOLE } from '../test/share.ts';
import { checkFaults, FAULTS } from './test/faults.ts';
import { type Mutant, mutantsOf, originals } from './test/mutants.ts';

test('every fault by hand applies to the services of the bench as they are, and names lines of the document', () => {
  checkFaults();
  assert.ok(FAULTS.length >= 120, `${FAULTS.length} faults`);
  assert.ok(new Set(FAULTS.map(({ kind }) => kind)).size >= 12);
  const [first] = FAULTS;
  assert.ok(first);
  const { patches } = first;
  const twice = { ...first, id: 'twice', patches: [...patches, ...patches] };
  assert.throws(() => checkFaults([twice]), /stands there 0 times/);
});

test('the mutants of a document are the same each time, each with a plan of its own', IN_WHOLE, () => {
  const notes = originals().find(({ name }) => name === 'notes.md');
  assert.ok(notes);
  const mutants = mutantsOf(notes);
  assert.ok(mutants.length >= 60, `${mutants.length} mutants`);
  assert.deepEqual(mutantsOf(notes), mutants);
  assert.equal(new Set(mutants.map(({ id }) => id)).size, mutants.length, 'each has an id of its own');
  const lines = notes.text.split('\n');
  for (const { line, from, to, id } of mutants) {
    assert.equal(lines[line - 1], from, id);
    assert.notEqual(from, to, id);
  }
  const changed = (kind: string): Mutant[] => mutants.filter((one) => one.kind === kind);
  assert.ok(changed('Limits: Page size').some(({ to }) => to.includes('51 at most')));
  assert.ok(changed('Resources: Text').some(({ to }) => to.includes('as sent')));
  assert.ok(changed('Endpoints: List').some(({ to }) => to.includes('earliest')));
});
