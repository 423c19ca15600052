import { matches } from '../../expression/library/patterns.ts';
import { type Expr, isDraw } from '../../expression/tree/expression.ts';
import { foldCase } from '../../expression/tree/fold.ts';
import { alphabetOf } from '../../expression/values/random.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import { unmatchedText } from '../../text/pattern-program.ts';
import { computedValidator } from '../../validation/validate.ts';

/** With so many random bits, no two rows receive the same text: among 100 million rows, 3 times in 10,000. */
export const LEAST_BITS = 64;

type Call = Extract<Expr, { op: 'call' }>;

export const isRandomText = (expr: Expr): boolean => expr.op === 'call' && expr.fn === 'random';

/** The characters and the length of a `random(…)`. */
function drawnBy({ args }: Call): { readonly alphabet: string; readonly length: number } {
  const [text = null, length = null] = args.map((arg) => (arg.op === 'const' ? arg.value : null));
  return { alphabet: alphabetOf(String(text)) ?? '', length: Number(length) };
}

/**
 * The random bits in a text: with n of them, two rows receive the same text once in 2^n times. Infinite for UUIDs and
 * secrets, whose standards make them unique.
 */
export function randomBits(expr: Expr, ignoringCase = false): number {
  if (expr.op === 'if') return Math.min(randomBits(expr.then, ignoringCase), randomBits(expr.else, ignoringCase));
  if (expr.op !== 'call') return 0;
  if (expr.fn === '+' && expr.type.kind === 'string')
    return expr.args.reduce((sum, part) => sum + randomBits(part, ignoringCase), 0);
  if (!isRandomText(expr)) return isDraw(expr) ? Number.POSITIVE_INFINITY : 0;
  const { alphabet, length } = drawnBy(expr);
  return length * bitsOfCharacter(ignoringCase ? foldCase(alphabet) : alphabet);
}

/** How unlikely it is that two characters are the same (the collision entropy), where some of them occur twice. */
function bitsOfCharacter(characters: string): number {
  const counts = new Map<string, number>();
  for (const one of characters) counts.set(one, (counts.get(one) ?? 0) + 1);
  return -Math.log2([...counts.values()].reduce((sum, count) => sum + (count / characters.length) ** 2, 0));
}

/** The characters that may be at each place of a text, for each of the forms that it may have. */
type Forms = ReadonlyArray<readonly string[]>;

const NO_CHARACTERS: Forms = [[]];
/** The most forms of one text: each `? :` in it doubles them. */
const MOST_FORMS = 64;

/** The forms of a text; null where that is open. */
function formsOf(expr: Expr): Forms | null {
  if (expr.op === 'const') return typeof expr.value === 'string' ? [[...expr.value]] : null;
  if (expr.op === 'if') {
    const [yes, no] = [formsOf(expr.then), formsOf(expr.else)];
    return yes && no && [...yes, ...no];
  }
  if (expr.op !== 'call') return null;
  if (isRandomText(expr)) {
    const { alphabet, length } = drawnBy(expr);
    return [Array.from({ length }, () => alphabet)];
  }
  if (expr.fn !== '+' || expr.type.kind !== 'string') return null;
  const parts = expr.args.map(formsOf);
  return parts.reduce<Forms | null>((before, part) => {
    const isKnown = before && part && before.length * part.length <= MOST_FORMS;
    return isKnown ? before.flatMap((a) => part.map((b) => [...a, ...b])) : null;
  }, NO_CHARACTERS);
}

/** A text that an expression with random text may give, and that a rule refuses; null where there is none. */
export function refusedText(rule: ValueRule, value: Expr): string | null {
  const fault = computedValidator(rule);
  for (const places of formsOf(value) ?? []) {
    const refused =
      samplesOf(places).find((text) => 'fault' in fault(text)) ??
      (rule.pattern && unmatchedText(rule.pattern, places, matchesAtom));
    if (typeof refused === 'string') return refused;
  }
  return null;
}

const matchesAtom = (atom: string, character: string): boolean => matches(character, `^(?:${atom})$`);

/** Texts in which each character is at each place at least once. */
function samplesOf(places: readonly string[]): string[] {
  const most = Math.max(1, ...places.map((one) => one.length));
  return Array.from({ length: most }, (_, i) => i).flatMap((i) => [
    places.map((one) => one.charAt(i % one.length)).join(''),
    places.map((one, at) => one.charAt((i + at) % one.length)).join(''),
  ]);
}
