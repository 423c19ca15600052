import '../../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { share } from '../../share.ts';
import { FAULTS } from './faults.ts';
import { outcomesOf } from './outcomes.ts';

const RIGHT = [
  ...new Map(
    FAULTS.map(({ name: _, taken: _taken, given: _given, served: _served, ...right }) => [
      right.stated + right.key,
      right,
    ]),
  ),
];

for (const [, right] of share(RIGHT, 1, 4).cases)
  test(`“${right.key}” is kept by a service that keeps it`, async (t) => {
    const { results } = await outcomesOf(t, { name: 'keeps it', ...right });
    assert.deepEqual(
      results.flatMap(({ outcome, unmet }) => {
        const isByChance = outcome === 'untestable' && unmet.every((one) => BY_CHANCE.test(one));
        return outcome === 'kept' || isByChance ? [] : [outcome, ...unmet];
      }),
      [],
    );
  });
