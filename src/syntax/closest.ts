import { distance, nearest } from '../text/suggest.ts';
import type { Span } from './span.ts';
import type { Token } from './tokens.ts';

/** The option nearest to the written text, and the stretch of text that it would replace. */
interface Closest extends Span {
  readonly option: string;
  /**
   * Whether the option is so near that the author probably meant it; otherwise the option only shows how far the text
   * was understood.
   */
  readonly meant: boolean;
}

/**
 * The option that is nearest to some tokens. If several options begin with the same words and the text ends after
 * these, none counts as meant.
 */
export function closest(tokens: readonly Token[], options: readonly string[]): Closest | null {
  const found = options.flatMap((option) => compared(tokens, option) ?? []).sort((a, b) => a.cost - b.cost);
  const [best, other] = found;
  if (!best) return null;
  return best.cost >= BROKEN_OFF && other?.cost === best.cost ? { ...best, meant: false } : best;
}

/** The least cost of an option that starts right and then breaks off; each word that is right makes it less. */
const BROKEN_OFF = 1000;

function compared(tokens: readonly Token[], option: string): (Closest & { readonly cost: number }) | null {
  const words = phraseWords(option);
  const differing: number[] = [];
  let cost = 0;
  let same = 0;
  for (const [i, word] of words.entries()) {
    const token = tokens[i];
    const d = token && token.kind !== 'code' ? reach(token.text, word) : null;
    if (d === null || !token) return i > 0 && cost === 0 ? brokenOff(tokens, option, i, same) : null;
    if (token.kind === 'word' && d === 0) same++;
    if (d > 0) differing.push(i);
    cost += d;
  }
  const [first, last] = [differing[0], differing.at(-1)];
  if (first === undefined || last === undefined) return null;
  const [from, to] = [tokens[first]?.from, tokens[last]?.to];
  // Only the words that differ are replaced.
  const meant = textOf(words.slice(first, last + 1));
  return from === undefined || to === undefined ? null : { option: meant, from, to, cost, meant: true };
}

/** A phrase that starts right and then breaks off is still the likeliest one: it is replaced from its first word. */
function brokenOff(tokens: readonly Token[], option: string, i: number, same: number) {
  const [first, token] = [tokens[0], tokens[i]];
  if (!first || !token) return null;
  return { option, from: first.from, to: token.to, cost: 2 * BROKEN_OFF - i, meant: same > 1 };
}

/** Joins words and punctuation into a phrase, without spaces before punctuation. */
const textOf = (words: readonly string[]): string => words.join(' ').replace(/ ([,;:.])/g, '$1');

/** The distance between a word as written and one of the language, or null when it is out of reach. */
function reach(found: string, word: string): number | null {
  if (found === word) return 0;
  if (found.toLowerCase() === word.toLowerCase()) return 0.5;
  // A single letter or mark is too short to show which word was meant.
  if (found.length === 1) return null;
  return nearest(found, [word]) === null ? null : distance(found.toLowerCase(), word.toLowerCase(), 4);
}

/** The words and marks of a phrase of the language, as tokens of a document have them. */
export function phraseWords(phrase: string): string[] {
  const out: string[] = [];
  for (const word of phrase.split(' ')) {
    const marked = word.length > 1 && ',;:.'.includes(word.slice(-1));
    if (marked) out.push(word.slice(0, -1), word.slice(-1));
    else if (word !== '') out.push(word);
  }
  return out;
}
