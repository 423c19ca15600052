import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long the key of the link works, in milliseconds, and for how many visits: one. */
const KEY_MS = 10 * 60_000;
/** How long a session lasts, in milliseconds: in all, and without being used. */
const SESSION_MS = 12 * 3_600_000;
const IDLE_MS = 30 * 60_000;

/** Somebody who has opened the console by its link. */
export interface Session {
  /** When it ends at the latest, in milliseconds since the epoch. */
  readonly ends: number;
}

interface StoredSession extends Session {
  readonly hash: Buffer;
  used: number;
}

/** Who may see the console: whoever opened the link, which works once, for as long as the session lasts. */
export class Access {
  private readonly now: () => number;
  private readonly expires: number;
  private key: Buffer | null;
  /** The key as it stands in the link. It is kept nowhere else. */
  readonly issued: string;
  private session: StoredSession | null = null;

  /** `now` gives milliseconds since the epoch. */
  constructor(now: () => number = Date.now) {
    this.now = now;
    this.expires = now() + KEY_MS;
    this.issued = randomBytes(32).toString('base64url');
    this.key = hashOf(this.issued);
  }

  /** The token of a new session; null where the key is not the right one, has been used, or is too old. */
  enter(key: string): string | null {
    const right = this.key !== null && timingSafeEqual(this.key, hashOf(key));
    if (!right || this.now() > this.expires) return null;
    this.key = null;
    const token = randomBytes(32).toString('base64url');
    this.session = { hash: hashOf(token), ends: this.now() + SESSION_MS, used: this.now() };
    return token;
  }

  /** The session of a token, which counts as used by this; null where there is none, or where it has ended. */
  find(token: string): Session | null {
    const { session } = this;
    if (!session || !timingSafeEqual(session.hash, hashOf(token))) return null;
    const now = this.now();
    if (now > session.ends || now > session.used + IDLE_MS) {
      this.session = null;
      return null;
    }
    session.used = now;
    return session;
  }

  /** Ends the session. */
  end(): void {
    this.session = null;
  }
}

/** Keys are compared by their hashes, which all have one length. */
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
