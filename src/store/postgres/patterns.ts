import { StoreError } from '../store.ts';

/** The special characters of patterns. */
const SPECIAL = /[\\^$.|?*+()[\]{}]/;
/** Character classes by their letter (RE2 syntax, “Perl character classes”), with ASCII characters only. */
const CLASSES: Readonly<Record<string, string>> = { d: '0-9', s: '\\t\\n\\f\\r ', w: '0-9A-Za-z_' };
const NAMED: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\u0001-\\u007F',
  blank: '\\t ',
  cntrl: '\\u0001-\\u001F\\u007F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\\u0007',
  f: '\\f',
  n: '\\n',
  r: '\\r',
  t: '\\t',
  v: '\\v',
  A: '\\A',
  z: '\\Z',
  b: '(?:(?<![0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?![0-9A-Za-z_]))',
  B: '(?:(?<![0-9A-Za-z_])(?![0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_]))',
};
/** The largest repetition count of PostgreSQL (documentation, “Regular Expression Quantifiers”). */
const MOST_REPEATS = 255;

/**
 * Converts a pattern from RE2 syntax to one of PostgreSQL that matches the same strings. Throws an error with the name
 * of a construct that PostgreSQL cannot express. Greediness is irrelevant: only whether a string matches counts, not
 * where.
 */
export function postgresPattern(source: string): string {
  const reading = new Reading(source);
  return `***:${reading.all()}`;
}

class Reading {
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  all(): string {
    let out = '';
    while (this.at < this.source.length) out += this.piece();
    return out;
  }

  private refuse(what: string): never {
    throw new StoreError(
      'failed',
      `matches("${this.source}") cannot be computed by PostgreSQL: ${what} has another meaning there. Write the pattern without it, or store the rows in SQLite, with --data.`,
    );
  }

  private character(): string {
    const one = String.fromCodePoint(this.source.codePointAt(this.at)!);
    this.at += one.length;
    return one;
  }

  private piece(): string {
    const one = this.character();
    switch (one) {
      case '.':
        return '[^\\n]';
      case '(':
        return this.group();
      case '[':
        return this.set();
      case '\\':
        return this.escape(false);
      case '{':
        return this.repeats();
      case '^':
        return '\\A';
      case '$':
        return '\\Z';
      default:
        return SPECIAL.test(one) && !'|?*+)'.includes(one) ? `\\${one}` : one;
    }
  }

  private group(): string {
    const named = /^\?(?:P?<\w+>)/.exec(this.source.slice(this.at));
    if (named) this.at += named[0].length;
    else if (this.source.startsWith('?:', this.at)) this.at += 2;
    else if (this.source[this.at] === '?') this.refuse('a flag');
    return '(?:';
  }

  private repeats(): string {
    const counted = /^(\d+)(?:,(\d*))?\}/.exec(this.source.slice(this.at));
    if (!counted) return '\\{';
    if (Number(counted[1]) > MOST_REPEATS || Number(counted[2] ?? 0) > MOST_REPEATS)
      this.refuse(`a count above ${MOST_REPEATS}`);
    this.at += counted[0].length;
    return `{${counted[0]}`;
  }

  /** Converts the escape that follows a backslash; `inside` is true within a bracket expression. */
  private escape(inside: boolean): string {
    const one = this.character();
    const lower = one.toLowerCase();
    if (Object.hasOwn(CLASSES, lower)) {
      if (one === lower) return inside ? CLASSES[lower]! : `[${CLASSES[lower]}]`;
      return inside ? complement(lower) : `[^${CLASSES[lower]}]`;
    }
    if (one === 'x') {
      const code = /^(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(this.source.slice(this.at));
      if (!code) this.refuse('\\x');
      this.at += code[0].length;
      return `\\U${(code[1] ?? code[2])!.padStart(8, '0')}`;
    }
    if (one === 'p' || one === 'P') return this.property(one === 'P', inside);
    if (Object.hasOwn(ESCAPES, one) && !(inside && /[AzbB]/.test(one))) return ESCAPES[one]!;
    if (/[0-9A-Za-z]/.test(one)) this.refuse(`\\${one}`);
    return `\\${one}`;
  }

  private property(negated: boolean, inside: boolean): string {
    const named = /^(?:\{(\^?)(\w+)\}|(\w))/.exec(this.source.slice(this.at));
    if (!named) this.refuse('\\p');
    this.at += named[0].length;
    const ranges = rangesOf(named[2] ?? named[3]!, negated !== (named[1] === '^'));
    if (ranges === null) this.refuse(`\\p${named[0]}`);
    return inside ? ranges : `[${ranges}]`;
  }

  private set(): string {
    let out = '[';
    if (this.source[this.at] === '^') {
      this.at += 1;
      out += '^';
    }
    for (let first = true; this.source[this.at] !== ']' || first; first = false) {
      const one = this.character();
      if (one === '\\') out += this.escape(true);
      else if (one === '[' && this.source[this.at] === ':') out += this.named();
      // A hyphen between two members is a range in both syntaxes; anywhere else it is a literal hyphen.
      else if (one === '-' && !first && this.source[this.at] !== ']') out += '-';
      else out += /[A-Za-z0-9]/.test(one) || one.codePointAt(0)! > 0x7f ? one : `\\${one}`;
    }
    this.at += 1;
    return `${out}]`;
  }

  private named(): string {
    const named = /^:(\^?)(\w+):\]/.exec(this.source.slice(this.at));
    const ranges = named && NAMED[named[2]!];
    if (!ranges || named[1]) this.refuse('this named class');
    this.at += named[0].length;
    return ranges;
  }
}

/** The complement of each class, as ranges. */
const COMPLEMENTS: Readonly<Record<string, string>> = {
  d: '\\u0001-/:-\\U0010FFFF',
  s: '\\u0001-\\u0008\\u000B\\u000E-\\u001F!-\\U0010FFFF',
  w: '\\u0001-/:-@\\[-\\^`{-\\U0010FFFF',
};
const complement = (letter: string): string => COMPLEMENTS[letter]!;

/** The characters of a general category or a script in JavaScript, as ranges; null for an unknown name. */
function rangesOf(name: string, negated: boolean): string | null {
  const test = propertyTest(name);
  if (!test) return null;
  const parts: string[] = [];
  let from = -1;
  for (let code = 1; code <= 0x11_0000; code++) {
    const surrogate = code >= 0xd800 && code < 0xe000;
    const within = code < 0x11_0000 && !surrogate && test.test(String.fromCodePoint(code)) !== negated;
    if (within && from < 0) from = code;
    if (within || from < 0) continue;
    parts.push(`${hex(from)}-${hex(code - 1)}`);
    from = -1;
  }
  return parts.join('');
}

const hex = (code: number): string => `\\U${code.toString(16).padStart(8, '0')}`;

function propertyTest(name: string): RegExp | null {
  for (const property of [`gc=${name}`, `Script=${name}`])
    try {
      return new RegExp(`^\\p{${property}}$`, 'u');
    } catch {
      // The name is no category, and may be a script.
    }
  return null;
}
