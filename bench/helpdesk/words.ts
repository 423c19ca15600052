/** A generator of numbers that a seed fixes (mulberry32). */
export function numbers(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let t = Math.imul(at ^ (at >>> 15), 1 | at);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LETTERS = 'bcdfghklmnprstvz';
const VOWELS = 'aeiou';
const WORDS = 5000;

/** The word with a number. */
export function wordOf(number: number): string {
  let out = '';
  for (let rest = number + 100; rest > 0; rest = Math.floor(rest / (LETTERS.length * VOWELS.length)))
    out += LETTERS[rest % LETTERS.length]! + VOWELS[Math.floor(rest / LETTERS.length) % VOWELS.length]!;
  return out;
}

/** A text of words, of which the word with the number n is about n times as rare as the first (Zipf). */
export const textOf = (count: number, random: () => number): string =>
  Array.from({ length: count }, () => wordOf(Math.min(WORDS - 1, Math.floor(WORDS ** random()) - 1))).join(' ');
