import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { alphabetOf, randomText } from './random.ts';

test('an alphabet is ranges and characters, each once', () => {
  assert.equal(alphabetOf('0-9a-f'), '0123456789abcdef');
  assert.equal(alphabetOf('A-CX'), 'ABCX');
  assert.equal(alphabetOf('-01'), '-01');
  assert.equal(alphabetOf('01-'), '01-');
  assert.equal(alphabetOf('ab'), 'ab');
  assert.equal(alphabetOf('!-#'), '!-#');
  for (const wrong of [
    '',
    'a',
    'aa',
    'a-zb',
    'z-a',
    'a-a',
    '0-z',
    'A-z',
    'a b',
    'aé',
    'a-z0-9a-c',
    '😀x',
    'a\n',
    '0-9-a-z-',
  ])
    assert.equal(alphabetOf(wrong), null, wrong);
});

test('each character of an alphabet is drawn as often as any other', () => {
  for (const text of ['0-9', '0-9a-z', '01', '0-9A-Za-z', 'a-e']) {
    const alphabet = alphabetOf(text) ?? '';
    const draws = 40_000;
    const counts = new Map<string, number>();
    const drawn = randomText(alphabet, draws);
    assert.equal(drawn.length, draws);
    for (const one of drawn) counts.set(one, (counts.get(one) ?? 0) + 1);
    const expected = draws / alphabet.length;
    const chi = [...alphabet].reduce((sum, one) => sum + ((counts.get(one) ?? 0) - expected) ** 2 / expected, 0);
    // Eight standard deviations above the mean of the distribution: a modulo of the byte would exceed this.
    const degrees = alphabet.length - 1;
    assert.ok(chi < degrees + 8 * Math.sqrt(2 * degrees), `${text}: ${chi}`);
  }
});

test('bytes that would favour some characters are drawn again', () => {
  const bytes = [Buffer.from([255, 250, 9]), Buffer.from([249, 10])];
  assert.equal(
    randomText('0123456789', 3, () => bytes.shift() ?? randomBytes(1)),
    '990',
  );
});
