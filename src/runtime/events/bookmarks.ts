import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { base64urlBytes } from '../../expression/values/base64.ts';

/**
 * A reader's place in the stream: the last event that it has passed, and the time until which it has received all
 * events.
 */
export interface Place {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const NONCE = 12;
const TAG = 16;
const PLAIN = 16;

/** Encrypts places as message ids, so that they reveal nothing about events that a reader may not see. */
export class Bookmarks {
  private readonly key: Buffer;

  constructor(secret: Buffer) {
    this.key = createHmac('sha256', secret).update('bookmarks').digest();
  }

  seal({ seq, at }: Place): string {
    const nonce = randomBytes(NONCE);
    const plain = Buffer.alloc(PLAIN);
    plain.writeBigInt64BE(BigInt(seq), 0);
    plain.writeBigInt64BE(BigInt(at), 8);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns the place in the stream that an event id encodes; null where the service did not issue the id. */
  open(id: string): Place | null {
    const bytes = base64urlBytes(id);
    if (bytes?.length !== NONCE + TAG + PLAIN) return null;
    const cipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE));
    cipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    try {
      const plain = Buffer.concat([cipher.update(bytes.subarray(NONCE + TAG)), cipher.final()]);
      return { seq: Number(plain.readBigInt64BE(0)), at: Number(plain.readBigInt64BE(8)) };
    } catch {
      return null;
    }
  }
}
