import { ownMember } from '../text/own-members.ts';

/** Escapes with the same syntax and meaning in RE2 and ECMA-262 (with the flag u). */
const SAME_ESCAPES = new Set(['d', 'D', 'w', 'W', 'b', 'B', 't', 'n', 'r', 'f', 'v']);
const SYNTAX = new Set('^$\\.*+?()[]{}|/');

/** Code points, each range with its ends. */
type Ranges = ReadonlyArray<readonly [from: number, to: number]>;

const LAST_CODE_POINT = 0x10ffff;

const rangesOf = (...texts: readonly string[]): Ranges =>
  texts.map((one) => [one.charCodeAt(0), one.charCodeAt(one.length - 1)]);

/** The white space of RE2, which is a subset of that of ECMA-262. */
const SPACE = rangesOf('\t\n', '\f\r', ' ');

/** The POSIX classes of RE2, in the order of their characters. */
const POSIX: Readonly<Record<string, Ranges>> = {
  alnum: rangesOf('09', 'AZ', 'az'),
  alpha: rangesOf('AZ', 'az'),
  ascii: rangesOf('\0\x7f'),
  blank: rangesOf('\t', ' '),
  cntrl: rangesOf('\0\x1f', '\x7f'),
  digit: rangesOf('09'),
  graph: rangesOf('!~'),
  lower: rangesOf('az'),
  print: rangesOf(' ~'),
  punct: rangesOf('!/', ':@', '[`', '{~'),
  space: rangesOf('\t\r', ' '),
  upper: rangesOf('AZ'),
  word: rangesOf('09', 'AZ', '_', 'az'),
  xdigit: rangesOf('09', 'AF', 'af'),
};

const NAMED: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  ' ': ' ',
};

/** A literal character, inside and outside of a class. */
function character(code: number): string {
  const text = String.fromCodePoint(code);
  return /^\w$/.test(text) ? text : (NAMED[text] ?? `\\u{${code.toString(16).toUpperCase()}}`);
}

/** Ranges as the content of a class of ECMA-262. */
const classText = (ranges: Ranges): string =>
  ranges.map(([from, to]) => (from === to ? character(from) : `${character(from)}-${character(to)}`)).join('');

/** All code points outside of ranges, which are in order. */
function complement(ranges: Ranges): Ranges {
  const gaps = [...ranges, [LAST_CODE_POINT + 1, 0] as const].map(
    ([from], i) => [(ranges[i - 1]?.[1] ?? -1) + 1, from - 1] as const,
  );
  return gaps.filter(([from, to]) => from <= to);
}

/**
 * Converts a pattern of RE2 to an equivalent one of ECMA-262 with the flag u; null if there is none, or none is known.
 */
export function ecmaPattern(pattern: string): string | null {
  const text = new Translator(pattern).text();
  try {
    if (text !== null) new RegExp(text, 'u');
    return text;
  } catch {
    return null;
  }
}

interface Token {
  readonly text: string;
  readonly length: number;
}

/** The flags of RE2 that change what a pattern matches: `s` for the dot, `m` for `^` and `$`. */
interface Flags {
  readonly dotAll: boolean;
  readonly lines: boolean;
}

class Translator {
  private readonly pattern: string;
  private inClass = false;
  private flags: Flags = { dotAll: false, lines: false };
  /** The flags outside of each open group. */
  private readonly outer: Flags[] = [];

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  text(): string | null {
    const out: string[] = [];
    for (let i = 0; i < this.pattern.length; ) {
      const rest = this.pattern.slice(i);
      const next = this.inClass ? this.classToken(rest, this.pattern.charAt(i - 1)) : this.token(rest);
      if (!next) return null;
      out.push(next.text);
      i += next.length;
    }
    return out.join('');
  }

  private token(rest: string): Token | null {
    const one = rest.charAt(0);
    if (rest.startsWith('\\Q')) return quoted(rest);
    if (one === '\\') return escaped(rest, false);
    if (one === '.') return { text: this.flags.dotAll ? '[^]' : '[^\\n]', length: 1 };
    if (one === '^') return { text: this.flags.lines ? '(?:^|(?<=\\n))' : '^', length: 1 };
    if (one === '$') return { text: this.flags.lines ? '(?:$|(?=\\n))' : '$', length: 1 };
    if (one === '[') return this.openClass(rest);
    if (one === '(') return this.openGroup(rest);
    if (one === ')') {
      this.flags = this.outer.pop() ?? this.flags;
      return { text: ')', length: 1 };
    }
    if (one === '{') {
      const repeat = /^\{\d+(?:,\d*)?\}/.exec(rest)?.[0];
      return repeat ? { text: repeat, length: repeat.length } : { text: '\\{', length: 1 };
    }
    if (one === '}' || one === ']') return { text: `\\${one}`, length: 1 };
    return { text: one, length: 1 };
  }

