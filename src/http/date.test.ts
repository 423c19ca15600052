import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpDate } from './date.ts';

const AT = Date.UTC(1994, 10, 6, 8, 49, 37);

test('a date of HTTP is read in each of its three forms', () => {
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])
    assert.equal(httpDate(text), AT, text);
  assert.equal(httpDate('Sun Nov 16 08:49:37 1994'), Date.UTC(1994, 10, 16, 8, 49, 37));
  assert.equal(httpDate('Thursday, 01-Jan-26 00:00:00 GMT'), Date.UTC(2026, 0, 1));
});

test('anything else is no date', () => {
  for (const text of [
    '',
    '1994',
    '1994-11-06T08:49:37Z',
    '784111777',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Wed, 31 Feb 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
  ])
    assert.equal(httpDate(text), null, text);
});
