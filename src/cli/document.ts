import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Compiled, compile } from '../compiler/compile.ts';
import { isThere, whyOf } from '../store/paths.ts';
import { nearest } from '../text/suggest.ts';
import { oneLine } from '../text/visible.ts';
import { EXIT, type Io } from './io.ts';

/** A UTF-16 unit needs at most three bytes of UTF-8, so a larger file exceeds the limit of 8,388,608 units. */
const MOST_BYTES = 24 << 20;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The text of a file with its name for messages, or the reason why it cannot be read. */
type Read =
  | {
      readonly name: string;
      readonly text: string /** Whether a byte order mark precedes the text. */;
      readonly marked: boolean;
    }
  | { readonly problem: string };

/**
 * Reads and compiles the document in `file`, where `-` is standard input. If it cannot be read, prints the reason, ends
 * the command as wrong use and returns null. Problems inside the document are findings.
 */
export function loadDocument(file: string, io: Io): Compiled | null {
  const read = readDocument(file);
  if ('text' in read) return compile(read.name, read.text);
  io.err(`error: ${oneLine(read.problem)}\n`);
  io.exit(EXIT.wrongUse);
  return null;
}

/**
 * Reads the text of a document, or of another file of at most so many bytes, where `-` is standard input. Never throws: a
 * failure is in `problem`.
 */
export function readDocument(file: string, most = MOST_BYTES): Read {
  const name = file === '-' ? '<stdin>' : file;
  let bytes: Buffer;
  try {
    bytes = readAtMost(file, most + 1);
  } catch (error) {
    return { problem: unreadable(file, error as NodeJS.ErrnoException) };
  }
  if (bytes.length > most) {
    const why = most === MOST_BYTES ? ', and a document has at most 8,388,608 characters' : '';
    return { problem: `“${name}” is longer than ${most >> 20} MiB${why}.` };
  }
  try {
    // The byte order mark is removed, because editors do not count it as a column.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { name, text, marked: bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) };
  } catch {
    return { problem: `“${name}” is not UTF-8 text${firstBad(bytes)}.` };
  }
}

/** Reads the start of a file without its size: a pipe has none, and a device may never end. */
function readAtMost(file: string, most: number): Buffer {
  const descriptor = file === '-' ? 0 : openSync(file, 'r');
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    while (length < most) {
      const chunk = Buffer.allocUnsafe(Math.min(1 << 16, most - length));
      const count = readWaiting(descriptor, chunk);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      length += count;
    }
  } finally {
    if (descriptor !== 0) closeSync(descriptor);
  }
  return Buffer.concat(chunks);
}

/** `readSync` for standard input that another process has set to non-blocking. */
function readWaiting(descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk, 0, chunk.length, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function unreadable(file: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT' && isThere(file)) return `“${file}” is a link to a file that does not exist.`;
  if (error.code === 'ENOENT') return `there is no file “${file}”${didYouMean(file)}`;
  if (error.code === 'EISDIR') return `“${file}” is a directory. A document is one file.`;
  if (error.code === 'EACCES' || error.code === 'EPERM') return `“${file}” cannot be read: permission denied.`;
  return `“${file}” cannot be read: ${whyOf(error) ?? error.message}.`;
}

function didYouMean(file: string): string {
  try {
    const folder = dirname(file);
    const name = nearest(basename(file), readdirSync(folder));
    if (name) return `: did you mean “${folder === '.' ? name : join(folder, name)}”?`;
  } catch {
    // No such folder either, so that there is nothing to compare with.
  }
  return '.';
}

/** The line of the first invalid byte, for the message. */
function firstBad(bytes: Buffer): string {
  let line = 1;
  let from = 0;
  for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
    if (!isUtf8(bytes.subarray(from, to))) break;
    line++;
    from = to + 1;
  }
  return ` (the first wrong byte is in line ${line})`;
}
