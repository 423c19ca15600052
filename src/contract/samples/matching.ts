/** A node of a regular expression, with what is needed to generate a text that matches. */
type Node =
  | { readonly kind: 'chars'; readonly of: readonly string[] }
  | { readonly kind: 'sequence'; readonly of: readonly Node[] }
  | { readonly kind: 'either'; readonly of: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly least: number; readonly most: number };

const DIGITS = [...'1234567890'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: [...LETTERS, ...DIGITS],
  s: [' '],
};
/** Characters of many Unicode classes, the usual ones first. */
const OF_CLASSES = [...LETTERS, ...DIGITS, ...'ABCDEFGéßÉλαΛΩжяЖ日本アイ\u0663 .,-_!?()“”+=<>$€%'];
/** The largest number of optional repetitions. */
const FEW = 4;

/**
 * Generates a text that matches a pattern, a different one for each `n`; null if the syntax of the pattern is not
 * supported. The caller verifies that the text matches.
 */
export function matching(pattern: string, n: number): string | null {
  const reader = new Reader(pattern);
  const node = reader.either();
  return node && reader.ended ? textOf(node, { left: n + 1 }) : null;
}

/** Chooses by the next digit of the number, to the base of the number of choices. */
function chosen<T>(of: readonly T[], state: { left: number }): T | undefined {
  const one = of[state.left % of.length];
  state.left = Math.floor(state.left / of.length);
  return one;
}

function textOf(node: Node, state: { left: number }): string {
  switch (node.kind) {
    case 'chars':
      return chosen(node.of, state) ?? '';
    case 'sequence':
      // Assigns the lowest digits to the last nodes, so that consecutive texts differ at their end.
      return node.of
        .toReversed()
        .map((one) => textOf(one, state))
        .toReversed()
        .join('');
    case 'either': {
      const one = chosen(node.of, state);
      return one ? textOf(one, state) : '';
    }
    case 'repeat': {
      const times = Math.min(node.most, Math.max(node.least, FEW));
      return Array.from({ length: times }, () => textOf(node.of, state)).join('');
    }
  }
}

/** Whether a character is of a general category or a script; null for an unknown name. */
function unicodeTest(name: string): ((one: string) => boolean) | null {
  for (const property of [name, `Script=${name}`]) {
    try {
      const test = new RegExp(`^\\p{${property}}$`, 'u');
      return (one) => test.test(one);
    } catch {
      // The name is that of another property, or of none.
    }
  }
  return null;
}

class Reader {
  private readonly pattern: string;
  private at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get ended(): boolean {
    return this.at === this.pattern.length;
  }

  private get next(): string {
    return this.pattern.charAt(this.at);
  }

  either(): Node | null {
    const of: Node[] = [];
    for (;;) {
      const one = this.sequence();
      if (!one) return null;
      of.push(one);
      if (this.next !== '|') return of.length === 1 ? one : { kind: 'either', of };
      this.at++;
    }
  }

  private sequence(): Node | null {
    const of: Node[] = [];
    while (!this.ended && this.next !== '|' && this.next !== ')') {
      if (this.next === '^' || this.next === '$') {
        this.at++;
        continue;
      }
      const one = this.one();
      const repeated = one && this.repeated(one);
      if (!repeated) return null;
      of.push(repeated);
    }
    return { kind: 'sequence', of };
  }

  private one(): Node | null {
    const char = this.next;
    this.at++;
    if (char === '(') return this.group();
    if (char === '[') return this.charClass();
    if (char === '\\') return this.escape();
    if (char === '.') return { kind: 'chars', of: LETTERS };
    return '*+?{'.includes(char) ? null : { kind: 'chars', of: [char] };
  }

  private group(): Node | null {
    if (this.pattern.startsWith('?:', this.at)) this.at += 2;
    else if (this.next === '?') return null;
    const inside = this.either();
    if (this.next !== ')') return null;
    this.at++;
    return inside;
  }

  private escape(): Node | null {
    const char = this.next;
    this.at++;
    if (char === 'p' || char === 'P') return this.unicodeClass(char);
    const known = CLASSES[char];
    if (known) return { kind: 'chars', of: known };
    return /[A-Za-z0-9]/.test(char) ? null : { kind: 'chars', of: [char] };
  }

  /** A Unicode class by its general category or its script, such as `\pL` and `\p{Greek}`; or its negation, `\P{…}`. */
  private unicodeClass(char: 'p' | 'P'): Node | null {
    const [all = '', not = '', name = ''] = /^(?:\{(\^?)(\w+)\}|[A-Z])/.exec(this.pattern.slice(this.at)) ?? [];
    this.at += all.length;
    const isOne = unicodeTest(name || all);
    if (!isOne) return null;
    const of = OF_CLASSES.filter((one) => isOne(one) === ((char === 'p') === (not === '')));
    return of.length > 0 ? { kind: 'chars', of } : null;
  }

  /** A character class. A negated class (`[^…]`) allows the letters and digits that it does not list. */
  private charClass(): Node | null {
    const not = this.next === '^';
    if (not) this.at++;
    const of: string[] = [];
    while (this.next !== ']') {
      if (this.ended || this.next === '[') return null;
      const from = this.one();
      if (from?.kind !== 'chars') return null;
      if (this.next !== '-' || this.pattern.charAt(this.at + 1) === ']' || from.of.length > 1) {
        of.push(...from.of);
        continue;
      }
      this.at++;
      const to = this.one();
      const [first = '', last = ''] = [from.of[0], to?.kind === 'chars' ? to.of[0] : ''];
      for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) of.push(String.fromCharCode(code));
    }
    this.at++;
    const kept = not ? [...LETTERS, ...DIGITS].filter((one) => !of.includes(one)) : of;
    return kept.length ? { kind: 'chars', of: kept } : null;
  }

  private repeated(of: Node): Node | null {
    const rest = this.pattern.slice(this.at);
    const counted = /^(?:\{(\d+)(,?)(\d*)\}|[*+?])\??/.exec(rest);
    if (!counted) return rest.startsWith('{') ? null : of;
    const [all, least = '', comma, most = ''] = counted;
    this.at += all.length;
    if (all.startsWith('*')) return { kind: 'repeat', of, least: 0, most: FEW };
    if (all.startsWith('+')) return { kind: 'repeat', of, least: 1, most: FEW };
    if (all.startsWith('?')) return { kind: 'repeat', of, least: 0, most: 1 };
    const exact = Number(least);
    return { kind: 'repeat', of, least: exact, most: comma ? Number(most || exact + FEW) : exact };
  }
}
