import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/seeded.ts';
import type { Row } from '../../expression/values/value.ts';
import { NamedRows } from './unit-of-work.ts';

test('rows are found by the identities that they were named by last, however many there are', () => {
  const named = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.boolean()), { maxLength: 120 });
  fc.assert(
    fc.property(named, (steps) => {
      const rows = new NamedRows();
      const expected = new Map<string, Row>();
      for (const [at, [number, names]] of steps.entries()) {
        const identity = `row ${number}`;
        if (names) {
          const row: Row = [identity, at];
          rows.set(identity, row);
          expected.set(identity, row);
        }
        assert.equal(rows.get(identity), expected.get(identity));
      }
      for (const [identity, row] of expected) assert.equal(rows.get(identity), row);
    }),
  );
});
