import { hash } from 'node:crypto';

/** The block size of SHA-256 in bytes (FIPS 180-4). */
const BLOCK = 64;

/** The digest's length in bytes. */
const DIGEST = 32;

/**
 * HMAC-SHA-256 (RFC 2104) of short texts under one key, computed by its two hashes: `createHmac` allocates an object
 * for each text, which costs more than both hashes.
 */
export class Mac {
  private readonly inner: Buffer;
  /** The key for the outer hash, and room for the inner one behind it. */
  private readonly outer: Buffer;

  /** `key` has at most 64 bytes. */
  constructor(key: Buffer) {
    this.inner = padded(key, 0x36);
    this.outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(DIGEST)]);
  }

  /** Returns the code of a text as 32 characters, one for each byte (`latin1`). */
  of(text: string): string {
    const message = Buffer.allocUnsafe(BLOCK + Buffer.byteLength(text));
    this.inner.copy(message);
    message.write(text, BLOCK);
    this.outer.write(hash('sha256', message, 'latin1'), BLOCK, 'latin1');
    return hash('sha256', this.outer, 'latin1');
  }
}

/** Returns a key at block length, each of its bytes XORed with `pad`. */
function padded(key: Buffer, pad: number): Buffer {
  if (key.length > BLOCK) throw new RangeError('A longer key would have to be hashed first');
  const block = Buffer.alloc(BLOCK, pad);
  for (const [i, byte] of key.entries()) block[i] = byte ^ pad;
  return block;
}
