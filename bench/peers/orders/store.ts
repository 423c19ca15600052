import { randomUUIDv7 } from 'node:crypto';
import type { Statement } from 'better-sqlite3';
import type { KeyHolder } from './gate.ts';
import type { Db } from './schema.ts';
import type { Order } from './terms.ts';

type Row = [
  id: string,
  customer: string,
  sku: string,
  quantity: number,
  note: string | null,
  status: string,
  created: string,
  revision: number,
];

/** An order with the number of its last change, which its entity tag is made of. */
export interface Stored {
  readonly order: Order;
  readonly revision: number;
}

export interface Filters {
  readonly status?: string | undefined;
  readonly sku?: string | undefined;
}

/** The answer that is kept for an idempotency key. */
export interface Kept {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
}

/** One delivery of an event to a receiver. */
export interface Delivery {
  readonly id: number;
  readonly attempts: number;
  readonly url: string;
  readonly secret: string;
  readonly version: string;
  readonly event: string;
  readonly type: string;
  readonly at: number;
  readonly data: string;
}

const DUE_DELIVERIES = `
SELECT delivery.id, attempts, url, secret, version, event.id AS event, type, at, data
FROM delivery JOIN receiver ON receiver.id = delivery.receiver JOIN event ON event.seq = delivery.event
WHERE due <= ? AND NOT EXISTS (
  SELECT 1 FROM delivery AS earlier
  WHERE earlier.receiver = delivery.receiver AND earlier.line = delivery.line AND earlier.due IS NOT NULL
  AND earlier.id < delivery.id
) ORDER BY delivery.id LIMIT 100`;

const COLUMNS = 'id, customer, sku, quantity, note, status, created, revision';

/** Every statement of the service, prepared once. */
export class OrderStore {
  readonly db: Db;
  private readonly byKey: Statement<[Buffer]>;
  private readonly byId: Statement<[string]>;
  private readonly pages = new Map<string, Statement>();
  private readonly insertion: Statement;
  private readonly placing: Statement<[string]>;
  private readonly expiring: Statement<[string]>;
  private readonly expiry: Statement<[string]>;
  private readonly eventInsertion: Statement;
  private readonly deliveryInsertion: Statement;
  private readonly changing: Statement;
  private readonly moving: Statement;
  private readonly removal: Statement<[string]>;
  private readonly keptAnswer: Statement<[string, string, number]>;
  private readonly answerInsertion: Statement;

  constructor(db: Db) {
    this.db = db;
    this.byKey = db.prepare('SELECT customer, scopes FROM api_key WHERE hash = ? AND revoked IS NULL');
    this.byId = db.prepare<[string]>(`SELECT ${COLUMNS} FROM orders WHERE id = ?`).raw(true);
    this.insertion = db.prepare(
      "INSERT INTO orders (id, customer, sku, quantity, note, status, created, revision) VALUES (?, ?, ?, ?, ?, 'draft', ?, 1)",
    );
    this.placing = db.prepare("UPDATE orders SET status = 'placed', revision = revision + 1 WHERE id = ?");
    this.expiring = db
      .prepare<[string]>(`SELECT ${COLUMNS} FROM orders WHERE status = 'draft' AND created <= ? ORDER BY created`)
      .raw(true);
    this.expiry = db.prepare("UPDATE orders SET status = 'cancelled', revision = revision + 1 WHERE id = ?");
    this.eventInsertion = db.prepare('INSERT INTO event (id, type, row, at, data) VALUES (?, ?, ?, ?, ?)');
    this.deliveryInsertion = db.prepare(
      'INSERT INTO delivery (event, receiver, line, due) SELECT ?, receiver, ?, ? FROM subscription WHERE event = ?',
    );
    this.changing = db.prepare('UPDATE orders SET quantity = ?, note = ?, revision = revision + 1 WHERE id = ?');
    this.moving = db.prepare('UPDATE orders SET status = ?, revision = revision + 1 WHERE id = ?');
    this.removal = db.prepare('DELETE FROM orders WHERE id = ?');
    this.keptAnswer = db.prepare(
      'SELECT fingerprint, status, location, body FROM answer WHERE caller = ? AND key = ? AND expires > ?',
    );
    this.answerInsertion = db.prepare('INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)');
  }

