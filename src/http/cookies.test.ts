import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieIn, isFromOrigin } from './cookies.ts';
import { header } from './headers.ts';

test('a cookie is found by its exact name, whatever stands around it', () => {
  for (const [sent, found] of [
    ['s=1', '1'],
    ['a=b; s=1; c', '1'],
    ['a=b;s=1', '1'],
    ['a=b;\ts = 1 ;', '1'],
    ['s=1=2', '1=2'],
    ['s="1"', '"1"'],
    ['s=', ''],
    ['s', ''],
    ['', undefined],
    ['S=1', undefined],
    ['ss=1; s1=1', undefined],
    ['a=b, s=1', undefined],
    ['=s=1', undefined],
    // Only spaces and tabs are white space in a header: another host may set a cookie of such a name.
    ['\u00a0s=1', undefined],
    ['s\u0085=1; s=2', '2'],
    ['s=1; s=1', null],
    ['s=1; s', null],
    ['s; S=1; s=', null],
  ] as const)
    assert.equal(cookieIn(sent, 's'), found, sent);
});

test('several headers with cookies are one', () => {
  const raw = ['Cookie', 'a=1', 'Host', 'x', 'cookie', 's=2'];
  assert.equal(header(raw, 'cookie'), 'a=1; s=2');
  assert.equal(cookieIn(header([...raw, 'COOKIE', 's=3'], 'cookie')!, 's'), null);
});

test('an origin is proved by Origin, and by Sec-Fetch-Site where there is none', () => {
  const own = 'https://service.example';
  const is = (origin?: string, site?: string): boolean =>
    isFromOrigin((name) => (name === 'origin' ? origin : site), own, ['https://app.example']);
  assert.deepEqual(
    [is(own), is('https://app.example'), is(undefined, 'same-origin'), is(own, 'cross-site')],
    [true, true, true, true],
  );
  for (const [origin, site] of [
    [undefined, undefined],
    [undefined, 'same-site'],
    [undefined, 'none'],
    [undefined, 'same-origin, same-origin'],
    ['null', 'same-origin'],
    ['', 'same-origin'],
    [`${own}:443`, undefined],
    [`${own}/`, undefined],
    [own.toUpperCase(), undefined],
    [`${own}, ${own}`, undefined],
  ] as const)
    assert.equal(is(origin, site), false, `${origin} ${site}`);
  assert.equal(
    isFromOrigin(() => 'null', null, []),
    false,
  );
});
