import { STRING } from '../../expression/tree/types.ts';
import type { SystemStatement } from '../system.ts';
import { ANSWER_BODY } from './answers.ts';
import type { ArgumentKind, StoreDialect } from './dialect.ts';

type BindArgument = (kind: ArgumentKind) => string;

/** A part between the texts of a statement: the place of an argument of a kind, or SQL that the dialect writes. */
type Part = ArgumentKind | ((dialect: StoreDialect, argument: BindArgument) => string);

interface SystemSql {
  readonly texts: readonly string[];
  readonly parts: readonly Part[];
  /** The table that the statement writes. */
  readonly writes?: string;
  /** The tables that the statement reads, if its results are worth a memo. */
  readonly reads?: readonly string[];
  /** The column that numbers the inserted row, and that the statement returns. */
  readonly keyColumn?: string;
}

type Tag = (texts: TemplateStringsArray, ...parts: Part[]) => SystemSql;

const query: Tag = (texts, ...parts) => ({ texts, parts });

/** A query whose results are kept in a memo until one of these tables is written. */
const remembered =
  (...reads: string[]): Tag =>
  (texts, ...parts) => ({ texts, parts, reads });

const changing =
  (verb: string) =>
  (writes: string): Tag =>
  ([first = '', ...rest], ...parts) => ({ texts: [`${verb} ${writes} ${first}`, ...rest], parts, writes });

const update = changing('UPDATE');
const insertInto = changing('INSERT INTO');
const deleteFrom = changing('DELETE FROM');

const own =
  (name: 'holderText' | 'place' | 'lastPlace' | 'nextEvent' | 'clock'): Part =>
  ({ system }) =>
    system[name];
const PLACE = own('place');
const CLOCK = own('clock');

/** A hash of 64 bits, which no number of JavaScript holds: its decimal digits are bound. */
const HASH: Part = (_, argument) => `CAST(${argument('text')} AS BIGINT)`;

/** The strings of a JSON array, as a query. */
const TEXTS: Part = (dialect, argument) =>
  `SELECT ${dialect.item('i', false, STRING)} FROM ${dialect.items(argument('list'), 'i')}`;

/** Many rows, as a JSON array of arrays. */
const ROWS: Part = (dialect, argument) => dialect.items(argument('list'), 'i');

const DELIVERY: Part = () =>
  'd.id, e.id, e.type, e.at, coalesce(d.data, e.packed), d.attempts + 1, d.tried, r.id, r.url, r.secret, r.allow_private, r.version, r.paused, r.old_secret, r.old_until';

/** The columns of a delivery in a list. */
const LISTED: Part = () =>
  'd.id, e.id, e.type, e."row", d.receiver, r.url, d.state, d.attempts, d.due, d.last_at, d.last_result, e.resource';

/** The events of the subscriptions `s`, as text of a JSON array. */
const EVENTS: Part = (dialect) => `CAST((SELECT ${dialect.arrayOf('s.event', ['s.event'])}
    FROM ninefold_subscription s WHERE s.receiver = r.id) AS TEXT)`;

/** Joins deliveries, events and receivers, and filters them by the arguments; an empty text matches all. */
const DELIVERIES_LIKE: Part = (_, argument) => {
  const like = (column: string): string => `${argument('text')} IN ('', ${column})`;
  const state = "CASE WHEN d.state = 'pending' AND d.due IS NULL THEN 'waiting' ELSE d.state END";
  const all = [state, 'e.type', 'd.receiver', 'e.id', 'e.resource', 'e."row"'].map(like);
  return `ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    WHERE ${all.join(' AND ')}`;
};

/** The pending deliveries of the line of `a`: one that is found stays pending until the end of the transaction. */
const PENDING_IN_LINE: Part = ({ system }) =>
  `SELECT 1 FROM ninefold_delivery d
      WHERE d.receiver = a.receiver AND d.line = a.line AND d.state = 'pending'${system.held}`;

/** A condition for receivers that the operator has registered; receivers that are rows have other ids. */
const REGISTERED: Part = () => "r.id >= 'rcv_' AND r.id < 'rcv`'";

/**
 * A recursive query `waits` for the receivers with a due delivery, found one after another, however many are due to
 * each.
 */
