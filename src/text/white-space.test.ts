import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trimWhiteSpace } from './white-space.ts';

const CHARACTERS = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));

test('what has the property White_Space goes from both ends, and nothing else does', () => {
  for (const one of CHARACTERS) {
    const isWhite = /\p{White_Space}/u.test(one);
    assert.equal(trimWhiteSpace(`${one}a${one}b${one}`), isWhite ? `a${one}b` : `${one}a${one}b${one}`);
    assert.equal(trimWhiteSpace(one), isWhite ? '' : one);
  }
});

test('text of white space alone is empty, however long it is', () => {
  assert.equal(trimWhiteSpace(' \u0085'.repeat(500_000)), '');
});
