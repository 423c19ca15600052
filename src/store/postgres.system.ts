import type { SystemStatement } from './system.ts';

/** The service's own statements in PostgreSQL’s SQL. The type makes a missing one a compile error. */
export const POSTGRES_SYSTEM: Readonly<Record<SystemStatement, string>> = {
  'read meta': 'SELECT value FROM ninefold_meta WHERE key = $1',
  'list keys': 'SELECT id, mark, holder, scopes, created, revoked FROM ninefold_key ORDER BY created, id',
  'revoke key': 'UPDATE ninefold_key SET revoked = $1 WHERE id = $2 AND revoked IS NULL RETURNING id',
  'find answer': `SELECT fingerprint, status, headers, body FROM ninefold_answer
    WHERE endpoint = $1 AND caller = $2 AND key = $3 AND expires > $4`,
  'keep answer': `INSERT INTO ninefold_answer VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (key, caller, endpoint) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
    headers = excluded.headers, body = excluded.body, expires = excluded.expires`,
  'forget answers': `DELETE FROM ninefold_answer WHERE (key, caller, endpoint) IN
    (SELECT key, caller, endpoint FROM ninefold_answer WHERE expires <= $1 LIMIT $2) RETURNING 1`,
  'insert receiver': 'INSERT INTO ninefold_receiver VALUES ($1, $2, $3, $4, $5::boolean::int, $6)',
  'ensure receiver': `INSERT INTO ninefold_receiver (id, url, secret, version, allow_private, created) VALUES ($1, $2, '', $3, 0, $4)
    ON CONFLICT (id) DO UPDATE SET url = excluded.url`,
  'subscribe receiver': 'INSERT INTO ninefold_subscription (receiver, event) VALUES ($1, $2) ON CONFLICT DO NOTHING',
  'unsubscribe receiver': 'DELETE FROM ninefold_subscription WHERE receiver = $1',
  'change receiver': 'UPDATE ninefold_receiver SET version = $1 WHERE id = $2',
  'list receivers': `SELECT r.id, r.url, r.version, r.allow_private, r.created,
    (SELECT coalesce(jsonb_agg(event), '[]') FROM ninefold_subscription s WHERE s.receiver = r.id)::text
    FROM ninefold_receiver r ORDER BY r.created, r.id`,
  'remove receiver': 'DELETE FROM ninefold_receiver WHERE id = $1 RETURNING id',
  'insert event': `INSERT INTO ninefold_event (id, type, resource, "row", at, data) VALUES ($1, $2, $3, $4, $5, $6)
    RETURNING seq`,
  'insert streamed': 'INSERT INTO ninefold_streamed (event, recorded, "row") VALUES ($1, $2, $3)',
  'last streamed': "SELECT value::bigint FROM ninefold_meta WHERE key = 'streamed'",
  'streamed events': `SELECT s.place, e.type, e.resource, e.at, e.data, s.recorded, s."row"
    FROM ninefold_streamed s JOIN ninefold_event e ON e.seq = s.event
    WHERE s.place > $1 AND e.type IN (SELECT jsonb_array_elements_text($2::jsonb)) ORDER BY s.place LIMIT $3`,
  'forget streamed': `DELETE FROM ninefold_streamed WHERE event IN (SELECT event FROM ninefold_streamed
    WHERE recorded <= $1 AND place <= $2 ORDER BY place LIMIT $3) RETURNING event`,
  'forget event': `DELETE FROM ninefold_event
    WHERE seq = $1 AND NOT EXISTS (SELECT 1 FROM ninefold_delivery d WHERE d.event = seq)`,
  'receivers of event': 'SELECT receiver FROM ninefold_subscription WHERE event = $1',
  // A line is free when nothing of it is pending for the receiver; otherwise the delivery waits without a due instant.
  'insert delivery': `INSERT INTO ninefold_delivery (event, receiver, line, due)
    SELECT $1::bigint, $2::text, $3::text, CASE WHEN EXISTS (SELECT 1 FROM ninefold_delivery d
      WHERE d.receiver = $2 AND d.line = $3 AND d.state = 'pending') THEN NULL ELSE $4::bigint END`,
  'due deliveries': `SELECT d.id, e.id, e.type, e.at, e.data, d.attempts + 1, r.id, r.url, r.secret, r.allow_private, r.version
    FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    WHERE d.state = 'pending' AND d.due <= $1 AND d.receiver NOT IN (SELECT jsonb_array_elements_text($2::jsonb))
    ORDER BY d.due, d.id LIMIT $3`,
  // What is due to those who are skipped may be without end: it is not gone through, but stepped over by the receiver.
  'due deliveries of others': `WITH RECURSIVE waits (receiver) AS (
      (SELECT receiver FROM ninefold_delivery WHERE state = 'pending' AND due IS NOT NULL ORDER BY receiver LIMIT 1)
      UNION ALL SELECT (SELECT n.receiver FROM ninefold_delivery n WHERE n.state = 'pending' AND n.due IS NOT NULL
        AND n.receiver > w.receiver ORDER BY n.receiver LIMIT 1) FROM waits w WHERE w.receiver IS NOT NULL)
    SELECT d.id, e.id, e.type, e.at, e.data, d.attempts + 1, r.id, r.url, r.secret, r.allow_private, r.version
    FROM waits w CROSS JOIN LATERAL (SELECT n.id FROM ninefold_delivery n
      WHERE n.receiver = w.receiver AND n.state = 'pending' AND n.due <= $2 ORDER BY n.due, n.id LIMIT $3) AS first
    JOIN ninefold_delivery d ON d.id = first.id JOIN ninefold_event e ON e.seq = d.event
    JOIN ninefold_receiver r ON r.id = d.receiver
    WHERE w.receiver NOT IN (SELECT jsonb_array_elements_text($1::jsonb)) ORDER BY d.due, d.id LIMIT $4`,
  'lease delivery': "UPDATE ninefold_delivery SET due = $1 WHERE id = $2 AND state = 'pending'",
  'delivery succeeded': `UPDATE ninefold_delivery SET state = 'delivered', attempts = attempts + 1, due = NULL,
    last_at = $1, last_result = $2 WHERE id = $3 AND due = $4 AND state = 'pending' RETURNING id`,
  'delivery failed': `UPDATE ninefold_delivery SET attempts = attempts + 1, last_at = $1, last_result = $2,
    due = $3 WHERE id = $4 AND due = $5 AND state = 'pending' RETURNING id`,
  'delivery given up': `UPDATE ninefold_delivery SET state = 'given up', attempts = attempts + 1, due = NULL,
    last_at = $1, last_result = $2 WHERE id = $3 AND due = $4 AND state = 'pending' RETURNING id`,
  'release next': `UPDATE ninefold_delivery SET due = $1 WHERE id = (SELECT n.id FROM ninefold_delivery d
    JOIN ninefold_delivery n ON n.receiver = d.receiver AND n.line = d.line AND n.state = 'pending'
    WHERE d.id = $2 ORDER BY n.id LIMIT 1) AND due IS NULL`,
  'next delivery': "SELECT min(due) FROM ninefold_delivery WHERE state = 'pending' AND due IS NOT NULL",
  'recall deliveries': "UPDATE ninefold_delivery SET due = $1 WHERE state = 'pending' AND due > $2 AND attempts = $3",
  'list deliveries': `SELECT d.id, e.id, e.type, e."row", d.receiver, r.url, d.state, d.attempts, d.due, d.last_at, d.last_result
    FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    ORDER BY d.id`,
  'replay delivery': `UPDATE ninefold_delivery AS d SET state = 'pending', attempts = 0,
    due = CASE WHEN EXISTS (SELECT 1 FROM ninefold_delivery o WHERE o.receiver = d.receiver AND o.line = d.line
      AND o.state = 'pending') THEN NULL ELSE $1::bigint END
    WHERE event = (SELECT seq FROM ninefold_event WHERE id = $2) AND state <> 'pending' RETURNING id`,
  'queue call': 'INSERT INTO ninefold_call (id, handler, takes, created, due) VALUES ($1, $2, $3, $4, $5)',
  'due calls': `SELECT id, handler, takes, attempts FROM ninefold_call
    WHERE state = 'pending' AND due <= $1 ORDER BY due, id LIMIT $2`,
  'lease call': "UPDATE ninefold_call SET due = $1 WHERE id = $2 AND state = 'pending'",
  'recall calls':
    "UPDATE ninefold_call SET due = $1 WHERE state = 'pending' AND due > $2 AND attempts = $3 AND handler = $4",
  'call done': `UPDATE ninefold_call SET state = $1, attempts = attempts + 1, due = NULL, last_at = $2
    WHERE id = $3 AND due = $4 AND state = 'pending' RETURNING id`,
  'call failed': `UPDATE ninefold_call SET attempts = attempts + 1, last_at = $1, last_result = $2, due = $3
    WHERE id = $4 AND due = $5 AND state = 'pending' RETURNING id`,
  'next in sequence': 'UPDATE ninefold_sequence SET last = last + 1 WHERE name = $1 AND per = $2 RETURNING last',
  'forget sequence': 'DELETE FROM ninefold_sequence WHERE name = $1 AND per = $2',
};