const WAITS: Part = () => `waits (receiver) AS (
      SELECT * FROM (SELECT receiver FROM ninefold_delivery WHERE state = 'pending' AND due IS NOT NULL
        ORDER BY receiver LIMIT 1) AS one
      UNION ALL SELECT (SELECT n.receiver FROM ninefold_delivery n WHERE n.state = 'pending' AND n.due IS NOT NULL
        AND n.receiver > w.receiver ORDER BY n.receiver LIMIT 1) FROM waits w WHERE w.receiver IS NOT NULL)`;

/** The earliest due instant of the receiver `w`. */
const SOONEST: Part = () => `SELECT min(n.due) FROM ninefold_delivery n
      WHERE n.receiver = w.receiver AND n.state = 'pending' AND n.due IS NOT NULL`;

const FIRST_DUE: Part = ({ system }, argument) =>
  system.deliveriesOf(`SELECT n.id FROM ninefold_delivery n
      WHERE n.receiver = w.receiver AND n.state = 'pending' AND n.due <= ${argument('timestamp')}
      ORDER BY n.due, n.id LIMIT ${argument('integer')}`);

/** The service's own statements. The type makes a missing one a compile error. */
export const SYSTEM: Readonly<Record<SystemStatement, SystemSql>> = {
  'read meta': query`SELECT value FROM ninefold_meta WHERE key = ${'text'}`,
  'list keys': query`SELECT id, mark, ${own('holderText')}, scopes, created, revoked FROM ninefold_key ORDER BY created, id`,
  'revoke key': update(
    'ninefold_key',
  )`SET revoked = ${'timestamp'} WHERE id = ${'text'} AND revoked IS NULL RETURNING id`,
  'forget keys': deleteFrom('ninefold_key')`WHERE id IN
    (SELECT id FROM ninefold_key WHERE revoked <= ${'timestamp'} LIMIT ${'integer'}) RETURNING id`,
  'claim key': query`${(dialect, argument) => dialect.system.claimed(argument('text'))}`,
  // The keys distinguish answers with the same hash.
  'find answer': query`SELECT a.fingerprint, a.status, a.headers, ${() => ANSWER_BODY}, a.expires, a.seq
    FROM ninefold_answer a WHERE a.hash = ${HASH} AND a.endpoint = ${'text'} AND a.caller = ${'text'}
    AND a.key = ${'text'}`,
  'keep answer': insertInto(
    'ninefold_answer',
  )`(hash, endpoint, caller, key, fingerprint, status, headers, own_body, event, expires)
    VALUES (${HASH}, ${'text'}, ${'text'}, ${'text'}, ${'bytes'}, ${'integer'}, ${'text'}, ${'text'}, ${'integer'},
    ${'timestamp'})`,
  'drop answer': deleteFrom('ninefold_answer')`WHERE seq = ${'integer'}`,
  'forget answers': deleteFrom('ninefold_answer')`WHERE seq IN
    (SELECT seq FROM ninefold_answer WHERE expires <= ${'timestamp'} LIMIT ${'integer'}) RETURNING 1`,
  'give answers bodies': update('ninefold_answer')`AS a
    SET own_body = (SELECT e.packed FROM ninefold_event e WHERE e.seq = a.event), event = NULL WHERE a.event = ${'integer'}
    AND NOT EXISTS (SELECT 1 FROM ninefold_delivery d WHERE d.event = a.event)
    AND NOT EXISTS (SELECT 1 FROM ninefold_streamed s WHERE s.event = a.event) RETURNING seq`,
  'insert receiver': insertInto('ninefold_receiver')`(id, url, secret, version, allow_private, created)
    VALUES (${'text'}, ${'text'}, ${'text'}, ${'text'}, CAST(${'boolean'} AS INTEGER), ${'timestamp'})`,
  'ensure receiver': insertInto('ninefold_receiver')`(id, url, secret, version, allow_private, created)
    VALUES (${'text'}, ${'text'}, '', ${'text'}, 0, ${'timestamp'}) ON CONFLICT (id) DO UPDATE SET url = excluded.url`,
  'subscribe receiver': insertInto('ninefold_subscription')`(receiver, event) VALUES (${'text'}, ${'text'})
    ON CONFLICT DO NOTHING`,
  'unsubscribe receiver': deleteFrom('ninefold_subscription')`WHERE receiver = ${'text'}`,
  'change receiver': update('ninefold_receiver')`SET version = ${'text'} WHERE id = ${'text'}`,
  'move receiver': update('ninefold_receiver')`SET url = ${'text'}, allow_private = CAST(${'boolean'} AS INTEGER)
    WHERE id = ${'text'}`,
  'pause receiver': update('ninefold_receiver')`SET paused = ${'timestamp'} WHERE id = ${'text'} AND paused IS NULL`,
  'resume receiver': update('ninefold_receiver')`SET paused = NULL WHERE id = ${'text'}`,
  'rotate secret': update('ninefold_receiver')`SET old_secret = secret, old_until = ${'timestamp'}, secret = ${'text'}
    WHERE id = ${'text'}`,
  'forget old secrets': update('ninefold_receiver')`AS r SET old_secret = NULL, old_until = NULL
    WHERE ${REGISTERED} AND r.old_until <= ${'timestamp'}`,
  'ended old secrets': query`SELECT r.id FROM ninefold_receiver r WHERE ${REGISTERED} AND r.old_until <= ${'timestamp'}`,
  'registered receivers': query`SELECT r.id, r.url, r.version, r.allow_private, r.created, ${EVENTS}, r.paused, r.old_until
    FROM ninefold_receiver r WHERE ${REGISTERED} ORDER BY r.created, r.id`,
  'held receivers': query`SELECT r.id FROM ninefold_receiver r
    WHERE ${REGISTERED} AND (r.paused IS NOT NULL OR r.version NOT IN (${TEXTS}))`,
  'find receiver': query`SELECT r.id, r.url, r.secret, r.allow_private, r.version, r.paused, r.old_secret, r.old_until
    FROM ninefold_receiver r WHERE r.id = ${'text'}`,
  'list receivers': query`SELECT r.id, r.url, r.version, r.allow_private, r.created, ${EVENTS}
    FROM ninefold_receiver r ORDER BY r.created, r.id`,
  'remove receiver': deleteFrom('ninefold_receiver')`WHERE id = ${'text'} RETURNING id`,
  'remove gone receiver': deleteFrom('ninefold_receiver')`WHERE id = ${'text'} AND url = ${'text'} RETURNING id`,
  'insert event': {
    ...insertInto('ninefold_event')`(id, type, resource, "row", at, packed)
    VALUES (${'text'}, ${'text'}, ${'text'}, ${'text'}, ${'timestamp'}, ${'text'})${({ givingKey }) => givingKey('seq')}`,
    keyColumn: 'seq',
  },
  'next event': query`${own('nextEvent')}`,
  'insert event at': insertInto('ninefold_event')`(seq, id, type, resource, "row", at, packed)
    VALUES (${'integer'}, ${'text'}, ${'text'}, ${'text'}, ${'text'}, ${'timestamp'}, ${'text'})`,
  'insert events': insertInto('ninefold_event')`(id, type, resource, "row", at, packed)
    SELECT i.value ->> 0, i.value ->> 1, i.value ->> 2, i.value ->> 3, CAST(i.value ->> 4 AS BIGINT), i.value ->> 5
    FROM ${ROWS} WHERE true ORDER BY i.key RETURNING seq`,
  'insert streamed': insertInto('ninefold_streamed')`(event, recorded, "row")
    VALUES (${'integer'}, ${'timestamp'}, ${'text'})`,
  'last streamed': query`${own('lastPlace')}`,
  'streamed events': query`SELECT ${PLACE}, e.type, e.resource, e.at, e.packed, s.recorded, s."row"
    FROM ninefold_streamed s JOIN ninefold_event e ON e.seq = s.event
    WHERE ${PLACE} > ${'integer'} AND e.type IN (${TEXTS}) ORDER BY ${PLACE} LIMIT ${'integer'}`,
  'forget streamed': deleteFrom('ninefold_streamed')`WHERE event IN (SELECT s.event FROM ninefold_streamed s
    WHERE s.recorded <= ${'timestamp'} AND ${PLACE} <= ${'integer'} ORDER BY ${PLACE} LIMIT ${'integer'}) RETURNING event`,
  'forget event': deleteFrom('ninefold_event')`
    WHERE seq = ${'integer'} AND NOT EXISTS (SELECT 1 FROM ninefold_delivery d WHERE d.event = seq)
    AND NOT EXISTS (SELECT 1 FROM ninefold_streamed s WHERE s.event = seq)
    AND NOT EXISTS (SELECT 1 FROM ninefold_answer a WHERE a.event = seq) RETURNING seq`,
  'forget deliveries': deleteFrom('ninefold_delivery')`WHERE id IN (SELECT d.id FROM ninefold_delivery d
    WHERE d.state <> 'pending' AND d.last_at <= ${'timestamp'} ORDER BY d.last_at LIMIT ${'integer'}) RETURNING event`,
  'oldest events': query`SELECT seq, at FROM ninefold_event WHERE seq > ${'integer'} ORDER BY seq LIMIT ${'integer'}`,
  'receivers of event': remembered(
    'ninefold_subscription',
    'ninefold_receiver',
  )`SELECT receiver FROM ninefold_subscription WHERE event = ${'text'}`,
  // A line is free when nothing of it is pending for the receiver; otherwise the delivery waits without a due instant.
  'insert delivery': insertInto('ninefold_delivery')`(event, receiver, line, due, data)
    SELECT a.event, a.receiver, a.line, CASE WHEN EXISTS (${PENDING_IN_LINE}) THEN NULL ELSE a.due END, a.data
    FROM (SELECT ${'integer'} AS event, ${'text'} AS receiver, ${'text'} AS line, ${'timestamp'} AS due,
      ${'text'} AS data) AS a`,
  'insert deliveries': insertInto('ninefold_delivery')`(event, receiver, line, due, data)
    SELECT a.event, a.receiver, a.line, CASE WHEN EXISTS (${PENDING_IN_LINE}) THEN NULL ELSE a.due END, a.data
    FROM (SELECT i.key AS place, CAST(i.value ->> 0 AS BIGINT) AS event, i.value ->> 1 AS receiver,
      i.value ->> 2 AS line, CAST(i.value ->> 3 AS BIGINT) AS due, i.value ->> 4 AS data
      FROM ${ROWS}) AS a WHERE true ORDER BY a.place`,
  'due deliveries': query`SELECT ${DELIVERY}
    FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    WHERE d.state = 'pending' AND d.due <= ${'timestamp'} AND d.receiver NOT IN (${TEXTS})
    ORDER BY d.due, d.id LIMIT ${'integer'}`,
  // The skipped receivers may have any number of due deliveries, so the query steps from receiver to receiver instead
  // of reading those deliveries. The limit also bounds the receivers: those with the earliest due deliveries are
  // enough.
  'due deliveries of others': query`WITH RECURSIVE ${WAITS}
    SELECT ${DELIVERY}
    FROM (SELECT w.receiver FROM waits w WHERE w.receiver IS NOT NULL AND w.receiver NOT IN (${TEXTS})
      ORDER BY (${SOONEST}) LIMIT ${'integer'}) AS w ${FIRST_DUE}
    JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    ORDER BY d.due, d.id LIMIT ${'integer'}`,
  'lease delivery': update('ninefold_delivery')`SET due = ${'timestamp'} WHERE id = ${'integer'} AND state = 'pending'`,
  'delivery succeeded': update('ninefold_delivery')`SET state = 'delivered', attempts = attempts + 1, due = NULL,
    last_at = ${'timestamp'}, last_result = ${'text'}, tried = ${'text'}
    WHERE id = ${'integer'} AND due = ${'timestamp'} AND state = 'pending' RETURNING id`,
  'delivery failed': update('ninefold_delivery')`SET attempts = attempts + 1, last_at = ${'timestamp'},
    last_result = ${'text'}, tried = ${'text'}, due = ${'timestamp'}
    WHERE id = ${'integer'} AND due = ${'timestamp'} AND state = 'pending' RETURNING id`,
  'delivery given up': update('ninefold_delivery')`SET state = 'given up', attempts = attempts + 1, due = NULL,
    last_at = ${'timestamp'}, last_result = ${'text'}, tried = ${'text'}
    WHERE id = ${'integer'} AND due = ${'timestamp'} AND state = 'pending' RETURNING id`,
  'release next': update('ninefold_delivery')`SET due = ${'timestamp'} WHERE id = (SELECT n.id FROM ninefold_delivery d
    JOIN ninefold_delivery n ON n.receiver = d.receiver AND n.line = d.line AND n.state = 'pending'
    WHERE d.id = ${'integer'} ORDER BY n.id LIMIT 1) AND due IS NULL`,
  'next delivery': query`SELECT d.due, r.id, r.version, r.paused FROM ninefold_delivery d
    JOIN ninefold_receiver r ON r.id = d.receiver
    WHERE d.id = (SELECT n.id FROM ninefold_delivery n WHERE n.state = 'pending' AND n.due =
      (SELECT min(m.due) FROM ninefold_delivery m WHERE m.state = 'pending' AND m.due IS NOT NULL) LIMIT 1)`,
  'next delivery of others': query`WITH RECURSIVE ${WAITS}
    SELECT min((${SOONEST})) FROM waits w WHERE w.receiver IS NOT NULL AND w.receiver NOT IN (${TEXTS})`,
  // Deliveries have no index by receiver unless they are pending, so only the last ones are counted.
  'recent outcomes': query`SELECT r.id, r.url, l.delivered, l.failed, l.success FROM ninefold_receiver r
    JOIN (SELECT d.receiver, sum(CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END) AS delivered,
      sum(CASE WHEN d.state = 'given up' THEN 1 ELSE 0 END) AS failed,
      max(CASE WHEN d.state = 'delivered' THEN d.last_at END) AS success
      FROM (SELECT receiver, state, last_at FROM ninefold_delivery ORDER BY id DESC LIMIT ${'integer'}) AS d
      GROUP BY d.receiver) AS l ON l.receiver = r.id
    ORDER BY l.failed DESC, r.id LIMIT ${'integer'}`,
  'waiting for receivers': query`SELECT r.id, (SELECT count(*) FROM (SELECT 1 FROM ninefold_delivery p
      WHERE p.receiver = r.id AND p.state = 'pending' LIMIT ${'integer'}) AS c),
    (SELECT min(n.due) FROM ninefold_delivery n
      WHERE n.receiver = r.id AND n.state = 'pending' AND n.due IS NOT NULL)
    FROM ninefold_receiver r WHERE r.id IN (${TEXTS})`,
  // Counts through the index of pending deliveries, up to the limit, since there may be any number.
  'pending deliveries': query`SELECT c.number, e.at FROM (SELECT count(*) AS number, min(p.id) AS first FROM
      (SELECT id FROM ninefold_delivery WHERE state = 'pending' ORDER BY receiver, line, id LIMIT ${'integer'}) AS p) AS c
    LEFT JOIN ninefold_delivery d ON d.id = c.first LEFT JOIN ninefold_event e ON e.seq = d.event`,
  'recall deliveries': update('ninefold_delivery')`SET due = ${'timestamp'}
    WHERE state = 'pending' AND due > ${'timestamp'} AND attempts = ${'integer'}`,
  // Events have no index by row, so only the last events are searched.
  'event payload': query`SELECT type, at, packed FROM ninefold_event WHERE id = ${'text'}`,
  'events of row': query`SELECT e.id, e.type, e.at, e.packed FROM ninefold_event e
    WHERE e.seq > (SELECT coalesce(max(seq), 0) - 50000 FROM ninefold_event)
    AND e.resource = ${'text'} AND e."row" = ${'text'} ORDER BY e.seq DESC LIMIT ${'integer'}`,
  'page of keys': query`SELECT id, mark, ${own('holderText')}, scopes, created, revoked FROM ninefold_key
    WHERE (revoked IS NULL OR ${'integer'} = 0) ORDER BY created DESC, id DESC LIMIT ${'integer'} OFFSET ${'integer'}`,
  'count keys': query`SELECT count(*) FROM ninefold_key WHERE (revoked IS NULL OR ${'integer'} = 0)`,
  'page of deliveries': query`SELECT ${LISTED} FROM ${DELIVERIES_LIKE} ORDER BY d.id DESC LIMIT ${'integer'} OFFSET ${'integer'}`,
  'attempts of delivery': query`SELECT tried FROM ninefold_delivery WHERE id = ${'integer'}`,
  'count deliveries': query`SELECT count(*) FROM ${DELIVERIES_LIKE}`,
  'list deliveries': query`SELECT ${LISTED}
    FROM ninefold_delivery d JOIN ninefold_event e ON e.seq = d.event JOIN ninefold_receiver r ON r.id = d.receiver
    ORDER BY d.id`,
  'replay delivery': update('ninefold_delivery')`AS d SET state = 'pending', attempts = 0,
    due = CASE WHEN EXISTS (SELECT 1 FROM ninefold_delivery o WHERE o.receiver = d.receiver AND o.line = d.line
      AND o.state = 'pending') THEN NULL ELSE ${'timestamp'} END
    WHERE event = (SELECT seq FROM ninefold_event WHERE id = ${'text'}) AND state <> 'pending' RETURNING id`,
  'queue call': insertInto('ninefold_call')`(id, handler, takes, created, due)
    VALUES (${'text'}, ${'text'}, ${'text'}, ${'timestamp'}, ${'timestamp'})`,
  'due calls': query`SELECT id, handler, takes, attempts FROM ninefold_call
    WHERE state = 'pending' AND due <= ${'timestamp'} ORDER BY due, id LIMIT ${'integer'}`,
  'lease call': update('ninefold_call')`SET due = ${'timestamp'} WHERE id = ${'text'} AND state = 'pending'`,
  'recall calls': update('ninefold_call')`SET due = ${'timestamp'}
    WHERE state = 'pending' AND due > ${'timestamp'} AND attempts = ${'integer'} AND handler = ${'text'}`,
  'end call': deleteFrom(
    'ninefold_call',
  )`WHERE id = ${'text'} AND due = ${'timestamp'} AND state = 'pending' RETURNING id`,
  'forget calls': deleteFrom('ninefold_call')`WHERE id IN (SELECT c.id FROM ninefold_call c
    WHERE c.state <> 'pending' LIMIT ${'integer'}) RETURNING id`,
  'call failed': update('ninefold_call')`SET attempts = attempts + 1, last_at = ${'timestamp'}, last_result = ${'text'},
    due = ${'timestamp'} WHERE id = ${'text'} AND due = ${'timestamp'} AND state = 'pending' RETURNING id`,
  'insert console entry': insertInto('ninefold_console')`(id, kind, name, until)
    VALUES (${'text'}, ${'text'}, ${'text'}, ${'timestamp'})`,
  'find console link': query`SELECT 1 FROM ninefold_console
    WHERE id = ${'text'} AND kind = 'link' AND until > ${'timestamp'}`,
  'take console link': deleteFrom('ninefold_console')`WHERE id = ${'text'} AND kind = 'link' AND until > ${'timestamp'}
    RETURNING name`,
  'console ends': query`SELECT id, name FROM ninefold_console WHERE kind = 'end'`,
  'gone receivers': query`SELECT id, name FROM ninefold_console WHERE kind = 'gone' AND until > ${'timestamp'}
    ORDER BY until DESC LIMIT ${'integer'}`,
  'forget console entries': deleteFrom('ninefold_console')`WHERE until < ${'timestamp'}`,
  'list schedules': query`SELECT name, rule, due, pending_until, last_due, last_at, last_result FROM ninefold_schedule
    ORDER BY name`,
  'find schedule': query`SELECT due, pending_until FROM ninefold_schedule WHERE name = ${'text'} AND rule = ${'text'}`,
  'insert schedule': insertInto('ninefold_schedule')`(name, rule, due)
    VALUES (${'text'}, ${'text'}, ${'timestamp'}) ON CONFLICT DO NOTHING RETURNING name`,
  'change schedule': update('ninefold_schedule')`SET rule = ${'text'}, due = ${'timestamp'}, pending_until = NULL
    WHERE name = ${'text'} AND rule = ${'text'} RETURNING name`,
  'remove schedule': deleteFrom('ninefold_schedule')`WHERE name = ${'text'}`,
  'state schedule': insertInto('ninefold_stated')`(node, name, rule, until)
    VALUES (${'text'}, ${'text'}, ${'text'}, ${CLOCK} + ${'integer'})
    ON CONFLICT (node, name) DO UPDATE SET rule = excluded.rule, until = excluded.until RETURNING name`,
  'stated schedules': query`SELECT name, rule FROM ninefold_stated WHERE node <> ${'text'} AND until > ${CLOCK}`,
  'forget stated schedules': deleteFrom('ninefold_stated')`WHERE node = ${'text'} OR until < ${CLOCK} RETURNING name`,
  'pass schedule': update('ninefold_schedule')`SET due = ${'timestamp'}
    WHERE name = ${'text'} AND rule = ${'text'} AND due = ${'timestamp'} RETURNING name`,
  'end run': update('ninefold_schedule')`SET due = ${'timestamp'}, pending_until = ${'timestamp'},
    last_due = ${'timestamp'}, last_at = ${'timestamp'}, last_result = ${'text'}
    WHERE name = ${'text'} AND rule = ${'text'} AND due = ${'timestamp'} RETURNING name`,
  'end extra run': update('ninefold_schedule')`SET last_due = ${'timestamp'}, last_at = ${'timestamp'},
    last_result = ${'text'} WHERE name = ${'text'} RETURNING name`,
  'list skeletons': query`SELECT id, text FROM ninefold_skeleton`,
  'find skeleton': query`SELECT text FROM ninefold_skeleton WHERE id = ${'integer'}`,
  'insert skeleton': insertInto('ninefold_skeleton')`(id, text) VALUES (${'integer'}, ${'text'})`,
  'begin file': insertInto('ninefold_file')`(id, until) VALUES (${'uuid'}, ${'timestamp'})`,
  'keep chunk': insertInto('ninefold_chunk')`(file, place, bytes) VALUES (${'uuid'}, ${'integer'}, ${'bytes'})`,
  'keep file': update('ninefold_file')`SET until = NULL WHERE id = ${'uuid'} AND until > ${'timestamp'}
    AND (SELECT count(*) FROM ninefold_chunk c WHERE c.file = ${'uuid'}) = ${'integer'} RETURNING 1`,
  'release file': update('ninefold_file')`SET until = ${'timestamp'} WHERE id = ${'uuid'} RETURNING 1`,
  'drop file': update(
    'ninefold_file',
  )`SET until = ${'timestamp'} WHERE id = ${'uuid'} AND until IS NOT NULL RETURNING 1`,
  'count chunks': query`SELECT count(*) FROM ninefold_chunk`,
  'some file': query`SELECT 1 FROM ninefold_file LIMIT 1`,
  'due file': query`SELECT 1 FROM ninefold_file WHERE until <= ${'timestamp'} LIMIT 1`,
  'read chunk': query`SELECT bytes FROM ninefold_chunk WHERE file = ${'uuid'} AND place = ${'integer'}`,
  'forget chunks': deleteFrom('ninefold_chunk')`WHERE seq IN (SELECT c.seq FROM ninefold_file f
    JOIN ninefold_chunk c ON c.file = f.id WHERE f.until <= ${'timestamp'} LIMIT ${'integer'}) RETURNING 1`,
  'forget files': deleteFrom('ninefold_file')`WHERE id IN (SELECT f.id FROM ninefold_file f
    WHERE f.until <= ${'timestamp'} AND NOT EXISTS (SELECT 1 FROM ninefold_chunk c WHERE c.file = f.id)
    LIMIT ${'integer'}) RETURNING 1`,
  'end uploads': update('ninefold_file')`SET until = ${'timestamp'} WHERE until > ${'timestamp'} RETURNING 1`,
  'next in sequence': update('ninefold_sequence')`SET last = last + 1
    WHERE name = ${'text'} AND per = ${'text'} RETURNING last`,
  'forget sequence': deleteFrom('ninefold_sequence')`WHERE name = ${'text'} AND per = ${'text'}`,
};

/** Writes one of the service’s own statements; `argument` writes the placeholder of each argument in turn. */
export function writeSystem(name: SystemStatement, dialect: StoreDialect, argument: BindArgument): string {
  const { texts, parts } = SYSTEM[name];
  return texts
    .map((text, i) => {
      const part = parts[i];
      if (part === undefined) return text;
      return text + (typeof part === 'function' ? part(dialect, argument) : argument(part));
    })
    .join('');
}
