import { type ChangeKind, PLAIN, yes } from './change-kind.ts';
import type { Change, Kind } from './changes.ts';
import {
  addField,
  changeSequence,
  convertField,
  dropField,
  freeField,
  referTo,
  renameField,
  requireField,
} from './field-changes.ts';
import { addResource, dropResource, renameResource } from './resource-changes.ts';
import { addHolds, addOverlap, addUnique, dropHolds, dropOverlap, dropUnique } from './rule-changes.ts';
import { addTimer, changeTimer, dropTimer } from './timer-changes.ts';
import { narrowValues, replaceOne, widenValues } from './value-changes.ts';

/** The kinds of changes. The type makes a forgotten one a compile error. */
const KINDS: { readonly [K in Kind]: ChangeKind<K> } = {
  'add resource': addResource,
  'drop resource': dropResource,
  'rename resource': renameResource,
  'add field': addField,
  'drop field': dropField,
  'rename field': renameField,
  'convert field': convertField,
  'widen values': widenValues,
  'narrow values': narrowValues,
  'replace value': replaceOne,
  'require field': requireField,
  'free field': freeField,
  refer: referTo,
  'add unique': addUnique,
  'drop unique': dropUnique,
  'add holds': addHolds,
  'drop holds': dropHolds,
  'add overlap': addOverlap,
  'drop overlap': dropOverlap,
  'add timer': addTimer,
  'drop timer': dropTimer,
  'change timer': changeTimer,
  'change sequence': changeSequence,
  keep: { ...PLAIN, text: ({ resource, what }) => `${resource}: ${what}`, besides: yes, widens: true },
};

/** The properties of a change’s kind, with functions that accept that change. */
export const kindOf = <C extends Change>(change: C): ChangeKind<C['kind']> =>
  KINDS[change.kind] as unknown as ChangeKind<C['kind']>;

/** Describes a change for people. */
export const describeChange = (change: Change): string => kindOf(change).text(change as never);

/** The name by which the operator accepts the loss of values; null where none are lost. */
export const acceptedAs = (change: Change): string | null => kindOf(change).accept?.(change as never) ?? null;

/** Whether a process with the old document can run beside one with the new document. */
export const runsBeside = (change: Change): boolean => kindOf(change).besides(change as never);

/** Whether a change only adds and widens, so that no row is examined and no value lost. */
export const widens = (change: Change): boolean => kindOf(change).widens;
