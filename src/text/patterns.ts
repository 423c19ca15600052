/** One step of a match: an escape, a character class or a character. */
export const ATOM = /\\[pPx]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;

/** The beginning of a group. */
const GROUP = /\((?:\?(?:P?<\w+>|[a-zA-Z-]*:?))?/y;

/** A repetition with bounds. */
const REPEATED = /\{(\d+)(?:,(\d*))?\}/y;

/**
 * Returns the number of steps of a pattern once its repetitions are written out, as the engine does: `(ab){3}` has six.
 */
export function patternSize(source: string): number {
  const outer: number[] = [];
  let inner = 0;
  let last = 0;
  const add = (size: number, before = 0): void => {
    inner += size;
    last = before + size;
  };
  const matchAt = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  for (let at = 0; at < source.length; ) {
    const group = matchAt(GROUP, at);
    const repeated = group ? null : matchAt(REPEATED, at);
    const text = (group ?? repeated ?? matchAt(ATOM, at) ?? ['x'])[0];
    at += text.length;
    if (group) {
      outer.push(inner);
      inner = 1;
    } else if (repeated) add(last * (Math.max(Number(repeated[1]), Number(repeated[2] || 0)) - 1));
    else if (text === ')') {
      const around = outer.pop();
      const size = around === undefined ? 0 : inner;
      inner = around ?? inner;
      add(size);
    } else add(1, /^[*+?]$/.test(text) ? last : 0);
  }
  return outer.reduce((sum, size) => sum + size, inner);
}

/**
 * Returns the most characters of a text that matches a pattern, or a few more; null where a part may repeat without
 * end, or the pattern is not anchored at both ends.
 */
export function patternLength(source: string): number | null {
  const tied = /^(?:\(\?[is]+\))?\^(?![?*+{])/.test(source) && /(?:^|[^\\])(?:\\\\)*\$$/.test(source);
  // In multi-line mode, anchors match at line ends; quoted text (`\Q`) is not analysed.
  if (!tied || /\(\?[a-zA-Z-]*m|\\Q/.test(source)) return null;
  let depth = 0;
  for (let at = 0; at < source.length; ) {
    const [group, repeated, atom] = [GROUP, REPEATED, ATOM].map((pattern) => {
      pattern.lastIndex = at;
      return pattern.exec(source);
    });
    const text = (group ?? repeated ?? atom)?.[0] ?? 'x';
    at += text.length;
    if (group) depth++;
    if (text === ')') depth--;
    const endless = repeated ? repeated[2] === '' : text === '*' || text === '+';
    if (endless || (text === '|' && depth === 0)) return null;
  }
  // The anchors `^` and `$` match no character.
  return patternSize(source) - 2;
}

/** Properties that every text matched by an RE2 pattern has. */
interface PatternNeeds {
  /** False where no text matches at all. */
  readonly possible: boolean;
  /** The fewest characters of a match. */
  readonly least: number;
  /** Characters and classes, each of which matches at least one character of every match. */
  readonly atoms: readonly string[];
}

/** A sequence that is being read. */
interface Part {
  possible: boolean;
  least: number;
  atoms: readonly string[];
  /** True after `$`. */
  ended: boolean;
}

/** A repetition, greedy or not. */
export const QUANTIFIER = /(?:\{(\d+)(?:,\d*)?\}|([*+?]))\??/y;
/** Syntax that this reader doesn't analyse: flags, quotations, `\A`, `\z`, `\C` and escapes by hexadecimal code. */
export const UNKNOWN = /\(\?(?!:|P?<)|\\[QAzCx]/;
export const PLACELESS: readonly string[] = ['\\b', '\\B'];
const EMPTY: Part = { possible: true, least: 0, atoms: [], ended: false };

/**
 * Returns the properties that a pattern requires of every text; null where the pattern has syntax that is not analysed
 * here. Only certain requirements count: optional parts and alternatives add none.
 */
export function patternNeeds(source: string): PatternNeeds | null {
  if (UNKNOWN.test(source)) return null;
  const outer: Part[][] = [];
  let parts: Part[] = [{ ...EMPTY }];
  for (let at = 0; at < source.length; ) {
    const atom = matchAt(ATOM, source, at) ?? 'x';
    at += atom.length;
    if (atom === '(') {
      at += matchAt(/\?(?::|P?<\w+>)/y, source, at)?.length ?? 0;
      outer.push(parts);
      parts = [{ ...EMPTY }];
    } else if (atom === '|') parts.push({ ...EMPTY });
    else if (atom === '^' || atom === '$') {
      const repeated = matchAt(QUANTIFIER, source, at) ?? '';
      at += repeated.length;
      if (timesOf(repeated) > 0) anchor(parts, atom);
    } else {
      const group = atom === ')' ? joined(parts) : null;
      if (group) parts = outer.pop() ?? parts;
      const repeated = matchAt(QUANTIFIER, source, at) ?? '';
      at += repeated.length;
      const one = group ?? { possible: true, least: PLACELESS.includes(atom) ? 0 : 1, atoms: [atom] };
      add(parts, PLACELESS.includes(atom) ? { ...one, atoms: [] } : one, timesOf(repeated));
    }
  }
  return joined(parts);
}

export function matchAt(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

/** Returns the least number of times that a part occurs, by its quantifier. */
function timesOf(repeated: string): number {
  const counted = /\{(\d+)/.exec(repeated)?.[1];
  if (counted !== undefined) return Number(counted);
  return repeated === '' || repeated.startsWith('+') ? 1 : 0;
}

/** Marks a sequence as impossible where `^` follows a character or a character follows `$`: no text matches. */
function anchor(parts: readonly Part[], atom: '^' | '$'): void {
  const part = parts.at(-1);
  if (!part) return;
  if (atom === '$') part.ended = true;
  else if (part.least > 0) part.possible = false;
}

function add(parts: readonly Part[], one: PatternNeeds, times: number): void {
  const part = parts.at(-1);
  if (!part || times === 0) return;
  part.least += one.least * times;
  part.atoms = [...part.atoms, ...one.atoms];
  if (!one.possible || (part.ended && one.least > 0)) part.possible = false;
}

/** Returns the properties that all possible alternatives share. */
function joined(parts: readonly Part[]): PatternNeeds {
  const possible = parts.filter((part) => part.possible);
  const [only] = possible;
  return {
    possible: possible.length > 0,
    least: possible.length ? Math.min(...possible.map(({ least }) => least)) : 0,
    atoms: possible.length === 1 && only ? only.atoms : [],
  };
}
