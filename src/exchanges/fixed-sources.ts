import { createHash, generateKeyPairSync } from 'node:crypto';
import type { RandomBytes } from '../expression/values/random.ts';
import type { Algorithm } from '../plan/callers.ts';

const DIGEST_BYTES = 32;

/** A deterministic clock and source of random bytes. */
export class FixedSources {
  private at: number;
  private counter = 0;

  /** `start` is in milliseconds since the epoch. */
  constructor(start: number) {
    this.at = start;
  }

  readonly now = (): number => this.at;

  /** Advances the clock. */
  pass(milliseconds: number): void {
    this.at += milliseconds;
  }

  readonly random: RandomBytes = (count) => {
    const parts: Buffer[] = [];
    for (let length = 0; length < count; length += DIGEST_BYTES)
      parts.push(
        createHash('sha256')
          .update(`example ${this.counter++}`)
          .digest(),
      );
    return Buffer.concat(parts).subarray(0, count);
  };
}

/** The PKCS #8 prefix of an Ed25519 key of 32 bytes (RFC 8410, section 7). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Whether signatures of the algorithm are deterministic. */
export const signsAlike = (algorithm: Algorithm): boolean => algorithm === 'EdDSA' || algorithm.startsWith('HS');

/** A signing key in the form that operators configure; deterministic if its signatures are. */
export function exampleKey(_scheme: string, algorithm: Algorithm): string {
  const bytes = Buffer.alloc(64, 'an example key');
  switch (algorithm) {
    case 'HS256':
    case 'HS384':
    case 'HS512':
      return bytes.toString('base64url');
    case 'EdDSA': {
      const key = Buffer.concat([ED25519, bytes.subarray(0, 32)]).toString('base64');
      return `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`;
    }
    case 'ES256':
      return pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    case 'RS256':
    case 'PS256':
      return pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  }
}

const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
  String(key.export({ type: 'pkcs8', format: 'pem' }));
