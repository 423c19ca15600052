import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/seeded.ts';
import { uuidBytes } from './uuid.ts';

test('a UUID is its 16 bytes, in either case', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), (uuid, upper) => {
      const bytes = uuidBytes(upper ? uuid.toUpperCase() : uuid);
      assert.equal(bytes?.toString('hex'), uuid.replaceAll('-', ''));
    }),
  );
});

test('text that is no UUID has no bytes', () => {
  const uuid = '01234567-89ab-cdef-0123-456789abcdef';
  const others = [
    '',
    uuid.slice(1),
    `${uuid}0`,
    uuid.replaceAll('-', ''),
    uuid.replaceAll('-', '0'),
    '0123456-789ab-cdef-0123-456789abcdef',
    ...Array.from(uuid, (_, at) => `${uuid.slice(0, at)}g${uuid.slice(at + 1)}`),
    ...Array.from(uuid, (_, at) => `${uuid.slice(0, at)}é${uuid.slice(at + 1)}`),
    ...Array.from(uuid, (_, at) => `${uuid.slice(0, at)}\u0130${uuid.slice(at + 1)}`),
  ];
  for (const other of others) assert.equal(uuidBytes(other), null, other);
});
