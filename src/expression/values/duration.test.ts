import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/seeded.ts';
import { isoDuration, showIsoDuration } from './duration.ts';

test('a duration that is shown is read as the same', () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (length) => assert.equal(isoDuration(showIsoDuration(length)), length)));
});

test('durations of ISO 8601 in days or less', () => {
  const known: ReadonlyArray<readonly [text: string, milliseconds: number, shown: string]> = [
    ['PT0S', 0, 'PT0S'],
    ['P0D', 0, 'PT0S'],
    ['-PT0S', 0, 'PT0S'],
    ['PT24H', 86_400_000, 'P1D'],
    ['P2W', 14 * 86_400_000, 'P14D'],
    ['PT90M', 5_400_000, 'PT1H30M'],
    ['PT1H1S', 3_601_000, 'PT1H1S'],
    ['P1DT12H30M5.25S', 131_405_250, 'P1DT12H30M5.25S'],
    ['-PT36H', -129_600_000, '-P1DT12H'],
    ['PT0.001S', 1, 'PT0.001S'],
  ];
  for (const [text, milliseconds, shown] of known) {
    assert.equal(isoDuration(text), milliseconds, text);
    assert.equal(showIsoDuration(milliseconds), shown);
  }
});

test('what has no fixed length, or is no duration, is none', () => {
  const none = [
    '',
    'P',
    'PT',
    'P1DT',
    'T1H',
    '1D',
    'P1Y',
    'P1M',
    'P1M1D',
    'P1W1D',
    'PT1H1H',
    'PT1S1M',
    'pt1h',
    'P1H',
    'PT1D',
  ];
  const odd = ['P1.5D', 'PT1.S', 'PT.5S', 'PT1,5S', 'PT0.0001S', 'P-1D', '+P1D', ' P1D', 'P1D ', 'P1D\n', 'P９D'];
  for (const text of [...none, ...odd, `P${'9'.repeat(100_000)}D`, 'P999999999999D'])
    assert.equal(isoDuration(text), null, text.slice(0, 20));
});
