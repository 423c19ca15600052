/** Escapes with the same syntax and meaning in RE2 and ECMA-262 (with the flag u). */
const SAME_ESCAPES = new Set(['d', 'D', 'w', 'W', 'b', 'B', 't', 'n', 'r', 'f', 'v']);
const SYNTAX = new Set('^$\\.*+?()[]{}|/');
/** The white space of RE2, which is a subset of that of ECMA-262. */
const SPACE = '\\t\\n\\f\\r ';

/**
 * Converts a pattern of RE2 to an equivalent one of ECMA-262 with the flag u; null if there is none, or none is known.
 */
export function ecmaPattern(pattern: string): string | null {
  const out: string[] = [];
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const next: Token | null = inClass ? classToken(pattern, i) : token(pattern, i);
    if (!next) return null;
    out.push(next.text);
    if (next.opens !== undefined) inClass = next.opens;
    i += next.length - 1;
  }
  const text = out.join('');
  try {
    new RegExp(text, 'u');
    return text;
  } catch {
    return null;
  }
}

interface Token {
  readonly text: string;
  readonly length: number;
  /** Whether the token begins or ends a character class. */
  readonly opens?: boolean;
}

function token(pattern: string, i: number): Token | null {
  const rest = pattern.slice(i);
  const one = rest.charAt(0);
  if (one === '\\') return escaped(rest, false);
  if (one === '.') return { text: '[^\\n]', length: 1 };
  if (one === '[') {
    // In RE2, `[]…]` is a class that contains `]`; in ECMA-262, `[]` is an empty class.
    const begins = /^\[\^?/.exec(rest)?.[0] ?? '[';
    return rest.charAt(begins.length) === ']' ? null : { text: begins, length: begins.length, opens: true };
  }
  if (rest.startsWith('(?')) return rest.startsWith('(?:') ? { text: '(?:', length: 3 } : null;
  if (one === '{') {
    const repeat = /^\{\d+(?:,\d*)?\}/.exec(rest)?.[0];
    return repeat ? { text: repeat, length: repeat.length } : { text: '\\{', length: 1 };
  }
  if (one === '}' || one === ']') return { text: `\\${one}`, length: 1 };
  return { text: one, length: 1 };
}

function classToken(pattern: string, i: number): Token | null {
  const rest = pattern.slice(i);
  const one = rest.charAt(0);
  if (one === '\\') return escaped(rest, true);
  if (one === ']') return { text: ']', length: 1, opens: false };
  if (one === '[') return rest.startsWith('[:') ? null : { text: '\\[', length: 1 };
  return { text: one, length: 1 };
}

function escaped(rest: string, inClass: boolean): Token | null {
  const one = rest.charAt(1);
  if (one === 's') return { text: inClass ? SPACE : `[${SPACE}]`, length: 2 };
  if (one === 'S') return inClass ? null : { text: `[^${SPACE}]`, length: 2 };
  if ((one === 'b' || one === 'B' || one === 'v') && inClass) return one === 'v' ? { text: '\\v', length: 2 } : null;
  if (SAME_ESCAPES.has(one) || SYNTAX.has(one)) return { text: `\\${one}`, length: 2 };
  const category = /^\\[pP]\{\^?(?:L|Lu|Ll|Lt|Lm|Lo|M|N|Nd|P|S|Z)\}/.exec(rest)?.[0];
  if (category) return category.includes('^') ? null : { text: category, length: category.length };
  if (one === '-') return { text: inClass ? '\\-' : '-', length: 2 };
  // Other punctuation characters are literals.
  return /^[!"#%&',:;<=>@_`~ ]$/.test(one) ? { text: one, length: 2 } : null;
}
