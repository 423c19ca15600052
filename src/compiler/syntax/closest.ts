import { distance, nearest } from '../../text/suggest.ts';
import type { Token } from './phrase.ts';
import type { Span } from './span.ts';

/** An option that comes near to what is written, and the stretch that would be replaced by it. */
interface Closest extends Span {
  readonly option: string;
  /** Whether it is near enough to be what was meant: else it only shows how far the text was understood. */
  readonly meant: boolean;
}

/** The option that some tokens come nearest to; of several that begin alike and then break off, none was meant. */
export function closest(tokens: readonly Token[], options: readonly string[]): Closest | null {
  const found = options.flatMap((option) => compared(tokens, option) ?? []).sort((a, b) => a.cost - b.cost);
  const [best, other] = found;
  if (!best) return null;
  return best.cost >= BROKEN_OFF && other?.cost === best.cost ? { ...best, meant: false } : best;
}

/** The least cost of an option that starts right and then breaks off; each word that is right makes it less. */
const BROKEN_OFF = 1000;

function compared(tokens: readonly Token[], option: string): (Closest & { readonly cost: number }) | null {
  const [first] = tokens;
  let cost = 0;
  let last: Token | undefined;
  let same = 0;
  for (const [i, word] of phraseWords(option).entries()) {
    const token = tokens[i];
    const d = token && token.kind !== 'code' ? reach(token.text, word) : null;
    if (d === null || !token || !first) {
      // A phrase that starts right and then breaks off is still the likeliest one.
      const broken = i > 0 && cost === 0 && token && first;
      if (!broken) return null;
      return { option, from: first.from, to: token.to, cost: 2 * BROKEN_OFF - i, meant: same > 1 };
    }
    if (token.kind === 'word' && d === 0) same++;
    last = token;
    cost += d;
  }
  return first && last && cost > 0 ? { option, from: first.from, to: last.to, cost, meant: true } : null;
}

/** The distance between a word as written and one of the language, or null when it is out of reach. */
function reach(found: string, word: string): number | null {
  if (found === word) return 0;
  if (found.toLowerCase() === word.toLowerCase()) return 0.5;
  // Of a single letter or mark, nothing is left that could tell what was meant.
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
