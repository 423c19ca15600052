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

/** A run meets this need by chance alone: two rows that match a search differently, at the end of a page. */
const BY_CHANCE = /^a page begins where two rows are in the order of “best match /;

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
