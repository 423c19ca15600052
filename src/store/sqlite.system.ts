import type { SystemStatement } from './system.ts';

/** Counts are in memory, and are kept over a stop: arguments and columns are policy, key, count and when it ends. */
type Counting = 'write counter' | 'read counters' | 'clear counters';

/** The service's own statements in SQLite's SQL. The type makes a missing one a compile error. */
export const SQLITE_SYSTEM: Readonly<Record<SystemStatement | Counting, string>> = {
  'read meta': 'SELECT value FROM ninefold_meta WHERE key = ?',
  'list keys': `SELECT id, mark, CASE typeof(holder) WHEN 'blob' THEN lower(substr(hex(holder), 1, 8) || '-' ||
    substr(hex(holder), 9, 4) || '-' || substr(hex(holder), 13, 4) || '-' || substr(hex(holder), 17, 4) || '-' ||
    substr(hex(holder), 21)) ELSE holder END, scopes, created, revoked FROM ninefold_key ORDER BY created, id`,
  'revoke key': 'UPDATE ninefold_key SET revoked = ? WHERE id = ? AND revoked IS NULL RETURNING id',
  'find answer': `SELECT fingerprint, status, headers, body FROM ninefold_answer
    WHERE endpoint = ? AND caller = ? AND key = ? AND expires > ?`,
  'keep answer': `INSERT OR REPLACE INTO ninefold_answer
    (endpoint, caller, key, fingerprint, status, headers, body, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  'forget answers': `DELETE FROM ninefold_answer WHERE seq IN
    (SELECT seq FROM ninefold_answer WHERE expires <= ? LIMIT ?) RETURNING seq`,
  'insert receiver': 'INSERT INTO ninefold_receiver VALUES (?, ?, ?, ?, ?, ?)',
  'ensure receiver': `INSERT INTO ninefold_receiver (id, url, secret, version, allow_private, created) VALUES (?, ?, '', ?, 0, ?)
    ON CONFLICT (id) DO UPDATE SET url = excluded.url`,
  'subscribe receiver': 'INSERT OR IGNORE INTO ninefold_subscription (receiver, event) VALUES (?, ?)',
  'unsubscribe receiver': 'DELETE FROM ninefold_subscription WHERE receiver = ?',
  'change receiver': 'UPDATE ninefold_receiver SET version = ? WHERE id = ?',
  'list receivers': `SELECT r.id, r.url, r.version, r.allow_private, r.created,
    (SELECT json_group_array(event) FROM ninefold_subscription s WHERE s.receiver = r.id)
    FROM ninefold_receiver r ORDER BY r.created, r.id`,
  'remove receiver': 'DELETE FROM ninefold_receiver WHERE id = ? RETURNING id',
  'insert event': 'INSERT INTO ninefold_event (id, type, resource, row, at, data) VALUES (?, ?, ?, ?, ?, ?)',
  'insert streamed': 'INSERT INTO ninefold_streamed (event, recorded, row) VALUES (?, ?, ?)',
  'last streamed': 'SELECT coalesce(max(event), 0) FROM ninefold_streamed',
  'streamed events': `SELECT e.seq, e.type, e.resource, e.at, e.data, s.recorded, s.row
    FROM ninefold_streamed s JOIN ninefold_event e ON e.seq = s.event
    WHERE s.event > ? AND e.type IN (SELECT value FROM json_each(?)) ORDER BY s.event LIMIT ?`,
  'forget streamed': `DELETE FROM ninefold_streamed WHERE event IN (SELECT event FROM ninefold_streamed
    WHERE recorded <= ? AND event <= ? ORDER BY event LIMIT ?) RETURNING event`,
  'forget event': `DELETE FROM ninefold_event
    WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM ninefold_delivery d WHERE d.event = seq)`,
  'receivers of event': 'SELECT receiver FROM ninefold_subscription WHERE event = ?',
  // A line is free when nothing of it is pending for the receiver; otherwise the delivery waits without a due instant.
  'insert delivery': `INSERT INTO ninefold_delivery (event, receiver, line, due)
    SELECT a.event, a.receiver, a.line, CASE WHEN EXISTS (SELECT 1 FROM ninefold_delivery d
      WHERE d.receiver = a.receiver AND d.line = a.line AND d.state = 'pending') THEN NULL ELSE a.due END
    FROM (SELECT ? AS event, ? AS receiver, ? AS line, ? AS due) AS a`,
  'due deliveries': `SELECT d.id, e.id, e.type, e.at, e.data, d.attempts + 1, r.id, r.url, r.secret, r.allow_private, r.version
    FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    WHERE d.state = 'pending' AND d.due <= ? AND d.receiver NOT IN (SELECT value FROM json_each(?))
    ORDER BY d.due, d.id LIMIT ?`,
  // What is due to those who are skipped may be without end: it is not gone through, but stepped over by the receiver.
  'due deliveries of others': `WITH RECURSIVE waits (receiver) AS (
      SELECT * FROM (SELECT receiver FROM ninefold_delivery WHERE state = 'pending' AND due IS NOT NULL
        ORDER BY receiver LIMIT 1)
      UNION ALL SELECT (SELECT n.receiver FROM ninefold_delivery n WHERE n.state = 'pending' AND n.due IS NOT NULL
        AND n.receiver > w.receiver ORDER BY n.receiver LIMIT 1) FROM waits w WHERE w.receiver IS NOT NULL)
    SELECT d.id, e.id, e.type, e.at, e.data, d.attempts + 1, r.id, r.url, r.secret, r.allow_private, r.version
    FROM waits w CROSS JOIN ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event
    JOIN ninefold_receiver r ON r.id = d.receiver
    WHERE w.receiver NOT IN (SELECT value FROM json_each(?)) AND d.id IN (SELECT n.id FROM ninefold_delivery n
      WHERE n.receiver = w.receiver AND n.state = 'pending' AND n.due <= ? ORDER BY n.due, n.id LIMIT ?)
    ORDER BY d.due, d.id LIMIT ?`,
  'lease delivery': "UPDATE ninefold_delivery SET due = ? WHERE id = ? AND state = 'pending'",
  'delivery succeeded': `UPDATE ninefold_delivery SET state = 'delivered', attempts = attempts + 1, due = NULL,
    last_at = ?, last_result = ? WHERE id = ? AND due = ? AND state = 'pending' RETURNING id`,
  'delivery failed': `UPDATE ninefold_delivery SET attempts = attempts + 1, last_at = ?, last_result = ?,
    due = ? WHERE id = ? AND due = ? AND state = 'pending' RETURNING id`,
  'delivery given up': `UPDATE ninefold_delivery SET state = 'given up', attempts = attempts + 1, due = NULL,
    last_at = ?, last_result = ? WHERE id = ? AND due = ? AND state = 'pending' RETURNING id`,
  'release next': `UPDATE ninefold_delivery SET due = ? WHERE id = (SELECT n.id FROM ninefold_delivery d
    JOIN ninefold_delivery n ON n.receiver = d.receiver AND n.line = d.line AND n.state = 'pending'
    WHERE d.id = ? ORDER BY n.id LIMIT 1) AND due IS NULL`,
  'next delivery': `SELECT min(due) FROM ninefold_delivery WHERE state = 'pending' AND due IS NOT NULL`,
  'recall deliveries': "UPDATE ninefold_delivery SET due = ? WHERE state = 'pending' AND due > ? AND attempts = ?",
  'list deliveries': `SELECT d.id, e.id, e.type, e.row, d.receiver, r.url, d.state, d.attempts, d.due, d.last_at, d.last_result
    FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    ORDER BY d.id`,
  'replay delivery': `UPDATE ninefold_delivery AS d SET state = 'pending', attempts = 0,
    due = CASE WHEN EXISTS (SELECT 1 FROM ninefold_delivery o WHERE o.receiver = d.receiver AND o.line = d.line
      AND o.state = 'pending') THEN NULL ELSE ? END
    WHERE event = (SELECT seq FROM ninefold_event WHERE id = ?) AND state <> 'pending' RETURNING id`,
  'queue call': 'INSERT INTO ninefold_call (id, handler, takes, created, due) VALUES (?, ?, ?, ?, ?)',
  'due calls': `SELECT id, handler, takes, attempts FROM ninefold_call
    WHERE state = 'pending' AND due <= ? ORDER BY due, id LIMIT ?`,
  'lease call': "UPDATE ninefold_call SET due = ? WHERE id = ? AND state = 'pending'",
  'recall calls':
    "UPDATE ninefold_call SET due = ? WHERE state = 'pending' AND due > ? AND attempts = ? AND handler = ?",
  'call done': `UPDATE ninefold_call SET state = ?, attempts = attempts + 1, due = NULL, last_at = ?
    WHERE id = ? AND due = ? AND state = 'pending' RETURNING id`,
  'call failed': `UPDATE ninefold_call SET attempts = attempts + 1, last_at = ?, last_result = ?, due = ?
    WHERE id = ? AND due = ? AND state = 'pending' RETURNING id`,
  'next in sequence': 'UPDATE ninefold_sequence SET last = last + 1 WHERE name = ? AND per = ? RETURNING last',
  'forget sequence': 'DELETE FROM ninefold_sequence WHERE name = ? AND per = ?',
  'write counter': 'INSERT OR REPLACE INTO ninefold_counter VALUES (?, ?, ?, ?)',
  'read counters': 'SELECT policy, key, count, ends_at FROM ninefold_counter',
  'clear counters': 'DELETE FROM ninefold_counter',
};

/** What is to be known of some of them besides: the tables that they read, and whether they give a new row’s key. */
export const SYSTEM_TRAITS: Partial<
  Record<SystemStatement, { readonly reads?: readonly string[]; readonly numbers?: true }>
> = {
  'insert event': { numbers: true },
  'receivers of event': { reads: ['ninefold_subscription', 'ninefold_receiver'] },
};
