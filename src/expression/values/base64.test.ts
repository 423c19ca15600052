import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64Bytes, base64urlBytes, isBase64url } from './base64.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

test('what an encoder writes is read, of any length', () => {
  for (let length = 0; length < 70; length++)
    for (const fill of [0, 0x5a, 0xfb, 0xff]) {
      const bytes = Buffer.alloc(length, fill);
      assert.deepEqual(base64Bytes(bytes.toString('base64')), bytes);
      assert.deepEqual(base64urlBytes(bytes.toString('base64url')), bytes);
    }
});

test('every byte string has one text, and no other is read', () => {
  // All texts of up to four characters: each accepted text must be the encoding of its bytes.
  for (const alphabet of [`${LETTERS}+/=-_ \n`, `${LETTERS}-_=`]) {
    const some = [...alphabet].filter((_, i) => i % 3 === 0 || i > 61);
    for (const a of some)
      for (const b of ['', ...some])
        for (const c of ['', ...some])
          for (const text of [a + b + c, `AAAA${a}${b}${c}`, `${a}${b}${c}=`, `${a}${b}==`]) {
            const url = base64urlBytes(text);
            assert.equal(isBase64url(text), Buffer.from(text, 'base64url').toString('base64url') === text, text);
            assert.equal(url !== null, isBase64url(text));
            assert.equal(base64Bytes(text) !== null, Buffer.from(text, 'base64').toString('base64') === text, text);
          }
  }
});

test('padding, stray bits, white space and the other alphabet are refused', () => {
  for (const text of ['AA==', 'AB', 'AAB', 'A', ' AA', 'AA\n', 'A+A', 'A/AA', 'é', 'AAAA=', 'A\0AA'])
    assert.equal(base64urlBytes(text), null, JSON.stringify(text));
  for (const text of ['AA', 'AB==', 'AAB=', 'AAA', 'AA==\n', '-AAA', '_AAA', 'AA==AAAA', '=', '===='])
    assert.equal(base64Bytes(text), null, JSON.stringify(text));
});
