import { randomUUIDv7 } from 'node:crypto';
import type { KeyHolder } from '../gate.ts';
import type { Filters, Kept, Stored } from '../store.ts';
import type { Order } from '../terms.ts';
import { type Queries, StoredMeanwhile } from './transactions.ts';

interface Row extends Omit<Order, 'note' | 'created'> {
  readonly note: string | null;
  readonly created: Date;
  readonly revision: number;
}

const COLUMNS = 'id, customer, sku, quantity, note, status, created, revision';

/** Runs a statement that each connection prepares once. */
async function run<T extends object>(queries: Queries, name: string, text: string, values: unknown[]): Promise<T[]> {
  return (await queries.query<T>({ name, text, values })).rows;
}

export async function keyHolder(queries: Queries, hash: Buffer): Promise<KeyHolder | undefined> {
  const sql = 'SELECT customer, scopes FROM api_key WHERE hash = $1 AND revoked IS NULL';
  return (await run<KeyHolder>(queries, 'key-holder', sql, [hash]))[0];
}

export async function find(queries: Queries, id: string, isLocked = false): Promise<Stored | null> {
  const sql = `SELECT ${COLUMNS} FROM orders WHERE id = $1${isLocked ? ' FOR UPDATE' : ''}`;
  const [row] = await run<Row>(queries, isLocked ? 'find-locked' : 'find', sql, [id]);
  return row ? { order: orderOf(row), revision: row.revision } : null;
}

/** At most `limit` orders of a customer, latest first, after the place given. */
export async function page(
  queries: Queries,
  customer: string,
  filters: Filters,
  after: readonly [string, string] | null,
  limit: number,
): Promise<Order[]> {
  const values: unknown[] = [customer];
  let where = 'customer = $1';
  if (filters.status !== undefined) where += ` AND status = $${values.push(filters.status)}`;
  if (filters.sku !== undefined) where += ` AND sku = $${values.push(filters.sku)}`;
  if (after) where += ` AND (created, id) < ($${values.push(after[0])}, $${values.push(after[1])})`;
  const sql = `SELECT ${COLUMNS} FROM orders WHERE ${where} ORDER BY created DESC, id DESC LIMIT $${values.push(limit)}`;
  return (await run<Row>(queries, `page ${where}`, sql, values)).map(orderOf);
}

/** Stores a draft; false where the customer has an open one of the same product. */
export async function insert(queries: Queries, order: Order): Promise<boolean> {
  const sql = `INSERT INTO orders (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, 'draft', $6, 1)
ON CONFLICT (customer, sku) WHERE status = 'draft' DO NOTHING RETURNING id`;
  const { id, customer, sku, quantity, note, created } = order;
  return (await run(queries, 'insert', sql, [id, customer, sku, quantity, note ?? null, created])).length > 0;
}

export async function move(queries: Queries, id: string, status: string): Promise<void> {
  await run(queries, 'move', 'UPDATE orders SET status = $2, revision = revision + 1 WHERE id = $1', [id, status]);
}

/** The drafts that were created at an instant or before, locked. */
export async function draftsUntil(queries: Queries, created: string): Promise<Order[]> {
  const sql = `SELECT ${COLUMNS} FROM orders WHERE status = 'draft' AND created <= $1 ORDER BY created FOR UPDATE`;
  return (await run<Row>(queries, 'drafts', sql, [created])).map(orderOf);
}

/** When the oldest draft was created, in milliseconds since the epoch; infinite where there is none. */
export async function oldestDraft(queries: Queries): Promise<number> {
  const sql = "SELECT min(created) AS created FROM orders WHERE status = 'draft'";
  const [row] = await run<{ created: Date | null }>(queries, 'oldest', sql, []);
  return row?.created?.getTime() ?? Number.POSITIVE_INFINITY;
}

const RECORD = `WITH recorded AS (
  INSERT INTO event (id, type, row, at, data) VALUES ($1, $2, $3, $4, $5) RETURNING seq
)
INSERT INTO delivery (event, receiver, line, due) SELECT seq, receiver, $3, $4 FROM recorded, subscription WHERE event = $2`;

/** Puts an event into the outbox, with a delivery for each receiver that has subscribed to it. */
export async function record(queries: Queries, type: string, row: string, now: number, data: string): Promise<void> {
  await run(queries, 'record', RECORD, [`evt_${randomUUIDv7()}`, type, row, now, data]);
}

/** The answer that is kept for a key. */
export async function kept(queries: Queries, caller: string, key: string, now: number): Promise<Kept | undefined> {
  const sql = 'SELECT fingerprint, status, location, body FROM answer WHERE caller = $1 AND key = $2 AND expires > $3';
  return (await run<Kept>(queries, 'kept', sql, [caller, key, now]))[0];
}

const KEEP = `INSERT INTO answer (caller, key, fingerprint, status, location, body, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (caller, key) DO UPDATE
SET fingerprint = excluded.fingerprint, status = excluded.status, location = excluded.location, body = excluded.body,
  expires = excluded.expires
WHERE answer.expires <= $8 RETURNING key`;

/** Keeps an answer for a key. Throws StoredMeanwhile where another request with it has been answered. */
export async function keep(
  queries: Queries,
  caller: string,
  key: string,
  { fingerprint, status, location, body }: Kept,
  now: number,
  expires: number,
): Promise<void> {
  const values = [caller, key, fingerprint, status, location, body, expires, now];
  if ((await run(queries, 'keep', KEEP, values)).length === 0) throw new StoredMeanwhile();
}

const orderOf = ({ id, customer, sku, quantity, note, status, created }: Row): Order => ({
  id,
  customer,
  sku,
  quantity,
  note: note ?? undefined,
  status,
  created: created.toISOString(),
});
