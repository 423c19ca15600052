import { type Cipheriv, createCipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { base64urlBytes } from '../../expression/values/base64.ts';
import { Mac } from './mac.ts';

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