  /** In RE2, a `]` that comes first in a class is one of its characters. */
  private openClass(rest: string): Token {
    this.inClass = true;
    const [all = '[', begins = '['] = /^(\[\^?)\]?/.exec(rest) ?? [];
    return { text: all === begins ? begins : `${begins}\\]`, length: all.length };
  }

  /** A group captures nothing that a schema uses, so its name is left out. */
  private openGroup(rest: string): Token | null {
    const named = /^\(\?P?<\w+>/.exec(rest)?.[0];
    const flagged = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
    if (rest.startsWith('(?') && !named && !flagged) return null;
    if (!flagged) {
      this.outer.push(this.flags);
      return named ? { text: '(?:', length: named.length } : { text: '(', length: 1 };
    }
    const [all, on = '', off = '', end] = flagged;
    // Without regard to case, RE2 and ECMA-262 have no common syntax. Greed (`U`) does not change what matches.
    if (on.includes('i')) return null;
    if (end === ':') this.outer.push(this.flags);
    const flag = (name: string, before: boolean): boolean => (before || on.includes(name)) && !off.includes(name);
    this.flags = { dotAll: flag('s', this.flags.dotAll), lines: flag('m', this.flags.lines) };
    return { text: end === ':' ? '(?:' : '', length: all.length };
  }

  private classToken(rest: string, before: string): Token | null {
    const one = rest.charAt(0);
    // A hyphen beside a class is a character of its own in RE2, and the sign of a range in ECMA-262.
    if (/^(?:\\[sS]|\[:\^?\w+:\])-[^\]]/.test(rest) || (before === '-' && rest.startsWith('[:'))) return null;
    if (one === '\\') return escaped(rest, true);
    if (one === ']') {
      this.inClass = false;
      return { text: ']', length: 1 };
    }
    if (!rest.startsWith('[:')) return { text: one === '[' ? '\\[' : one, length: 1 };
    const [all, not = '', name = ''] = /^\[:(\^?)(\w+):\]/.exec(rest) ?? [];
    const ranges = ownMember(POSIX, name);
    if (all === undefined || !ranges) return null;
    return { text: classText(not ? complement(ranges) : ranges), length: all.length };
  }
}

/** Literal text between `\Q` and `\E`. */
function quoted(rest: string): Token {
  const end = rest.indexOf('\\E', 2);
  const literal = rest.slice(2, end < 0 ? undefined : end);
  const text = [...literal].map((one) => (SYNTAX.has(one) ? `\\${one}` : one)).join('');
  return { text, length: end < 0 ? rest.length : end + 2 };
}

function escaped(rest: string, inClass: boolean): Token | null {
  const one = rest.charAt(1);
  if (one === 's' || one === 'S') {
    const text = classText(one === 's' ? SPACE : complement(SPACE));
    return { text: inClass ? text : `[${text}]`, length: 2 };
  }
  if (one === 'A' || one === 'z') return inClass ? null : { text: one === 'A' ? '^' : '$', length: 2 };
  if ((one === 'b' || one === 'B') && inClass) return null;
  if (one === 'a') return { text: character(7), length: 2 };
  if (one === 'x') {
    const [all, long, short = ''] = /^\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(rest) ?? [];
    return all === undefined ? null : { text: character(Number.parseInt(long ?? short, 16)), length: all.length };
  }
  if (one === 'p' || one === 'P') return property(rest, one);
  if (SAME_ESCAPES.has(one) || SYNTAX.has(one)) return { text: `\\${one}`, length: 2 };
  if (one === '-') return { text: inClass ? '\\-' : '-', length: 2 };
  // Other punctuation characters are literals.
  return /^[!"#%&',:;<=>@_`~ ]$/.test(one) ? { text: one, length: 2 } : null;
}

/** `\pL`, `\p{Lu}`, `\p{^Greek}`: a general category of Unicode, or a script. */
function property(rest: string, letter: 'p' | 'P'): Token | null {
  const [all, long, short = ''] = /^\\[pP](?:\{(\^?\w+)\}|([A-Z]))/.exec(rest) ?? [];
  if (all === undefined) return null;
  const name = (long ?? short).replace(/^\^/, '');
  const not = (letter === 'P') !== (long?.startsWith('^') ?? false);
  const value = name.length <= 2 || name === 'Any' ? name : `Script=${name}`;
  return { text: `\\${not ? 'P' : 'p'}{${value}}`, length: all.length };
}
