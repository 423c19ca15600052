import { ATOM, matchAt, PLACELESS, QUANTIFIER, UNKNOWN } from './patterns.ts';

/** An instruction of a pattern’s program, which reads a text from its start to its end. */
type Instruction =
  | { readonly kind: 'atom'; readonly atom: string }
  /** Goes on at several places, which are counted from this one. */
  | { readonly kind: 'split'; readonly by: readonly number[] }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' };

/** Whether an atom of a pattern, such as `a` or `[0-9]`, matches a character. */
type MatchesAtom = (atom: string, character: string) => boolean;

/** The most sets of places that are followed at once. */
const MOST_SETS = 1000;

/**
 * The first text that a pattern does not match, of all texts that have one of some characters at each place; null where
 * the pattern matches them all; undefined where this cannot be decided. As in RE2, a pattern matches anywhere in a text.
 */
export function unmatchedText(
  source: string,
  places: readonly string[],
  matchesAtom: MatchesAtom,
): string | null | undefined {
  if (UNKNOWN.test(source) || PLACELESS.some((one) => source.includes(one))) return undefined;
  const program = new Program(source);
  let sets = new Map([['', { text: '', at: program.from([], 0, places.length) }]]);
  for (const [i, characters] of places.entries()) {
    const next: typeof sets = new Map();
    for (const { text, at } of sets.values()) {
      if (program.isMatched(at)) continue;
      for (const character of characters) {
        const after = at.flatMap((pc) => {
          const one = program.instructions[pc];
          return one?.kind === 'atom' && matchesAtom(one.atom, character) ? [pc + 1] : [];
        });
        const to = program.from(after, i + 1, places.length);
        const key = to.join();
        if (!next.has(key)) next.set(key, { text: text + character, at: to });
      }
    }
    if (next.size > MOST_SETS) return undefined;
    sets = next;
  }
  return [...sets.values()].find(({ at }) => !program.isMatched(at))?.text ?? null;
}

/** A pattern as instructions (Thompson’s construction), with its repetitions written out. */
class Program {
  readonly instructions: readonly Instruction[];
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
    this.instructions = this.either();
  }

  isMatched(places: readonly number[]): boolean {
    return places.includes(this.instructions.length);
  }

  /** The places that are reached without a further character, in their order: a match may begin at each character. */
  from(places: readonly number[], read: number, length: number): number[] {
    const reached = new Set<number>();
    const open = [0, ...places];
    for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
      if (reached.has(pc)) continue;
      reached.add(pc);
      const one = this.instructions[pc];
      if (one?.kind === 'split') for (const by of one.by) open.push(pc + by);
      else if ((one?.kind === 'start' && read === 0) || (one?.kind === 'end' && read === length)) open.push(pc + 1);
    }
    return [...reached].sort((a, b) => a - b);
  }

  /** Alternatives, up to the end of their group. */
  private either(): readonly Instruction[] {
    const first = this.sequence();
    if (this.take(/\|/y) === null) return first;
    const others = this.either();
    return [split(1, first.length + 2), ...first, split(others.length + 1), ...others];
  }

  private sequence(): readonly Instruction[] {
    const out: Instruction[] = [];
    while (this.at < this.source.length && !['|', ')'].includes(this.source.charAt(this.at)))
      out.push(...this.repeated());
    return out;
  }

  private repeated(): readonly Instruction[] {
    const one = this.one();
    const quantifier = this.take(QUANTIFIER);
    if (quantifier === null) return one;
    const [least, most] = timesOf(quantifier);
    const needed = Array.from({ length: least }, () => one).flat();
    if (most === null) return [...needed, split(1, one.length + 2), ...one, split(-one.length - 1)];
    let optional: readonly Instruction[] = [];
    for (let i = least; i < most; i++) optional = [split(1, one.length + optional.length + 1), ...one, ...optional];
    return [...needed, ...optional];
  }

  private one(): readonly Instruction[] {
    const atom = this.take(ATOM) ?? '';
    if (atom === '^') return [{ kind: 'start' }];
    if (atom === '$') return [{ kind: 'end' }];
    if (atom !== '(') return [{ kind: 'atom', atom }];
    this.take(/\?(?::|P?<\w+>)/y);
    const group = this.either();
    this.take(/\)/y);
    return group;
  }

  private take(pattern: RegExp): string | null {
    const found = matchAt(pattern, this.source, this.at);
    if (found !== null) this.at += found.length;
    return found;
  }
}

const split = (...by: readonly number[]): Instruction => ({ kind: 'split', by });

/** How often a part occurs, by its quantifier; null for any number of times. */
function timesOf(quantifier: string): readonly [least: number, most: number | null] {
  const [, least, comma, most] = /^\{(\d+)(,)?(\d*)\}/.exec(quantifier) ?? [];
  if (least !== undefined) return [Number(least), !comma ? Number(least) : most ? Number(most) : null];
  return quantifier.startsWith('?') ? [0, 1] : [quantifier.startsWith('+') ? 1 : 0, null];
}
