import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { LINK_MS } from '../runtime/operator-console.ts';

/** The longest lifetime of a session, and the longest time without use, in milliseconds. */
const SESSION_MS = 12 * 3_600_000;
const IDLE_MS = 30 * 60_000;

/** How long it takes at most until a session knows that it was ended by a command. */
const ENDS_MS = 1000;

/** The name of whoever opens the link that a service prints as it starts. */
const FIRST = 'operator';

/** A session, which opening a link of the console begins. */
export interface Session {
  /** The latest end of the session, in milliseconds since the epoch. */
  readonly ends: number;
  /** The name of the operator. */
  readonly name: string;
}

interface StoredSession extends Session {
  /** The commands before the session, which did not end it. Clocks may differ or be set, so no times are compared. */
  readonly before: Ends;
  used: number;
}

/** The commands that ended sessions: the name of the operator, by the identity of the command. */
type Ends = ReadonlyMap<string, string>;

/** Links that commands make, and the sessions that they end: `OperatorConsole`, while there is a store. */
export interface Links {
  take(key: string): Promise<string | null>;
  ends(): Promise<Ends>;
}

/** Access control of the console: opening a link, which works once, begins a session. */
export class Access {
  private readonly now: () => number;
  private readonly links: Links;
  private readonly expires: number;
  private key: Buffer | null;
  /** The key in the link of the start. Only its hash is compared, and only this field holds the key. */
  readonly issued: string;
  /** The sessions by the hashes of their tokens. */
  private readonly sessions = new Map<string, StoredSession>();
  private ended: Ends = new Map();
  private endsRead = Number.NEGATIVE_INFINITY;

  /** `now` gives milliseconds since the epoch. */
  constructor(links: Links, now: () => number = Date.now) {
    this.links = links;
    this.now = now;
    this.expires = now() + LINK_MS;
    this.issued = randomBytes(32).toString('base64url');
    this.key = hashOf(this.issued);
  }

  /** Begins a session and returns its token; null if the key is wrong, used or expired. */
  async enter(key: string): Promise<string | null> {
    const name = this.isFirst(key) ? FIRST : await this.links.take(key);
    if (name === null) return null;
    const token = randomBytes(32).toString('base64url');
    await this.readEnds();
    const now = this.now();
    this.sessions.set(idOf(token), { name, before: this.ended, ends: now + SESSION_MS, used: now });
    return token;
  }

  private isFirst(key: string): boolean {
    const right = this.key !== null && timingSafeEqual(this.key, hashOf(key));
    if (!right || this.now() > this.expires) return false;
    this.key = null;
    return true;
  }

  /** The session of a token, marked as used; null if there is none, or if it has ended. */
  async find(token: string): Promise<Session | null> {
    const id = idOf(token);
    const session = this.sessions.get(id);
    if (!session) return null;
    const now = this.now();
    if (now > session.ends || now > session.used + IDLE_MS || (await this.isEnded(session))) {
      this.sessions.delete(id);
      return null;
    }
    session.used = now;
    return session;
  }

  /** Ends a session. */
  end(session: Session): void {
    for (const [id, one] of this.sessions) if (one === session) this.sessions.delete(id);
  }

  /** Whether a command has ended a session. While the store does not answer, none is ended. */
  private async isEnded({ name, before }: StoredSession): Promise<boolean> {
    // After the clock was set back, the last reading has a time to come.
    if (Math.abs(this.now() - this.endsRead) >= ENDS_MS) await this.readEnds();
    return [...this.ended].some(([id, of]) => of === name && !before.has(id));
  }

  private async readEnds(): Promise<void> {
    this.endsRead = this.now();
    this.ended = await this.links.ends().catch(() => this.ended);
  }
}

/** Keys are compared by their hashes, which have equal length. */
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
const idOf = (token: string): string => hashOf(token).toString('hex');
