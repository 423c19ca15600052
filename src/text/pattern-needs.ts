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

const ATOM = /\\[pPx]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;
const REPEATED = /(?:\{(\d+)(?:,\d*)?\}|([*+?]))\??/y;
/** Syntax that this reader doesn't analyse: flags, quotations, `\A`, `\z`, `\C` and escapes by hexadecimal code. */
const UNKNOWN = /\(\?(?!:|P?<)|\\[QAzCx]/;
const PLACELESS: readonly string[] = ['\\b', '\\B'];
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
      const repeated = matchAt(REPEATED, source, at) ?? '';
      at += repeated.length;
      if (timesOf(repeated) > 0) anchor(parts, atom);
    } else {
      const group = atom === ')' ? joined(parts) : null;
      if (group) parts = outer.pop() ?? parts;
      const repeated = matchAt(REPEATED, source, at) ?? '';
      at += repeated.length;
      const one = group ?? { possible: true, least: PLACELESS.includes(atom) ? 0 : 1, atoms: [atom] };
      add(parts, PLACELESS.includes(atom) ? { ...one, atoms: [] } : one, timesOf(repeated));
    }
  }
  return joined(parts);
}

function matchAt(pattern: RegExp, source: string, at: number): string | null {
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
