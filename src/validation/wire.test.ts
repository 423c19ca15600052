import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/seeded.ts';
import { valueWriter } from './wire.ts';

const FORM = { kind: 'timestamp', scale: null, items: null } as const;
const FORMS = { durations: null, decimals: null } as never as Parameters<typeof valueWriter>[1];

test('instants are written as Date writes them, whichever was written before', () => {
  const whole = valueWriter(FORM, { ...FORMS, timestamps: 'milliseconds' });
  const seconds = valueWriter(FORM, { ...FORMS, timestamps: 'seconds' });
  const furthest = 8_640_000_000_000_000;
  const instant = fc.oneof(
    fc.integer({ min: -furthest, max: furthest }),
    fc.integer({ min: -1e10, max: 1e10 }),
    fc.constantFrom(0, -1, 86_399_999, 86_400_000, -86_400_000, -furthest, furthest),
  );
  fc.assert(
    fc.property(instant, (at) => {
      const text = new Date(at).toISOString();
      assert.equal(whole(at), `"${text}"`);
      assert.equal(seconds(at), `"${text.slice(0, -5)}Z"`);
    }),
    { numRuns: 2000 },
  );
});
