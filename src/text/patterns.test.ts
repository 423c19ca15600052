import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from '../expression/library/patterns.ts';
import { Random } from '../verify/requests/random.ts';
import { patternNeeds } from './patterns.ts';

/** A random pattern over the letters a and b. */
function pattern(random: Random, depth: number): string {
  const atom = (): string => {
    if (depth > 0 && random.chance(0.3)) return `(${random.pick(['', '?:'])}${pattern(random, depth - 1)})`;
    return random.pick(['a', 'b', '[ab]', '[^a]', '.', '\\b', '^', '$']);
  };
  const repeated = (): string => `${atom()}${random.pick(['', '', '', '?', '*', '+', '{2}', '{0,1}', '{1,}?'])}`;
  const sequence = (): string => Array.from({ length: random.int(0, 3) }, repeated).join('');
  return Array.from({ length: random.int(1, 2) }, sequence).join('|');
}

/** All texts of a, b and c, and of up to six letters. */
const TEXTS = ((): string[] => {
  const all = [''];
  for (let i = 0; i < 364; i++) for (const letter of 'abc') all.push(`${all[i]}${letter}`);
  return all;
})();

test('what a pattern is said to need, every text has that it matches', () => {
  const seen = { never: 0, long: 0, atoms: 0 };
  for (let i = 0; i < 1200; i++) {
    const source = pattern(Random.of(20261127, i), 2);
    const needs = patternNeeds(source);
    assert.ok(needs, source);
    const found = TEXTS.filter((text) => matches(text, source));
    if (!needs.possible) {
      seen.never++;
      assert.deepEqual(found, [], source);
      continue;
    }
    if (needs.least > 0) seen.long++;
    for (const text of found) {
      assert.ok(text.length >= needs.least, `${source} is said to need ${needs.least}, and matches ${text}`);
      const missing: string[] = needs.atoms.filter((atom) => !matches(text, `(?:${atom})`));
      assert.deepEqual(missing, [], `${source} matches ${text}`);
      seen.atoms += needs.atoms.length;
    }
  }
  assert.ok(seen.never > 15 && seen.long > 300 && seen.atoms > 500, JSON.stringify(seen));
});

test('of what it does not know it says nothing', () => {
  for (const source of ['(?i)ab', '\\Qa^b\\E', '(?m)a$b', '\\Aa']) assert.equal(patternNeeds(source), null, source);
});
