import type { Algorithm } from '../../plan/callers.ts';
import { candidates, publishedKeys, type VerifyingKey } from './signing-keys.ts';

/** The time-out of a request for keys, in milliseconds. */
const TIMEOUT_MS = 5000;
/** The largest accepted size of an answer, in bytes. */
const MOST_BYTES = 262_144;
/**
 * The least time between two requests for keys, when a token names an unknown key or after a failure, in milliseconds.
 */
const COOLDOWN_MS = 30_000;
const RETRY_MS = 5000;

/**
 * The keys that an issuer publishes as a JWK Set (RFC 7517). They are fetched when first needed, when the stated time
 * has passed, and when a token names an unknown key: the issuer may have a new one.
 */
export class PublishedKeys {
  private readonly url: string;
  private readonly kept: number;
  private readonly clock: () => number;
  private readonly algorithm: Algorithm;
  private keys: readonly VerifyingKey[] | null = null;
  private fetchedAt = Number.NEGATIVE_INFINITY;
  private failedAt = Number.NEGATIVE_INFINITY;
  /** The request in progress, which all that need the keys await. */
  private pending: Promise<void> | null = null;

  /** `clock` gives milliseconds since some instant. */
  constructor(url: string, kept: number, algorithm: Algorithm, clock: () => number = () => performance.now()) {
    this.clock = clock;
    this.url = url;
    this.kept = kept;
    this.algorithm = algorithm;
  }

  /** Returns the keys that may have signed a token; null where the issuer can't be reached. */
  async named(id: string | null): Promise<readonly VerifyingKey[] | null> {
    const now = this.clock();
    if (now - this.fetchedAt >= this.kept) {
      await this.fetch(now);
      if (this.clock() - this.fetchedAt >= this.kept) return null;
    }
    const isKnown = id === null ? this.keys!.length > 0 : this.keys!.some((one) => one.id === id);
    if (!isKnown && now - this.fetchedAt >= COOLDOWN_MS) await this.fetch(now);
    return candidates(this.keys!, id);
  }

  private async fetch(now: number): Promise<void> {
    if (now - this.failedAt < RETRY_MS) return;
    this.pending ??= this.ask().finally(() => {
      this.pending = null;
    });
    await this.pending;
  }

  private async ask(): Promise<void> {
    try {
      const keys = publishedKeys(await read(this.url), this.algorithm);
      if (!keys) throw new Error('No JWK Set');
      this.keys = keys;
      this.fetchedAt = this.clock();
    } catch {
      this.failedAt = this.clock();
    }
  }
}

/** Reads a text of bounded size in bounded time, from the address that the document states and no other. */
async function read(url: string): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error('Too large');
    chunks.push(chunk);
  }
  if (!response.ok) throw new Error(`Status ${response.status}`);
  return Buffer.concat(chunks).toString('utf8');
}
