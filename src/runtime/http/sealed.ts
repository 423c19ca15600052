import { type Cipheriv, createCipheriv, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { base64urlBytes } from '../../expression/values/base64.ts';

/** The cipher for single blocks, from which counter mode is built here: a cipher object for each text costs more. */
const CIPHER = 'aes-256-ecb';

const BLOCK_BYTES = 16;

/** The length of the authentication code, which is the initial counter, too: one AES block. */
const CODE_BYTES = 16;

/**
 * Deterministic authenticated encryption of short texts, as base64url: a synthetic initialization vector (Rogaway and
 * Shrimpton 2006, as in RFC 5297) by HMAC-SHA-256, and AES-256 in counter mode. Equal texts in equal contexts have
 * equal ciphertexts, so that an answer with one keeps its entity tag. Without the key, only this equality and the
 * length of the text can be seen.
 */
export class Sealed {
  private readonly codes: Mac;
  private readonly blocks: Cipheriv;

  /** Texts that are sealed for another `purpose` can't be opened, although the secret is the same. */
  constructor(secret: Buffer, purpose: string) {
    const derived = (use: string): Buffer => createHmac('sha256', secret).update(`${purpose}: ${use}`).digest();
    this.codes = new Mac(derived('authentication'));
    this.blocks = createCipheriv(CIPHER, derived('encryption'), null).setAutoPadding(false);
  }

  /** Seals a text in a context, which opening needs, too. `context` must not contain U+0000. */
  seal(context: string, text: string): string {
    const code = this.codes.of(`${context}\0${text}`);
    const bytes = Buffer.allocUnsafe(CODE_BYTES + Buffer.byteLength(text));
    bytes.write(code, 0, CODE_BYTES, 'latin1');
    bytes.write(text, CODE_BYTES);
    this.turnOver(bytes);
    return bytes.toString('base64url');
  }

  /** Returns the text that was sealed in a context; null for any other input. */
  open(context: string, sealed: string): string | null {
    const bytes = base64urlBytes(sealed);
    if (!bytes || bytes.length < CODE_BYTES) return null;
    this.turnOver(bytes);
    const text = bytes.toString('utf8', CODE_BYTES);
    const code = Buffer.from(this.codes.of(`${context}\0${text}`).slice(0, CODE_BYTES), 'latin1');
    return timingSafeEqual(bytes.subarray(0, CODE_BYTES), code) ? text : null;
  }

  /**
   * Encrypts or decrypts the bytes after the code, in place: counter mode (NIST SP 800-38A), starting from the code.
   */
  private turnOver(bytes: Buffer): void {
    const count = Math.ceil((bytes.length - CODE_BYTES) / BLOCK_BYTES);
    const counters = Buffer.allocUnsafe(count * BLOCK_BYTES);
    for (let block = 0; block < count; block++) {
      let carry = block;
      for (let i = BLOCK_BYTES - 1; i >= 0; i--) {
        carry += bytes[i]!;
        counters[block * BLOCK_BYTES + i] = carry & 0xff;
        carry >>>= 8;
      }
    }
    const stream = this.blocks.update(counters);
    for (let i = CODE_BYTES; i < bytes.length; i++) bytes[i]! ^= stream[i - CODE_BYTES]!;
  }
}

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
