import type { Granted, Pool, Rate } from '../rate-quota.ts';
import { DATABASE_TIME, type DatabaseClock } from './clock.ts';
import type { Query, QueryResult } from './connections.ts';

/** How long a node counts as alive after its last sign of life, in seconds. Shares of a dead node count as used. */
export const NODE_SECONDS = 5;

/** The database’s time at the start of a statement, by which windows of all nodes begin and end. */
const NOW = '(extract(epoch FROM statement_timestamp()) * 1000)::bigint';
/**
 * A window that ends by more than so many milliseconds after a window that would begin now shows that the clock was set
 * back. Smaller differences come from waiting for another node that opened the window.
 */
const WAITED = 10_000;

/**
 * Takes requests from a window, as many as it has left, and opens a new window where the last one has ended. With more
 * than one request, a node holds a share. The store records the share, so other nodes know whom to ask. Once a node has
 * asked for a share, each node takes one request at a time.
 */
const ASK = `WITH granted AS (
    INSERT INTO ninefold_rate AS r (policy, key, ends_at, granted, given, wanted)
    VALUES ($1, $2, ${NOW} + $3::bigint, least($4::int, $5::int), least($4::int, $5::int), false)
    ON CONFLICT (policy, key) DO UPDATE SET
      ends_at = CASE WHEN r.ends_at > ${NOW} AND r.ends_at <= excluded.ends_at + ${WAITED} THEN r.ends_at
        ELSE excluded.ends_at END,
      given = CASE WHEN r.ends_at > ${NOW}
        THEN greatest(0, least(CASE WHEN r.wanted THEN 1 ELSE $4::int END, $5::int - r.granted)) ELSE excluded.given END,
      granted = CASE WHEN r.ends_at > ${NOW}
        THEN r.granted + greatest(0, least(CASE WHEN r.wanted THEN 1 ELSE $4::int END, $5::int - r.granted))
        ELSE excluded.granted END,
      wanted = r.ends_at > ${NOW} AND (r.wanted OR r.granted >= $5::int)
    RETURNING ends_at, granted, given),
  noted AS (
    INSERT INTO ninefold_share (policy, key, node, ends_at)
    SELECT $1::bigint, $2::text, $6::text, ends_at FROM granted WHERE given > 1
    ON CONFLICT (policy, key, node) DO UPDATE SET ends_at = excluded.ends_at)
  SELECT given, greatest(0, $5::int - granted), ends_at, ends_at - ${NOW} FROM granted`;
const HELD = `SELECT 1 FROM ninefold_share s JOIN ninefold_node n ON n.node = s.node AND n.until > now()
  WHERE s.policy = $1 AND s.key = $2 AND s.node <> $3 AND s.ends_at = $4 LIMIT 1`;
const GIVE_BACK = `WITH gone AS (DELETE FROM ninefold_share WHERE policy = $1 AND key = $2 AND node = $3)
  UPDATE ninefold_rate SET granted = granted - $4::int WHERE policy = $1 AND key = $2 AND ends_at = $5`;
const WANTED = `SELECT s.policy, s.key FROM ninefold_share s JOIN ninefold_rate r
  ON r.policy = s.policy AND r.key = s.key WHERE s.node = $1 AND r.wanted AND r.ends_at = s.ends_at`;
const ALIVE = `INSERT INTO ninefold_node (node, until) VALUES ($1, now() + interval '${NODE_SECONDS} seconds')
  ON CONFLICT (node) DO UPDATE SET until = excluded.until
  RETURNING (SELECT count(*) FROM ninefold_node n WHERE n.until > now() AND n.node <> $1), ${DATABASE_TIME}`;

/** Deletes windows that ended a while ago, and nodes without a sign of life. */
const DROP = [
  `DELETE FROM ninefold_rate WHERE (policy, key) IN (SELECT policy, key FROM ninefold_rate WHERE ends_at < ${NOW} - $1::bigint LIMIT 500)`,
  `DELETE FROM ninefold_share WHERE (policy, key, node) IN
    (SELECT policy, key, node FROM ninefold_share WHERE ends_at < ${NOW} - $1::bigint LIMIT 500)`,
];
const DROP_NODES = "DELETE FROM ninefold_node WHERE until < now() - interval '1 hour'";

/** How long ended windows are kept, in milliseconds: nodes may still be returning requests that they did not use. */
const KEPT = 60_000;

function grantedOf({ rows }: QueryResult): Granted {
  const [given, free, endsAt, left] = rows[0] as [number, number, number, number];
  return { given, free, endsAt, left, held: false };
}

/** Counts of rates in the database: see `store/rate-quota.ts`. */
export class RatePool implements Pool {
  nodes = 1;
  private readonly node: string;
  private readonly clock: DatabaseClock;
  private readonly send: (sent: Query) => Promise<QueryResult>;
  private readonly others: { readonly ready: () => Promise<void>; readonly want: () => void };

  /**
   * `clock` receives the database’s time with each sign of life. `ready` resolves once other nodes know of this node.
   * `want` asks the holders of shares to return unused requests.
   */
  constructor(
    node: string,
    send: (sent: Query) => Promise<QueryResult>,
    clock: DatabaseClock,
    others: RatePool['others'],
  ) {
    this.node = node;
    this.clock = clock;
    this.send = send;
    this.others = others;
  }

  async ask(policy: number, key: string, rate: Rate, most: number): Promise<Granted> {
    const values = [policy, key, rate.milliseconds, most, Math.floor(rate.count), this.node].map(String);
    const sent = { name: 'ninefold_ask', text: ASK, values };
    const first = grantedOf(await this.send(sent));
    if (first.given > 0) return first;
    // The demand is recorded now, so that no node takes a new share: the shares in the result are all there are.
    const where = [String(policy), key, this.node, String(first.endsAt)];
    const { rows } = await this.send({ name: 'ninefold_held', text: HELD, values: where });
    if (rows.length === 0) return grantedOf(await this.send(sent));
    this.others.want();
    return { ...first, held: true };
  }

  async giveBack(policy: number, key: string, endsAt: number, unused: number): Promise<void> {
    const values = [String(policy), key, this.node, String(unused), String(endsAt)];
    await this.send({ name: 'ninefold_give_back', text: GIVE_BACK, values });
  }

  /** The shares of this node that other nodes have asked for. */
  async wanted(): Promise<Array<[policy: number, key: string]>> {
    return (await this.send({ name: 'ninefold_wanted', text: WANTED, values: [this.node] })).rows as [number, string][];
  }

  ready(): Promise<void> {
    return this.others.ready();
  }

  /** Gives a sign of life, and returns the number of living nodes. */
  async alive(): Promise<void> {
    const asked = this.clock.asked();
    const { rows } = await this.send({ name: 'ninefold_alive', text: ALIVE, values: [this.node] });
    const [others, time] = rows[0] as [number, number];
    this.clock.heard(asked, time);
    this.nodes = others + 1;
  }

  async drop(): Promise<void> {
    for (const text of DROP) await this.send({ text, values: [String(KEPT)] });
    await this.send({ text: DROP_NODES });
  }

  async leave(): Promise<void> {
    await this.send({ text: 'DELETE FROM ninefold_node WHERE node = $1', values: [this.node] });
  }
}
