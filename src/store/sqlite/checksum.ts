import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { StoreError } from '../store.ts';

/** The last line of a backup, which follows the last page of the database, where SQLite does not read. */
const MARK = 'ninefold backup 1, sha256 of all before this line: ';
const LENGTH = MARK.length + 64 + 1;

/** Number of bytes that are read at once. */
const PIECE = 1 << 20;

/** Appends the checksum to a backup. */
export function seal(path: string): void {
  const file = openSync(path, 'r');
  let digest: string;
  try {
    digest = hashOf(file, fstatSync(file).size, () => {});
  } finally {
    closeSync(file);
  }
  appendFileSync(path, `${MARK}${digest}\n`);
}

/**
 * Verifies the checksum of a backup and, if `to` is given, copies the content to a new file for the owner alone. A
 * backup whose checksum is missing or damaged is refused, unless `unsealed` is true. Throws StoreError.
 */
export function readSealed(from: string, to: string | null, unsealed: boolean): void {
  const file = openSync(from, 'r');
  try {
    const { size } = fstatSync(file);
    const stated = statedIn(file, size);
    if (stated === null && !unsealed) throw withoutChecksum(from);
    const length = stated === null ? size : size - LENGTH;
    if (stated !== null && copied(file, length, to) !== stated)
      throw new StoreError('failed', `“${from}” is damaged: its checksum does not match.`);
    if (stated === null) copied(file, length, to);
  } finally {
    closeSync(file);
  }
}

const withoutChecksum = (from: string): StoreError =>
  new StoreError(
    'failed',
    `“${from}” has no checksum at its end: an older Ninefold made it, or it is incomplete, so it cannot be verified. To restore it after the integrity check of SQLite alone, add --without-checksum.`,
  );

/** The checksum at the end of a file; null if there is none. */
function statedIn(file: number, size: number): string | null {
  if (size < LENGTH) return null;
  const end = Buffer.alloc(LENGTH);
  if (readSync(file, end, 0, LENGTH, size - LENGTH) !== LENGTH) return null;
  const text = end.toString('latin1');
  return text.startsWith(MARK) && text.endsWith('\n') ? text.slice(MARK.length, -1) : null;
}

function copied(file: number, length: number, to: string | null): string {
  if (to === null) return hashOf(file, length, () => {});
  const out = openSync(to, 'wx', 0o600);
  try {
    return hashOf(file, length, (piece) => {
      for (let at = 0; at < piece.length; ) at += writeSync(out, piece, at);
    });
  } finally {
    closeSync(out);
  }
}

/** The SHA-256 of the first bytes of a file. Each piece of them is passed to `take`. */
function hashOf(file: number, length: number, take: (piece: Buffer) => void): string {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(Math.min(PIECE, Math.max(1, length)));
  for (let at = 0; at < length; ) {
    const count = readSync(file, buffer, 0, Math.min(buffer.length, length - at), at);
    if (count === 0) break;
    const piece = buffer.subarray(0, count);
    hash.update(piece);
    take(piece);
    at += count;
  }
  return hash.digest('hex');
}
