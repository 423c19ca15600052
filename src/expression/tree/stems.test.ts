import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemmed } from '../../verify/requests/stemmed-words.ts';
import { stemmerOf } from './stems.ts';
import { LANGUAGES } from './word-form.ts';
import { storedWords } from './words.ts';

test('each language has a stemmer, and two words with one stem', () => {
  for (const language of LANGUAGES) {
    const [a, b] = stemmed({ accents: 'ignored', language }).map(stemmerOf(language));
    assert.equal(a, b, language);
  }
});

test('stems are words: the stores find them as such', () => {
  const letters =
    'abcdefghijklmnopqrstuvwxyzäöüßéèêàçñøåœ0123456789абвгдежзиклмнопрстуфцчшщъыьэюяαβγδεσאבגאبتثلميիկաստநக்தம்';
  let seed = 1;
  const next = (most: number): number => {
    seed = (seed * 48271) % 2147483647;
    return seed % most;
  };
  for (const language of LANGUAGES) {
    const stemmer = stemmerOf(language);
    for (let i = 0; i < 300; i++) {
      const word = Array.from(
        { length: 1 + next(i % 30 === 0 ? 100 : 10) },
        () => [...letters][next(letters.length)] ?? 'a',
      );
      const stem = stemmer(`a${word.join('')}`);
      assert.match(stem, /^[\p{L}\p{N}\p{M}]+$/v, `${language}: ${word.join('')}`);
      assert.equal(stem, stem.toLowerCase(), `${language}: ${word.join('')}`);
    }
  }
});

test('the stem of a word stands before the word as it is written', () => {
  assert.equal(storedWords('The Books', { accents: 'distinct', language: 'English' }), ' the  ·the  book  ·books ');
  assert.equal(storedWords('The Books', { accents: 'distinct' }), ' the  books ');
});
