import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Mac } from './mac.ts';

const hex = (key: Buffer, text: string): string => Buffer.from(new Mac(key).of(text), 'latin1').toString('hex');

test('codes are those of RFC 4231', () => {
  assert.equal(
    hex(Buffer.alloc(20, 0x0b), 'Hi There'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  );
  assert.equal(
    hex(Buffer.from('Jefe'), 'what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('codes are those of createHmac, for keys and texts of any length', () => {
  for (const size of [0, 1, 31, 32, 63, 64]) {
    const key = randomBytes(size);
    const mac = new Mac(key);
    for (const text of ['', 'a', 'é\0😀', 'x'.repeat(63), 'ß'.repeat(100_000)])
      assert.equal(mac.of(text), createHmac('sha256', key).update(text).digest('latin1'));
  }
  assert.throws(() => new Mac(randomBytes(65)), RangeError);
});