  keyHolder(hash: Buffer): KeyHolder | undefined {
    return this.byKey.get(hash) as KeyHolder | undefined;
  }

  find(id: string): Stored | null {
    const row = this.byId.get(id) as Row | undefined;
    return row ? { order: orderOf(row), revision: row[7] } : null;
  }

  /** At most `limit` orders of a customer, latest first, after the place given. */
  page(customer: string, filters: Filters, after: readonly [string, string] | null, limit: number): Order[] {
    const args: unknown[] = [customer];
    let where = 'customer = ?';
    if (filters.status !== undefined) {
      where += ' AND status = ?';
      args.push(filters.status);
    }
    if (filters.sku !== undefined) {
      where += ' AND sku = ?';
      args.push(filters.sku);
    }
    if (after) {
      where += ' AND (created, id) < (?, ?)';
      args.push(...after);
    }
    args.push(limit);
    let statement = this.pages.get(where);
    if (!statement) {
      const sql = `SELECT ${COLUMNS} FROM orders WHERE ${where} ORDER BY created DESC, id DESC LIMIT ?`;
      statement = this.db.prepare(sql).raw(true);
      this.pages.set(where, statement);
    }
    return (statement.all(...args) as Row[]).map(orderOf);
  }

  insert({ id, customer, sku, quantity, note, created }: Order): void {
    this.insertion.run(id, customer, sku, quantity, note ?? null, created);
  }

  place(id: string): void {
    this.placing.run(id);
  }

  change({ id, quantity, note }: Order): void {
    this.changing.run(quantity, note ?? null, id);
  }

  move(id: string, status: string): void {
    this.moving.run(status, id);
  }

  remove(id: string): void {
    this.removal.run(id);
  }

  summary(customer: string): { open: number; units: number } {
    const sql = "SELECT count(*) FILTER (WHERE status = 'placed'), total(quantity) FROM orders WHERE customer = ?";
    const [open, units] = this.db.prepare(sql).raw(true).get(customer) as [number, number];
    return { open, units };
  }

  /** The deliveries that are due: of each order’s events, each receiver’s first that has not arrived. */
  dueDeliveries(now: number): Delivery[] {
    return this.db.prepare(DUE_DELIVERIES).all(now) as Delivery[];
  }

  /** Notes an attempt at a delivery, and when the next one is due; null where none is to be made. */
  attempted(id: number, due: number | null): void {
    this.db.prepare('UPDATE delivery SET attempts = attempts + 1, due = ? WHERE id = ?').run(due, id);
  }

  /** The drafts that were created at an instant or before. */
  draftsUntil(created: string): Order[] {
    return (this.expiring.all(created) as Row[]).map(orderOf);
  }

  expire(id: string): void {
    this.expiry.run(id);
  }

  /** When the oldest draft was created; null where there is none. */
  oldestDraft(): string | null {
    return this.db.prepare("SELECT min(created) FROM orders WHERE status = 'draft'").pluck().get() as string | null;
  }

  /** Puts an event into the outbox, with a delivery for each receiver that has subscribed to it. */
  record(type: string, row: string, now: number, data: string): void {
    const { lastInsertRowid } = this.eventInsertion.run(`evt_${randomUUIDv7()}`, type, row, now, data);
    this.deliveryInsertion.run(lastInsertRowid, row, now, type);
  }

  kept(caller: string, key: string, now: number): Kept | undefined {
    return this.keptAnswer.get(caller, key, now) as Kept | undefined;
  }

  keep(caller: string, key: string, { fingerprint, status, location, body }: Kept, expires: number): void {
    this.answerInsertion.run(caller, key, fingerprint, status, location, body, expires);
  }
}

function orderOf(row: Row): Order {
  return {
    id: row[0],
    customer: row[1],
    sku: row[2],
    quantity: row[3],
    note: row[4] ?? undefined,
    status: row[5],
    created: row[6],
  };
}
