import { isUtf8 } from 'node:buffer';
import { parsePairs } from './query.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** The values of a form by their names; a name that is sent several times has a list. */
type Form = Readonly<Record<string, string | readonly string[]>>;

/**
 * Parses a body as application/x-www-form-urlencoded (URL Standard, 5.1). The standard repairs invalid input; this
 * parser returns null for it: an escape that isn't `%` and two hexadecimal digits, and bytes or escapes that are not
 * UTF-8. A byte order mark is refused as in JSON. Takes time and memory in proportion to the body.
 */
export function parseForm(bytes: Buffer): Form | null {
  const text = bytes.toString();
  const pairs = text.startsWith(BYTE_ORDER_MARK) || !isUtf8(bytes) ? null : parsePairs(text);
  if (pairs === null) return null;
  const form = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const before = form.get(name);
    if (before === undefined) form.set(name, value);
    else if (typeof before === 'string') form.set(name, [before, value]);
    else before.push(value);
  }
  // Makes own members of all names, `__proto__` too.
  return Object.fromEntries(form);
}

/** Writes an object as a form (URL Standard, 5.2): the items of a list repeat its name, and null is left out. */
export function showForm(members: object, textOf: (value: unknown) => string = jsonText): string {
  const pairs = Object.entries(members).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
      one === null || one === undefined ? [] : [[name, textOf(one)]],
    ),
  );
  return new URLSearchParams(pairs).toString();
}

const jsonText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
