/** A part of bytes: from the byte `start` to before the byte `end`. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A number may have any digits: a range may end after the last byte (RFC 9110, section 14.1.2). */
const RANGE = /^bytes=[ \t]*(?:(\d+)-(\d+)?|-(\d+))[ \t]*$/i;

/**
 * Reads `Range` (RFC 9110, section 14.2) for a body of `size` bytes. Returns null for a header that is ignored: one that
 * is malformed, of another unit, or with several ranges, which a server may ignore. Returns `unsatisfiable` for a range
 * without any byte.
 */
export function byteRange(header: string, size: number): ByteRange | 'unsatisfiable' | null {
  const [found, first, last, suffix] = RANGE.exec(header) ?? [];
  if (found === undefined) return null;
  if (suffix !== undefined) {
    const count = Math.min(Number(suffix), size);
    return count === 0 ? 'unsatisfiable' : { start: size - count, end: size };
  }
  const start = Number(first);
  if (last !== undefined && BigInt(last) < BigInt(first!)) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === undefined ? size : Math.min(Number(last) + 1, size) };
}
