import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { databaseFile } from '../../src/cli/stores.ts';
import { attemptsWith } from '../../src/runtime/events/attempts.ts';
import { ANSWER_BODY } from '../../src/store/sql/answers.ts';
import { Connection } from '../load/connection.ts';
import { draftBody, skuOf } from '../load/requests.ts';
import { Running, type Where } from '../process.ts';
import { serverOf } from '../servers.ts';
import { copyRows } from '../storage/sqlite.ts';
import { answerColumns, eventColumns, idOf, type Mass, type Order, orderColumns, orderOf } from './orders.ts';

/** How many rows are written in one transaction. */
const AT_ONCE = 100_000;

/** Attempts at deliveries, of which the time is missing. */
const DELIVERED = { took: 1, status: 200, result: 'status 200', body: '', isCut: false };
const FAILED = { ...DELIVERED, status: null, result: 'connection refused' };

type Columns = Readonly<Record<string, unknown>>;

/** Writes rows into a store that nothing serves, past the service: as many as there are would take hours by requests. */
export class Bulk {
  private readonly db: Database.Database;

  constructor(data: string) {
    this.db = new Database(databaseFile(data));
    // What is cut off here is thrown away, so that nothing is kept to undo it, and nothing synced before the end.
    this.db.pragma('journal_mode = OFF');
    this.db.pragma('synchronous = OFF');
    this.db.pragma('foreign_keys = OFF');
    this.db.pragma('cache_size = -2000000');
  }

  orders(mass: Mass, customers: readonly string[], tag: string): void {
    this.insert('"order"', mass.orders, (i) => orderColumns(orderOf(i, mass, customers), tag));
  }

  /** Answers that are kept, under keys that come in no order. */
  answers(count: number, base: number, customers: readonly string[]): void {
    const mass = { orders: count, base, note: null };
    this.insert('ninefold_answer', count, (i) => answerColumns(orderOf(i, mass, customers), `${skuOf(i)}-kept`));
  }

  /**
   * Deliveries for one receiver, two of each order: the second waits until the first is over. `due` says when the first
   * is due; null where both have been delivered.
   */
  deliveries(count: number, base: number, customers: readonly string[], due: ((i: number) => number) | null): void {
    const receiver = this.db.prepare('SELECT id FROM ninefold_receiver').pluck().get() as string;
    const mass = { orders: Math.max(1, count), base, note: null };
    const of = (i: number): Order => orderOf(i - (i % 2), mass, customers);
    const eventId = (i: number): string => `evt_${idOf(i, mass)}`;
    this.insert('ninefold_event', count, (i) => eventColumns(of(i), i % 2 === 1, eventId(i)));
    const first = this.db.prepare('SELECT min(seq) FROM ninefold_event WHERE id = ?').pluck().get(eventId(0)) as number;
    this.insert('ninefold_delivery', count, (i) => ({
      event: first + i,
      receiver,
      line: `Order ${of(i).id}`,
      state: due ? 'pending' : 'delivered',
      attempts: due && i % 2 ? 0 : 1,
      due: due && i % 2 === 0 ? due(i) : null,
      last_at: due && i % 2 ? null : base,
      last_result: due ? (i % 2 ? null : 'connection refused') : 'status 200',
      tried: due && i % 2 ? null : attemptsWith(null, { ...(due ? FAILED : DELIVERED), at: base }),
    }));
  }

  close(): void {
    this.db.pragma('journal_mode = WAL');
    this.db.close();
  }

  private insert(table: string, count: number, columns: (i: number) => Columns): void {
    if (count === 0) return;
    const names = Object.keys(columns(0));
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    const statement = this.db.prepare(sql);
    const some = this.db.transaction((from: number, to: number) => {
      for (let i = from; i < to; i++) statement.run(Object.values(columns(i)));
    });
    for (let from = 0; from < count; from += AT_ONCE) some(from, Math.min(count, from + AT_ONCE));
  }
}

/**
 * Has a copy of the store filled by a few requests, and sees that rows, answers and events are, to the byte, what would
 * have been put in for them. Gives what the texts begin with that are kept ready beside rows.
 */
export async function checkBulk(base: string, where: Where, key: string): Promise<string> {
  const data = join(where.data, 'pattern');
  copyRows(base, data);
  const running = await Running.start(serverOf('ninefold')!, { ...where, data });
  try {
    const { promise, reject } = Promise.withResolvers<never>();
    const connection = await Connection.open(running.port, reject);
    await Promise.race([promise, ask(connection, key)]);
    connection.close();
  } finally {
    await running.stop();
  }
  const db = new Database(databaseFile(data));
  try {
    return compare(db);
  } finally {
    db.close();
    rmSync(data, { recursive: true });
  }
}

async function ask(connection: Connection, key: string): Promise<void> {
  const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`;
  for (const [i, note] of [undefined, 'Ring twice', 'x'.repeat(480)].entries()) {
    const body = note === undefined ? draftBody(skuOf(i), 10) : JSON.stringify({ sku: skuOf(i), quantity: 10, note });
    const idempotent = `Idempotency-Key: ${skuOf(i)}-kept\r\nContent-Type: application/json\r\n`;
    const made = await connection.ask(`POST /orders ${head}${idempotent}Content-Length: ${body.length}\r\n\r\n${body}`);
    assert.equal(made.status, 201);
    const { id } = JSON.parse(made.body.toString()) as { id: string };
    if (i !== 1) continue;
    const placed = await connection.ask(`POST /orders/${id}/place ${head}Content-Length: 0\r\n\r\n`);
    assert.equal(placed.status, 200);
  }
}

function compare(db: Database.Database): string {
  const uuid = (bytes: unknown): string =>
    (bytes as Buffer).toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const rows = db.prepare('SELECT * FROM "order"').all() as Array<Record<string, unknown>>;
  const tag = (rows[0]!.ninefold_shown as string).slice(0, 8);
  for (const row of rows) {
    const { id, customer, sku, quantity, note, status, created } = row;
    const order = { id: uuid(id), customer: uuid(customer), sku, quantity, note, status, created } as Order;
    assert.deepEqual(orderColumns(order, tag), row, 'an order is put in as requests make it');
    const put = answerColumns(order, `${sku}-kept`);
    // An answer that is put in has a body of its own.
    const columns = Object.keys(put).map((name) => (name === 'own_body' ? `${ANSWER_BODY} AS own_body` : `a.${name}`));
    const answer = db
      .prepare(`SELECT ${columns.join(', ')} FROM ninefold_answer a WHERE a.key = ?`)
      .safeIntegers()
      .get(`${sku}-kept`) as Columns;
    assert.equal((answer.fingerprint as Buffer).length, (put.fingerprint as Buffer).length);
    const same = { ...put, fingerprint: answer.fingerprint, status: BigInt(201), expires: BigInt(Number(put.expires)) };
    assert.deepEqual(same, answer, 'an answer is put in as requests keep it');
    for (const one of db.prepare('SELECT * FROM ninefold_event WHERE row = ?').all(order.id) as Columns[]) {
      const { seq: _seq, at: _at, ...event } = one;
      const { at: _put, ...same } = eventColumns(order, one.type === 'order.placed', one.id as string);
      assert.deepEqual(same, event, 'an event is put in as requests record it');
    }
  }
  return tag;
}

/** Makes a folder anew. */
export function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}
