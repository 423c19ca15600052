import assert from 'node:assert/strict';
import { createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Mac, Sealed } from './sealed.ts';

const secret = randomBytes(32);
const sealed = new Sealed(secret, 'one');

test('what was sealed for a context is opened with it and the same secret, and by nothing else', () => {
  for (const text of ['', 'a', 'é\0😀', ' '.repeat(16), 'ß'.repeat(10_000)])
    for (const context of ['', '[1]', 'ß'.repeat(1000)]) {
      const one = sealed.seal(context, text);
      assert.equal(sealed.open(context, one), text);
      assert.equal(new Sealed(secret, 'one').open(context, one), text);
      assert.equal(new Sealed(secret, 'two').open(context, one), null);
      assert.equal(new Sealed(randomBytes(32), 'one').open(context, one), null);
      assert.equal(sealed.open(`${context}x`, one), null);
    }
});

test('the same text is sealed alike, and another differs everywhere', () => {
  const [a, b] = ['x'.repeat(999), `${'x'.repeat(998)}y`].map((text) => sealed.seal('', text));
  assert.equal(sealed.seal('', 'x'.repeat(999)), a);
  const [one, other] = [a!, b!].map((text) => Buffer.from(text, 'base64url'));
  const alike = one!.filter((byte, i) => byte === other![i]).length;
  assert.ok(alike < 30, `${alike} of ${one!.length} bytes are alike`);
});

test('no other text is opened: bits turned over, cut short, longer, padded, with stray bits', () => {
  for (const text of ['', 'a', 'ab', 'abc']) {
    const one = sealed.seal('x', text);
    const bytes = Buffer.from(one, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const other = Buffer.from(bytes);
      other[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(sealed.open('x', other.toString('base64url')), null);
    }
    for (let length = 0; length < one.length; length++) assert.equal(sealed.open('x', one.slice(0, length)), null);
    const last = one.charCodeAt(one.length - 1);
    for (const other of [
      `${one}A`,
      `${one}=`,
      `${one}==`,
      ` ${one}`,
      `${one}\n`,
      one.slice(0, -1) + String.fromCharCode(last + 1),
    ])
      assert.equal(sealed.open('x', other), null, other);
  }
});

test('the cipher is AES-256 in counter mode, over counters that overflow too', () => {
  const key = createHmac('sha256', secret).update('one: encryption').digest();
  for (let i = 0; i < 300; i++) {
    const text = `${i}`.padEnd(1 + ((i * 37) % 3000), 'é');
    const bytes = Buffer.from(sealed.seal('', text), 'base64url');
    const plain = createDecipheriv('aes-256-ctr', key, bytes.subarray(0, 16)).update(bytes.subarray(16));
    assert.equal(plain.toString(), text);
  }
});

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
