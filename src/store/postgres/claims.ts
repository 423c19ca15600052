import { hash } from 'node:crypto';
import type { Query, QueryResult } from './connections.ts';

/** How long a claim outlasts the node that made it, in seconds. */
const CLAIM_SECONDS = 15;

/**
 * Claims a key. Another node’s claim is replaced if its lease has ended, or if the answer to its request is kept
 * already.
 */
const CLAIM = `INSERT INTO ninefold_claim AS c (key, node, token, until)
  VALUES ($1, $2, $3, now() + interval '${CLAIM_SECONDS} seconds')
  ON CONFLICT (key) DO UPDATE SET node = excluded.node, token = excluded.token, until = excluded.until
  WHERE c.until <= now() OR c.node = excluded.node OR EXISTS (
    SELECT 1 FROM ninefold_answer a WHERE a.endpoint = $4 AND a.caller = $5 AND a.key = $6) RETURNING 1`;
const UNCLAIM = 'DELETE FROM ninefold_claim WHERE key = $1 AND token = $2 AND node = $3';

/**
 * Idempotency keys whose requests are in progress, on all nodes. Each key is claimed under a lease. A key has one
 * effect because one transaction makes it and stores the answer; a claim tells concurrent requests that the first is in
 * progress.
 */
export class Claims {
  private readonly node: string;
  private readonly send: (sent: Query) => Promise<QueryResult>;
  /** The claims of this node: a token for each key, which differs from the token of a later claim of the key. */
  private readonly mine = new Map<string, number>();
  private made = 0;

  constructor(node: string, send: (sent: Query) => Promise<QueryResult>) {
    this.node = node;
    this.send = send;
  }

  async claim(key: string): Promise<boolean> {
    if (this.mine.has(key)) return false;
    const token = ++this.made;
    this.mine.set(key, token);
    const [first, last] = [key.indexOf('\n'), key.lastIndexOf('\n')];
    const answer = [key.slice(0, first), key.slice(first + 1, last), key.slice(last + 1)];
    try {
      const values = [named(key), this.node, String(token), ...answer];
      const { rows } = await this.send({ name: 'ninefold_claim', text: CLAIM, values });
      if (rows.length) return true;
      this.mine.delete(key);
      return false;
    } catch (error) {
      this.mine.delete(key);
      throw error;
    }
  }

  /**
   * Gives up a claim. Without a connection, the claim ends with its lease; this node may claim the key again at once.
   */
  unclaim(key: string): void {
    const token = this.mine.get(key);
    if (token === undefined) return;
    this.mine.delete(key);
    const values = [named(key), String(token), this.node];
    this.send({ name: 'ninefold_unclaim', text: UNCLAIM, values }).catch(() => {});
  }
}

/** The hash of a key, since callers choose the length of keys. */
const named = (key: string): string => hash('sha256', key, 'base64');
