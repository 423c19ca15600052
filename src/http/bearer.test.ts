import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/seeded.ts';
import { credential, schemeOnly } from './bearer.ts';

const BEARER = { scheme: 'Bearer' };

const CASES: Array<[string, string | null, boolean]> = [
  ['Bearer abc', 'abc', false],
  ['bearer abc', 'abc', false],
  ['BEARER abc', 'abc', false],
  ['bEaReR   abc', 'abc', false],
  ['Bearer aZ09-._~+/==', 'aZ09-._~+/==', false],
  ['Bearer Bearer', 'Bearer', false],
  ['Bearer', null, true],
  ['BEARER', null, true],
  ['Bearer ', null, true],
  ['', null, false],
  ['abc', null, false],
  ['Basic YTpi', null, false],
  ['Bearerabc', null, false],
  ['Beare abc', null, false],
  ['Bearer\tabc', null, false],
  ['Bearer,abc', null, false],
  ['Bearer \tabc', null, false],
  ['Bearer abc def', null, false],
  ['Bearer abc ', null, false],
  [' Bearer abc', null, false],
  ['Bearer abc,def', null, false],
  ['Bearer abc, Bearer abc', null, false],
  ['Basic YTpi, Bearer abc', null, false],
  ['Bearer =', null, false],
  ['Bearer a=b', null, false],
  ['Bearer a==b', null, false],
  ['Bearer "abc"', null, false],
  ['Bearer token=abc', null, false],
  ['Bearer a:b', null, false],
  ['Bearer a;b', null, false],
  ['Bearer a@b', null, false],
  ['Bearer a[b', null, false],
  ['Bearer a`b', null, false],
  ['Bearer a{b', null, false],
  ['Bearer é', null, false],
  ['Bearer a\u0000', null, false],
  ['Bea\u0332rer abc', null, false],
  ['Ⓑearer abc', null, false],
];
for (const [header, expected, only] of CASES) {
  test(JSON.stringify(header), () => {
    assert.equal(credential(header, BEARER), expected);
    assert.equal(schemeOnly(header, BEARER), only);
  });
}

test('any scheme', () => {
  assert.equal(credential('Token abc', { scheme: 'token' }), 'abc');
  assert.equal(credential('ApiKey abc', BEARER), null);
  // A letter and the control or sign 0x20 below it are different characters.
  assert.equal(credential('x@ abc', { scheme: 'x`' }), null);
  assert.equal(credential('Token1 abc', { scheme: 'Token\u0011' }), null);
});

test('takes token68 and nothing else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 4 }), fc.stringMatching(/^[a=+/ ,~]{0,6}$/)), (text) => {
      const expected = /^ *[A-Za-z0-9._~+/-]+=*$/.test(text) ? text.trimStart() : null;
      assert.equal(credential(`Bearer ${text}`, BEARER), expected);
    }),
    { numRuns: 1000 },
  );
});
