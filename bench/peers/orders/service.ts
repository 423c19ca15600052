import { createHash, createHmac, hash, randomUUIDv7 } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Caller } from './gate.ts';
import { problem } from './problems.ts';
import type { Filters, Kept, OrderStore } from './store.ts';
import { DRAFT_LASTS, type Draft, KEY_LASTS, type Order, PLACED_WITHOUT_NOTE, PROBLEMS, tagOf } from './terms.ts';
import { shown } from './versions.ts';
import type { Writer } from './writers.ts';

export interface ListQuery extends Filters {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page {
  readonly items: readonly Order[];
  readonly next?: string | undefined;
}

/** The answer to a creation, which is kept for its key as it is. */
export type Creation = Omit<Kept, 'fingerprint'>;

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const IDEMPOTENCY_KEY = /^(?:[!#-+\--:<-~]{1,255}|"[ !#-[\]-~]{1,255}")$/;
const MAC_BYTES = 16;

/** As many bytes as the place of a row takes in Ninefold's cursors, which are all as long as the longest. */
const PLACE_BYTES = 73;

/** Cursors of pages, which callers send back and can't make. */
export class Cursors {
  private readonly secret: string;

  constructor(secret: string) {
    this.secret = secret;
  }

  protected sealCursor(caller: Caller, query: ListQuery, place: string): string {
    const padded = place.padEnd(PLACE_BYTES);
    return Buffer.concat([this.mac(caller, query, padded), Buffer.from(padded)]).toString('base64url');
  }

  protected openCursor(caller: Caller, query: ListQuery, cursor: string): [string, string] {
    const bytes = Buffer.from(cursor, 'base64url');
    const place = bytes.subarray(MAC_BYTES).toString();
    const mac = this.mac(caller, query, place);
    if (bytes.length <= MAC_BYTES || !mac.equals(bytes.subarray(0, MAC_BYTES))) throw problem('page_refused');
    const [created, id] = JSON.parse(place) as [number, string];
    return [new Date(created).toISOString(), id];
  }

  /** A cursor is bound to the caller and the filters that it was made for. */
  private mac(caller: Caller, { status, sku }: Filters, place: string): Buffer {
    const bound = JSON.stringify([caller.customer, caller.older, status ?? null, sku ?? null, place]);
    return createHmac('sha256', this.secret).update(bound).digest().subarray(0, MAC_BYTES);
  }
}

/** The idempotency key in a header. Throws the problem of one that is none. */
export function keyOf(sentKey: string | undefined): string {
  if (sentKey === undefined) throw problem('idempotency_key_missing');
  if (!IDEMPOTENCY_KEY.test(sentKey)) throw problem('idempotency_key_malformed');
  return sentKey.startsWith('"') ? sentKey.slice(1, -1) : sentKey;
}

/** What a request with the same key has to have in common with the first. */
export const fingerprintOf = (caller: Caller, draft: Draft): Buffer =>
  hash('sha256', JSON.stringify([caller.older, draft.sku, draft.quantity, draft.note ?? null]), 'buffer');

/** The order that a draft makes. */
export const orderOf = ({ customer }: Caller, draft: Draft, now: number): Order => ({
  id: randomUUIDv7(),
  customer,
  sku: draft.sku,
  quantity: draft.quantity,
  note: draft.note ?? undefined,
  status: 'draft',
  created: new Date(now).toISOString(),
});

/** The answer to a creation; `body` is the order as the current version shows it. */
export function creationOf(order: Order, body: string, older: boolean): Creation {
  const answer = older ? JSON.stringify(shown(order, true)) : body;
  return { status: 201, location: `/orders/${order.id}`, body: answer };
}

/** The answer to a creation of what is on an open draft already. */
export const ALREADY_OPEN: Creation = {
  status: PROBLEMS.order_already_open[0],
  location: null,
  body: problem('order_already_open').body,
};

/** Throws the problem of an order that may not be placed. */
export function mustBePlaceable(order: Order): void {
  if (order.status !== 'draft' || (order.quantity > PLACED_WITHOUT_NOTE && order.note === undefined))
    throw problem('order_not_placeable');
}

/** What the endpoints do, whichever framework they are served with. */
export class OrderService extends Cursors {
  private readonly store: OrderStore;
  private readonly writer: Writer;
  private readonly clock: Clock;
  /** Keys whose request is being answered: only a writer that answers later leaves a gap for another with the same. */
  private readonly claimed = new Set<string>();
  /** When the next draft expires, in milliseconds since the epoch. */
  private nextExpiry: number;

  constructor(store: OrderStore, writer: Writer, secret: string, clock: Clock) {
    super(secret);
    this.store = store;
    this.writer = writer;
    this.clock = clock;
    this.nextExpiry = this.expiryOfOldest();
  }

  /** An order that the caller may see, and its entity tag. */
  read(caller: Caller, id: string): { order: Order; etag: string } {
    this.expireDue();
    const { order, revision } = this.visible(caller, id);
    return { order, etag: tagOf(revision, caller.older) };
  }

  /** A page of the caller's orders, latest first. */
  list(caller: Caller, query: ListQuery): Page {
    this.expireDue();
    const after = query.cursor === undefined ? null : this.openCursor(caller, query, query.cursor);
    const items = this.store.page(caller.customer, query, after, query.limit + 1);
    if (items.length <= query.limit) return { items };
    items.length = query.limit;
    const { created, id } = items[query.limit - 1]!;
    return { items, next: this.sealCursor(caller, query, JSON.stringify([Date.parse(created), id])) };
  }

  /** Opens a draft, or answers as the first request with this key was answered. */
  create(caller: Caller, draft: Draft, sentKey: string | undefined): Creation | Promise<Creation> {
    const key = keyOf(sentKey);
    const fingerprint = fingerprintOf(caller, draft);
    const claim = `${caller.customer} ${key}`;
    if (this.claimed.has(claim)) throw problem('idempotency_key_in_flight');
    this.expireDue();
    const created = this.writer.write(() => this.createOrReplay(caller, draft, key, fingerprint));
    if (!(created instanceof Promise)) return created;
    this.claimed.add(claim);
    return created.finally(() => this.claimed.delete(claim));
  }

  /** Moves a draft on. */
  place(caller: Caller, id: string): Order | Promise<Order> {
    this.expireDue();
    return this.writer.write(() => {
      const { order } = this.visible(caller, id);
      mustBePlaceable(order);
      this.store.place(order.id);
      const placed = { ...order, status: 'placed' };
      this.store.record('order.placed', order.id, this.clock.now(), JSON.stringify(placed));
      return placed;
    });
  }

  private createOrReplay(caller: Caller, draft: Draft, key: string, fingerprint: Buffer): Creation {
    const now = this.clock.now();
    const { customer } = caller;
    const kept = this.store.kept(customer, key, now);
    if (kept) {
      if (!kept.fingerprint.equals(fingerprint)) throw problem('idempotency_key_reused');
      return kept;
    }
    const creation = this.insert(caller, draft, now);
    this.store.keep(customer, key, { ...creation, fingerprint }, now + KEY_LASTS);
    return creation;
  }

  private insert(caller: Caller, draft: Draft, now: number): Creation {
    const order = orderOf(caller, draft, now);
    try {
      this.store.insert(order);
    } catch (error) {
      // The statement alone is undone: the refusal is kept for the key in the same transaction.
      if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
      return ALREADY_OPEN;
    }
    const body = JSON.stringify(order);
    this.store.record('order.opened', order.id, now, body);
    this.nextExpiry = Math.min(this.nextExpiry, now + DRAFT_LASTS);
    return creationOf(order, body, caller.older);
  }

  /** An order that the caller may see. */
  visible(caller: Caller, id: string): { order: Order; revision: number } {
    if (caller.sentBody) throw problem('body_not_expected');
    const stored = UUID.test(id) ? this.store.find(id.toLowerCase()) : null;
    if (!stored || (stored.order.customer !== caller.customer && !caller.seesAll)) throw problem('order_not_found');
    return stored;
  }

  /** A draft that is due is cancelled before any request can see it. */
  expireDue(): void {
    const now = this.clock.now();
    if (now < this.nextExpiry) return;
    const until = new Date(now - DRAFT_LASTS).toISOString();
    this.store.db
      .transaction(() => {
        for (const order of this.store.draftsUntil(until)) {
          this.store.expire(order.id);
          const data = JSON.stringify({ ...order, status: 'cancelled' });
          this.store.record('order.cancelled', order.id, Date.parse(order.created) + DRAFT_LASTS, data);
        }
      })
      .immediate();
    this.nextExpiry = this.expiryOfOldest();
  }

  /** Forgets what it knows of rows that are gone. */
  forget(): void {
    this.claimed.clear();
    this.nextExpiry = this.expiryOfOldest();
  }

  private expiryOfOldest(): number {
    const oldest = this.store.oldestDraft();
    return oldest === null ? Number.POSITIVE_INFINITY : Date.parse(oldest) + DRAFT_LASTS;
  }
}

/** The secret of cursors, from what only the operator knows. */
export const cursorSecret = (seed: string): string => createHash('sha256').update(seed).digest('hex');
