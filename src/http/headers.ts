/**
 * Finds a header among the names and values of node's `rawHeaders`. Names are compared ignoring case; the values of a
 * repeated header are joined with `, ` in their order (RFC 9110, 5.3), those of `Cookie` with `; ` (RFC 9113, 8.2.3).
 *
 * Takes the raw list and the header's name in lower case. Gives its value, or undefined where it wasn't sent; a header
 * sent empty is ''. Allocates only to join.
 */
export function header(raw: readonly string[], lowerName: string): string | undefined {
  let value: string | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (!sameIgnoringCase(raw[at]!, lowerName)) continue;
    const next = raw[at + 1]!;
    value = value === undefined ? next : `${value}${lowerName === 'cookie' ? ';' : ','} ${next}`;
  }
  return value;
}

/** Returns the items of a list in a header, without the white space around its commas (RFC 9110, 5.6.1). */
export function listItems(value: string): string[] {
  return value.split(',').map(withoutSpace);
}

/** A text without the spaces and tabs at its ends, in a time that grows with its length alone. */
export function withoutSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (from < to && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** Whether two texts are equal except for the case of ASCII letters (RFC 9110, 5.1). Allocates nothing. */
export function sameIgnoringCase(one: string, other: string): boolean {
  return one.length === other.length && startsIgnoringCase(one, other);
}

/** Whether a text starts with another, except for the case of ASCII letters. Allocates nothing. */
export function startsIgnoringCase(text: string, start: string): boolean {
  if (text.startsWith(start)) return true;
  if (text.length < start.length) return false;
  for (let at = 0; at < start.length; at += 1) {
    if (lowered(text.charCodeAt(at)) !== lowered(start.charCodeAt(at))) return false;
  }
  return true;
}

function lowered(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}

/** Adds request headers, joined by `, `, to the header Vary of an answer (RFC 9110, 12.5.5). */
export function addVary(headers: string[], names: string): void {
  for (let at = 0; at < headers.length; at += 2) {
    if (!sameIgnoringCase(headers[at]!, 'vary')) continue;
    const known = listItems(headers[at + 1]!);
    const others = listItems(names).filter((name) => !known.some((one) => one === '*' || sameIgnoringCase(one, name)));
    if (others.length) headers[at + 1] = [...known, ...others].join(', ');
    return;
  }
  headers.push('Vary', names);
}