const TEXT = 'text COLLATE "C"';

/**
 * Gives events that have been committed their place in the stream, in the order of their numbers; a row’s own events
 * are in theirs, since each of its changes waits for the one before. One node does it at a time.
 */
export const POSTGRES_PLACING: readonly string[] = [
  'BEGIN',
  "SELECT value FROM ninefold_meta WHERE key = 'streamed' FOR UPDATE",
  `WITH o AS (SELECT event, row_number() OVER (ORDER BY event) AS n FROM ninefold_streamed WHERE place IS NULL),
    b AS (SELECT value::bigint AS last FROM ninefold_meta WHERE key = 'streamed'),
    u AS (UPDATE ninefold_streamed s SET place = b.last + o.n FROM o, b WHERE s.event = o.event RETURNING 1)
    UPDATE ninefold_meta SET value = (value::bigint + (SELECT count(*) FROM u))::text WHERE key = 'streamed'
    AND EXISTS (SELECT 1 FROM u)`,
  'COMMIT',
];

/** Whether there are such events that nobody has given one. */
export const POSTGRES_UNPLACED = 'SELECT 1 FROM ninefold_streamed WHERE place IS NULL LIMIT 1';

/** The service's own tables. */
export const POSTGRES_TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS ninefold_key (
  id ${TEXT} PRIMARY KEY, hash bytea NOT NULL, holder ${TEXT} NOT NULL, scopes text NOT NULL,
  created bigint NOT NULL, revoked bigint, mark ${TEXT} NOT NULL DEFAULT '')`,
  'CREATE INDEX IF NOT EXISTS ninefold_key_holder ON ninefold_key (holder)',
  `CREATE TABLE IF NOT EXISTS ninefold_answer (
  endpoint ${TEXT} NOT NULL, caller ${TEXT} NOT NULL, key ${TEXT} NOT NULL, fingerprint bytea NOT NULL,
  status int NOT NULL, headers text NOT NULL, body text NOT NULL, expires bigint NOT NULL,
  PRIMARY KEY (key, caller, endpoint))`,
  'CREATE INDEX IF NOT EXISTS ninefold_answer_expires ON ninefold_answer (expires)',
  `CREATE TABLE IF NOT EXISTS ninefold_receiver (
  id ${TEXT} PRIMARY KEY, url text NOT NULL, secret text NOT NULL, version text NOT NULL,
  allow_private int NOT NULL, created bigint NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS ninefold_subscription (
  event ${TEXT} NOT NULL, receiver ${TEXT} NOT NULL REFERENCES ninefold_receiver (id) ON DELETE CASCADE,
  PRIMARY KEY (event, receiver))`,
  `CREATE TABLE IF NOT EXISTS ninefold_event (
  seq bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, id ${TEXT} NOT NULL UNIQUE, type ${TEXT} NOT NULL,
  resource text NOT NULL, "row" text NOT NULL, at bigint NOT NULL, data text NOT NULL)`,
  // Sequences don’t count in the order of commits: the place in the stream is given once an event is committed.
  `CREATE TABLE IF NOT EXISTS ninefold_streamed (
  event bigint PRIMARY KEY REFERENCES ninefold_event (seq), recorded bigint NOT NULL, "row" text, place bigint UNIQUE)`,
  'CREATE INDEX IF NOT EXISTS ninefold_streamed_unplaced ON ninefold_streamed (event) WHERE place IS NULL',
  `CREATE TABLE IF NOT EXISTS ninefold_delivery (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, event bigint NOT NULL REFERENCES ninefold_event (seq),
  receiver ${TEXT} NOT NULL REFERENCES ninefold_receiver (id) ON DELETE CASCADE, line ${TEXT} NOT NULL,
  state text NOT NULL DEFAULT 'pending', attempts int NOT NULL DEFAULT 0, due bigint,
  last_at bigint, last_result text)`,
  `CREATE INDEX IF NOT EXISTS ninefold_delivery_due ON ninefold_delivery (due) WHERE state = 'pending' AND due IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS ninefold_delivery_receiver ON ninefold_delivery (receiver, due)
  WHERE state = 'pending' AND due IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS ninefold_delivery_line ON ninefold_delivery (receiver, line, id) WHERE state = 'pending'`,
  'CREATE INDEX IF NOT EXISTS ninefold_delivery_event ON ninefold_delivery (event)',
  `CREATE TABLE IF NOT EXISTS ninefold_sequence (
  name ${TEXT} NOT NULL, per ${TEXT} NOT NULL, last bigint NOT NULL, PRIMARY KEY (name, per))`,
  `CREATE TABLE IF NOT EXISTS ninefold_call (
  id ${TEXT} PRIMARY KEY, handler text NOT NULL, takes text NOT NULL, created bigint NOT NULL,
  state text NOT NULL DEFAULT 'pending', attempts int NOT NULL DEFAULT 0, due bigint, last_at bigint, last_result text)`,
  `CREATE INDEX IF NOT EXISTS ninefold_call_due ON ninefold_call (due) WHERE state = 'pending'`,
  // What only says what nodes are doing now need not outlive a crash of the server, and costs no sync.
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_claim (
  key ${TEXT} PRIMARY KEY, node ${TEXT} NOT NULL, token bigint NOT NULL, until timestamptz NOT NULL)`,
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_node (node ${TEXT} PRIMARY KEY, until timestamptz NOT NULL)`,
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_rate (
  policy bigint NOT NULL, key ${TEXT} NOT NULL, ends_at bigint NOT NULL, granted int NOT NULL, given int NOT NULL,
  wanted boolean NOT NULL, PRIMARY KEY (policy, key))`,
  'CREATE INDEX IF NOT EXISTS ninefold_rate_ends ON ninefold_rate (ends_at)',
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_share (
  policy bigint NOT NULL, key ${TEXT} NOT NULL, node ${TEXT} NOT NULL, ends_at bigint NOT NULL,
  PRIMARY KEY (policy, key, node))`,
  'CREATE INDEX IF NOT EXISTS ninefold_share_node ON ninefold_share (node)',
  'CREATE INDEX IF NOT EXISTS ninefold_share_ends ON ninefold_share (ends_at)',
  `CREATE TABLE IF NOT EXISTS ninefold_letter (
  kind ${TEXT} NOT NULL, letter ${TEXT} NOT NULL, becomes text NOT NULL, PRIMARY KEY (kind, letter))`,
];
