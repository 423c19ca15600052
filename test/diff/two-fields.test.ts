import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCallers } from '../../src/diff/callers.ts';
import { documentText, planOf, withChange } from '../subject.ts';

const parcels = documentText('src/compiler/states/cases/documents/parcels.md');
const [first, second, rest] = ['### Parcel.status', '### Parcel.payment', '## Endpoints'].map((heading) =>
  parcels.indexOf(heading),
) as [number, number, number];
const swapped =
  parcels.slice(0, first) + parcels.slice(second, rest) + parcels.slice(first, second) + parcels.slice(rest);

/** What callers are told of a change, and whether it breaks them. */
function told(old: string, next: string, fields: ReadonlyArray<readonly [string, string]> = []): string[] {
  const renamed = { fields: new Map(fields), resources: new Map<string, string>() };
  return compareCallers(planOf(old), planOf(next), renamed).map((one) => `${one.at}: ${one.text} (${one.reason})`);
}

test('the order of two fields with timed transitions is a difference, in both directions', () => {
  const order = ['Parcel: the fields with states: the order is another (the same request may have another result)'];
  assert.deepEqual([told(parcels, swapped), told(swapped, parcels)], [order, order]);
});

test('a change of the second field is told of that field, wherever the field stands in the old document', () => {
  const later = withChange(
    parcels,
    '| abandon    | due  | abandoned | at `until`  ',
    '| abandon    | due  | abandoned | 1 hour after `until` ',
  );
  const time =
    'Parcel.abandon: its time is 1 hour after `this.until`, and was at `this.until` (the same request may have another result)';
  assert.deepEqual(told(parcels, later), [time]);
  assert.deepEqual(told(swapped, later).length, 2);
});

test('a second field keeps its name in the old document where it is renamed', () => {
  const renamed = parcels.replaceAll('payment', 'settlement');
  assert.deepEqual(told(parcels, renamed, [['Parcel.payment', 'settlement']]), [
    'Parcel.settlement: the name is settlement, and was payment (callers may not find what they read)',
  ]);
});

test('a renamed transition of the second field is no difference for callers', () => {
  const renamed = parcels.replaceAll('by refund', 'by repay').replace('| refund ', '| repay  ');
  assert.deepEqual(told(parcels, renamed), [
    'Parcel.repay: the transition is called repay, and was called refund (no caller can notice it)',
  ]);
});
