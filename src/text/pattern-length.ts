/** One step of a match: an escape, a character class or a character. */
const ATOM = /\\[pPx]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;

const GROUP = /\((?:\?(?:P?<\w+>|[a-zA-Z-]*:?))?/y;

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
