import '../../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { share } from '../../share.ts';
import { FAULTS } from './faults.ts';
import { SERVED } from './otherwise.ts';
import { outcomesOf } from './outcomes.ts';

for (const fault of [...share(FAULTS, 1, 9).cases, ...share(SERVED, 1, 12).cases])
  test(`a statement is not kept by a service that ${fault.name}`, async (t) => {
    const { results, breaks } = await outcomesOf(t, fault);
    assert.ok(breaks.length > 0);
    assert.ok(results.some(({ outcome }) => outcome !== 'kept'));
  });
