import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldCase } from './fold.ts';

/** Every character with upper, lower or title case. */
function cased(): string[] {
  const out: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    if (character.toUpperCase() !== character || character.toLowerCase() !== character) out.push(character);
  }
  return out;
}

test('characters are folded as regular expressions that ignore case fold them', () => {
  const all = cased();
  const folded = new Map<string, string[]>();
  for (const one of all) folded.set(foldCase(one), [...(folded.get(foldCase(one)) ?? []), one]);
  const text = all.join('');
  assert.ok(all.length > 2500);
  for (const one of all) {
    // The flags `iu` of ECMAScript use Unicode’s simple case folding, through another implementation.
    const same = text.match(new RegExp(`\\u{${one.codePointAt(0)!.toString(16)}}`, 'giu')) ?? [];
    assert.deepEqual(folded.get(foldCase(one)), same, one);
  }
});

test('texts are the same ignoring case', () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ['Ada-99', 'ADA-99'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['Ǆ', 'ǅ'],
    ['ẞ', 'ß'],
    ['\u{10400}', '\u{10428}'],
    ['K', '\u212a'],
  ];
  for (const [a, b] of same) assert.equal(foldCase(a), foldCase(b), a);
  const apart: ReadonlyArray<readonly [string, string]> = [
    ['ß', 'SS'],
    ['é', 'e\u0301'],
    ['ı', 'i'],
    ['İ', 'i'],
    ['a', 'á'],
    ['ﬁ', 'fi'],
  ];
  for (const [a, b] of apart) assert.notEqual(foldCase(a), foldCase(b), a);
  assert.equal(foldCase('\ud800a'), '\ud800a');
});
