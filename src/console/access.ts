import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The lifetime of the key in the link, in milliseconds. The key works once. */
const KEY_MS = 10 * 60_000;
/** The longest lifetime of a session, and the longest time without use, in milliseconds. */
const SESSION_MS = 12 * 3_600_000;
const IDLE_MS = 30 * 60_000;

/** A session, which opening the link of the console begins. */
export interface Session {
  /** The latest end of the session, in milliseconds since the epoch. */
  readonly ends: number;
}

interface StoredSession extends Session {
  readonly hash: Buffer;
  used: number;
}

/** Access control of the console: opening the link, which works once, begins a session. */
export class Access {
  private readonly now: () => number;
  private readonly expires: number;
  private key: Buffer | null;
  /** The key in the link. Only its hash is compared, and only this field holds the key. */
  readonly issued: string;
  private session: StoredSession | null = null;

  /** `now` gives milliseconds since the epoch. */
  constructor(now: () => number = Date.now) {
    this.now = now;
    this.expires = now() + KEY_MS;
    this.issued = randomBytes(32).toString('base64url');
    this.key = hashOf(this.issued);
  }

  /** Begins a session and returns its token; null if the key is wrong, used or expired. */
  enter(key: string): string | null {
    const right = this.key !== null && timingSafeEqual(this.key, hashOf(key));
    if (!right || this.now() > this.expires) return null;
    this.key = null;
    const token = randomBytes(32).toString('base64url');
    this.session = { hash: hashOf(token), ends: this.now() + SESSION_MS, used: this.now() };
    return token;
  }

  /** The session of a token, marked as used; null if there is none, or if it has ended. */
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

/** Keys are compared by their hashes, which have equal length. */
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
