import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { base64urlBytes } from '../../expression/base64.ts';
import { Mac } from './mac.ts';

const CIPHER = 'aes-256-ctr';

/** The code of what is sealed, which is the cipher's initial counter too: one block of AES. */
const CODE_BYTES = 16;

/**
 * Deterministic authenticated encryption of short texts, as base64url: a synthetic initialization vector (Rogaway and
 * Shrimpton 2006, as in RFC 5297) by HMAC-SHA-256, and AES-256 in counter mode. The same text in the same context is
 * always sealed alike, so that an answer that holds one keeps its entity tag; whoever has no key learns that and how
 * long the text is, and nothing else.
 */
export class Sealed {
  private readonly codes: Mac;
  private readonly key: Buffer;

  /** `purpose` keeps apart what one secret seals for several. */
  constructor(secret: Buffer, purpose: string) {
    const derived = (use: string): Buffer => createHmac('sha256', secret).update(`${purpose}: ${use}`).digest();
    this.codes = new Mac(derived('authentication'));
    this.key = derived('encryption');
  }

  /** Seals a text for a context that is opened with it again. `context` holds no U+0000. */
  seal(context: string, text: string): string {
    const code = this.code(context, text);
    const cipher = createCipheriv(CIPHER, this.key, code);
    return Buffer.concat([code, cipher.update(text, 'utf8')]).toString('base64url');
  }

  /** The text that was sealed for a context; null for anything else. */
  open(context: string, sealed: string): string | null {
    const bytes = base64urlBytes(sealed);
    if (!bytes || bytes.length < CODE_BYTES) return null;
    const code = bytes.subarray(0, CODE_BYTES);
    const text = createDecipheriv(CIPHER, this.key, code).update(bytes.subarray(CODE_BYTES)).toString('utf8');
    return timingSafeEqual(code, this.code(context, text)) ? text : null;
  }

  private code(context: string, text: string): Buffer {
    return Buffer.from(this.codes.of(`${context}\0${text}`).slice(0, CODE_BYTES), 'latin1');
  }
}
