import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingMember, rowOf, type Type } from './types.ts';

test('of a caller of several kinds, the member is named that a place takes, where only one does', () => {
  const caller: Type = { kind: 'object', nullable: false, members: { Nurse: rowOf('Nurse'), Device: rowOf('Device') } };
  assert.equal(fittingMember('caller', caller, rowOf('Nurse')), 'caller.Nurse');
  assert.equal(fittingMember('caller', caller, rowOf('Ward')), '');
  assert.equal(fittingMember('caller', rowOf('Nurse'), rowOf('Nurse')), '');
  const alike: Type = { ...caller, members: { now: rowOf('Nurse'), before: rowOf('Nurse') } };
  assert.equal(fittingMember('shift', alike, rowOf('Nurse')), '');
});
