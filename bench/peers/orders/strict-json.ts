import { isUtf8 } from 'node:buffer';

/**
 * Throws where a body is no UTF-8, or where JSON has a byte order mark, or a member that is named twice: `JSON.parse` takes both. The services that
 * are measured leave it to their framework; those that are tested look for it.
 */
export function checkJson(body: Buffer): void {
  if (!isUtf8(body)) throw new SyntaxError('The body is no UTF-8');
  const text = body.toString();
  if (text.startsWith('\uFEFF')) throw new SyntaxError('The body begins with a byte order mark');
  const open: Array<Set<string> | null> = [];
  for (const { 0: found, 1: name, 2: colon } of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/gs)) {
    if (found === '{') open.push(new Set());
    else if (found === '[') open.push(null);
    else if (found === '}' || found === ']') open.pop();
    else if (colon !== undefined) mustBeNew(open.at(-1), JSON.parse(name ?? '""') as string);
  }
}

function mustBeNew(names: Set<string> | null | undefined, name: string): void {
  if (names?.has(name)) throw new SyntaxError(`The body has two members “${name}”`);
  names?.add(name);
}

/** Whether a number was written with a fraction that JavaScript does not keep. */
const isRounded = (value: number, source: string): boolean =>
  Number.isInteger(value) && /^-?\d+\.\d*[1-9]\d*$/.test(source);

/** Any number that is none that is whole, for one that JavaScript takes for whole and that was written otherwise. */
const NOT_WHOLE = 0.5;

/** A reviver that keeps a number from being taken for whole where it was not written so. */
export const exactly = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && isRounded(value, context?.source ?? '') ? NOT_WHOLE : value;

/** The same for a text of JSON. */
export const exactText = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|-?\d+\.\d+/gs, (found) =>
    !found.startsWith('"') && isRounded(Number(found), found) ? String(NOT_WHOLE) : found,
  );
