import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import type { Edit } from '../compiler/edits/sites.ts';
import { readDocument } from './document.ts';
import { writeWhole } from './write-whole.ts';

/** The file can no longer be read. */
export class ReadError extends Error {}

/** The content of a text file: its text, and whether a byte order mark precedes the text. */
export interface FileContent {
  readonly raw: string;
  readonly isMarked: boolean;
}

/** Reads a file that keeps what is written into it, so no pipe and no device. Throws `ReadError`. */
export function readContent(path: string): FileContent {
  if (path === '-' || isDevice(path)) throw new ReadError(`“${path}” is no file that keeps what is written into it.`);
  const read = readDocument(path);
  if ('problem' in read) throw new ReadError(read.problem);
  return { raw: read.text, isMarked: read.marked };
}

/** Whether a path leads to a pipe, a socket or a device. */
function isDevice(path: string): boolean {
  try {
    const found = statSync(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    // Reading the file reports the problem.
    return false;
  }
}

/** Writes a file whole, as `writeWhole` does. A link stays a link. Throws `WriteError`. */
export function writeContent(path: string, { raw, isMarked }: FileContent, begin?: (part: string) => void): void {
  writeWhole(existsSync(path) ? realpathSync(path) : path, (isMarked ? '\uFEFF' : '') + raw, begin);
}

/** The entity tag of a content (RFC 9110, 8.8.3): two contents with the same bytes have the same tag. */
export function entityTagOf({ raw, isMarked }: FileContent): string {
  const hash = createHash('sha256')
    .update(isMarked ? '\uFEFF' : '')
    .update(raw);
  return `"${hash.digest('base64url')}"`;
}

/** A text with LF at the end of each line. */
export const withLf = (text: string): string => text.replace(/\r\n?/g, '\n');

/** A text with its own line ends, after an edit of the same text with LF alone. */
export const edited = (raw: string, { from, to, text }: Edit): string =>
  raw.slice(0, offsetIn(raw, from)) + text.replaceAll('\n', lineEndOf(raw)) + raw.slice(offsetIn(raw, to));

/**
 * A text with its own line ends, after it was replaced by a text with LF alone. Where CRLF and LF are mixed, the lines
 * before the first change and after the last one keep theirs.
 */
export function rewritten(raw: string, text: string): string {
  const old = withLf(raw);
  if (old === text) return raw;
  const ends = new Set(raw.match(/\r\n?|\n/g));
  // A CR that is kept and an LF that follows it would become one line end.
  if (ends.size <= 1 || ends.has('\r')) return text.replaceAll('\n', lineEndOf(raw));
  const least = Math.min(old.length, text.length);
  let start = 0;
  while (start < least && old[start] === text[start]) start++;
  let end = 0;
  while (end < least - start && old.at(-1 - end) === text.at(-1 - end)) end++;
  return edited(raw, { from: start, to: old.length - end, text: text.slice(start, text.length - end) });
}

/** The line end of a text: that of its first line. */
const lineEndOf = (raw: string): string => /\r\n?|\n/.exec(raw)?.[0] ?? '\n';

/** The offset in a text of an offset in the same text with LF alone. */
function offsetIn(raw: string, offset: number): number {
  let at = offset;
  for (let end = raw.indexOf('\r\n'); end >= 0 && end < at; end = raw.indexOf('\r\n', end + 2)) at++;
  return at;
}
