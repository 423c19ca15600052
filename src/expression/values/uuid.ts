import { type RandomBytes, systemRandom } from './random.ts';

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Number of random bytes that are drawn at once, enough for 102 UUIDs. */
const POOL_BYTES = 1024;

/** Makes UUIDs of version 7 (RFC 9562, section 5.7): they sort by time, and within a millisecond by a counter. */
export class UuidSource {
  private readonly random: RandomBytes;
  private pool: Buffer = Buffer.alloc(0);
  private at = 0;
  private last = 0;
  private counter = 0;

  constructor(random: RandomBytes = systemRandom) {
    this.random = random;
  }

  /** A new UUID as text; `now` in milliseconds since the epoch. Later calls sort after earlier ones. */
  next(now: number): string {
    if (this.at + 10 > this.pool.length) {
      this.pool = this.random(POOL_BYTES);
      this.at = 0;
    }
    const p = this.pool;
    const i = this.at;
    this.at += 10;
    if (now > this.last) {
      this.last = now;
      this.counter = ((p[i]! << 8) | p[i + 1]!) & 0x3ff;
    } else if (++this.counter > 0xfff) {
      this.last++;
      this.counter = 0;
    }
    const high = Math.floor(this.last / 0x10000);
    const low = this.last % 0x10000;
    return `${HEX[(high >>> 24) & 255]}${HEX[(high >>> 16) & 255]}${HEX[(high >>> 8) & 255]}${HEX[high & 255]}-${HEX[low >>> 8]}${HEX[low & 255]}-7${HEX[this.counter >>> 8]![1]}${HEX[this.counter & 255]}-${HEX[(p[i + 2]! & 0x3f) | 0x80]}${HEX[p[i + 3]!]}-${HEX[p[i + 4]!]}${HEX[p[i + 5]!]}${HEX[p[i + 6]!]}${HEX[p[i + 7]!]}${HEX[p[i + 8]!]}${HEX[p[i + 9]!]}`;
  }
}

/** Formats a UUID by RFC 9562: 32 digits with hyphens, which the argument may already have. */
export function uuidText(digits: string): string {
  if (digits.includes('-')) return digits;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** The value of each character code that is a hexadecimal digit; 255 for any other. */
const DIGIT = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

/** Whether a UUID has a hyphen at a place. */
const isHyphen = (at: number): boolean => at === 8 || at === 13 || at === 18 || at === 23;

/** A UUID's text as its 16 bytes (RFC 9562, section 4); null for text that is not one. */
export function uuidBytes(text: string): Buffer | null {
  if (text.length !== 36) return null;
  const bytes = Buffer.allocUnsafe(16);
  let at = 0;
  for (let i = 0; i < 36; i += 2) {
    if (isHyphen(i)) {
      if (text.charCodeAt(i) !== 45) return null;
      i++;
    }
    const high = DIGIT[text.charCodeAt(i)] ?? 255;
    const low = DIGIT[text.charCodeAt(i + 1)] ?? 255;
    if (high > 15 || low > 15) return null;
    bytes[at++] = (high << 4) | low;
  }
  return bytes;
}
