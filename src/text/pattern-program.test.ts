import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unmatchedText } from './pattern-program.ts';

const matchesAtom = (atom: string, character: string): boolean => new RegExp(`^(?:${atom})$`).test(character);

const textsOf = (places: readonly string[]): string[] =>
  places.reduce((texts, one) => texts.flatMap((text) => [...one].map((character) => text + character)), ['']);

const pattern: fc.Arbitrary<string> = fc.letrec<{ either: string; sequence: string; repeated: string; one: string }>(
  (tie) => ({
    either: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((all) => all.join('|')),
    sequence: fc.array(tie('repeated'), { maxLength: 4 }).map((all) => all.join('')),
    repeated: fc
      .tuple(tie('one'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{2,}', '{0,1}', '*?'))
      .map(([one, times]) => (/^[\^$]/.test(one) ? one : one + times)),
    one: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\d', '^', '$'),
      tie('either').map((inner) => `(?:${inner})`),
    ),
  }),
).either;

test('a text is found that a pattern does not match, wherever there is one', () => {
  fc.assert(
    fc.property(pattern, fc.array(fc.constantFrom('a', 'ab', 'b1', 'abc'), { maxLength: 5 }), (source, places) => {
      const matched = new RegExp(source);
      const found = unmatchedText(source, places, matchesAtom);
      const unmatched = textsOf(places).filter((text) => !matched.test(text));
      assert.notEqual(found, undefined);
      if (typeof found === 'string') assert.ok(unmatched.includes(found), `${found} matches ${source}`);
      else assert.deepEqual(unmatched, [], source);
    }),
    { numRuns: 3000 },
  );
});

test('long texts and patterns of identifiers', () => {
  const places = [...[...'pay_'], ...Array.from({ length: 24 }, () => '0123456789abcdefghijklmnopqrstuvwxyz')];
  assert.equal(unmatchedText('^pay_[0-9a-z]{24}$', places, matchesAtom), null);
  assert.match(unmatchedText('^pay_[0-9a-y]{24}$', places, matchesAtom) ?? '', /^pay_[0-9a-z]{23}z$/);
  assert.equal(unmatchedText('^pay_[0-9a-z]{1,30}$', places, matchesAtom), null);
  assert.equal(typeof unmatchedText('^pay_[0-9a-z]{23}$', places, matchesAtom), 'string');
  assert.equal(unmatchedText('(?i)^PAY', places, matchesAtom), undefined);
});
