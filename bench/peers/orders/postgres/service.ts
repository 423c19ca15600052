import type { Clock } from '../clock.ts';
import type { Caller } from '../gate.ts';
import { problem } from '../problems.ts';
import {
  ALREADY_OPEN,
  type Creation,
  Cursors,
  creationOf,
  fingerprintOf,
  keyOf,
  type ListQuery,
  mustBePlaceable,
  orderOf,
  type Page,
  UUID,
} from '../service.ts';
import { DRAFT_LASTS, type Draft, KEY_LASTS, type Order, tagOf } from '../terms.ts';
import * as store from './store.ts';
import type { Queries, Transactions } from './transactions.ts';

/** What the measured endpoints do, over a wire. */
export class PostgresOrderService extends Cursors {
  private readonly transactions: Transactions;
  private readonly clock: Clock;
  /** Keys whose request this process is answering; the unique index of answers holds between processes. */
  private readonly claimed = new Set<string>();
  /** Until when no draft can expire, in milliseconds since the epoch: one that is made later expires later. */
  private nextExpiry = 0;

  constructor(transactions: Transactions, secret: string, clock: Clock) {
    super(secret);
    this.transactions = transactions;
    this.clock = clock;
  }

  async read(caller: Caller, id: string): Promise<{ order: Order; etag: string }> {
    if (this.isExpiryDue()) await this.expireDue();
    const { order, revision } = await this.transactions.read((queries) => this.visible(queries, caller, id));
    return { order, etag: tagOf(revision, caller.older) };
  }

  async list(caller: Caller, query: ListQuery): Promise<Page> {
    if (this.isExpiryDue()) await this.expireDue();
    const after = query.cursor === undefined ? null : this.openCursor(caller, query, query.cursor);
    const { customer } = caller;
    const read = (queries: Queries) => store.page(queries, customer, query, after, query.limit + 1);
    const items = await this.transactions.read(read);
    if (items.length <= query.limit) return { items };
    items.length = query.limit;
    const { created, id } = items[query.limit - 1]!;
    return { items, next: this.sealCursor(caller, query, JSON.stringify([Date.parse(created), id])) };
  }

  async create(caller: Caller, draft: Draft, sentKey: string | undefined): Promise<Creation> {
    const key = keyOf(sentKey);
    const claim = `${caller.customer} ${key}`;
    if (this.claimed.has(claim)) throw problem('idempotency_key_in_flight');
    this.claimed.add(claim);
    try {
      if (this.isExpiryDue()) await this.expireDue();
      return await this.transactions.write((queries) => this.createOrReplay(queries, caller, draft, key));
    } finally {
      this.claimed.delete(claim);
    }
  }

  async place(caller: Caller, id: string): Promise<Order> {
    if (this.isExpiryDue()) await this.expireDue();
    return this.transactions.write(async (queries) => {
      // SERIALIZABLE notices another change by itself.
      const { order } = await this.visible(queries, caller, id, !this.transactions.isSerializable);
      mustBePlaceable(order);
      const placed = { ...order, status: 'placed' };
      await store.move(queries, order.id, 'placed');
      await store.record(queries, 'order.placed', order.id, this.clock.now(), JSON.stringify(placed));
      return placed;
    });
  }

  private async createOrReplay(queries: Queries, caller: Caller, draft: Draft, key: string): Promise<Creation> {
    const now = this.clock.now();
    const fingerprint = fingerprintOf(caller, draft);
    const kept = await store.kept(queries, caller.customer, key, now);
    if (kept) {
      if (!kept.fingerprint.equals(fingerprint)) throw problem('idempotency_key_reused');
      return kept;
    }
    const creation = await this.insert(queries, caller, draft, now);
    await store.keep(queries, caller.customer, key, { ...creation, fingerprint }, now, now + KEY_LASTS);
    return creation;
  }

  private async insert(queries: Queries, caller: Caller, draft: Draft, now: number): Promise<Creation> {
    const order = orderOf(caller, draft, now);
    if (!(await store.insert(queries, order))) return ALREADY_OPEN;
    const body = JSON.stringify(order);
    await store.record(queries, 'order.opened', order.id, now, body);
    return creationOf(order, body, caller.older);
  }

  private async visible(
    queries: Queries,
    caller: Caller,
    id: string,
    isLocked = false,
  ): Promise<{ order: Order; revision: number }> {
    if (caller.sentBody) throw problem('body_not_expected');
    const stored = UUID.test(id) ? await store.find(queries, id, isLocked) : null;
    if (!stored || (stored.order.customer !== caller.customer && !caller.seesAll)) throw problem('order_not_found');
    return stored;
  }

  private isExpiryDue(): boolean {
    return this.clock.now() >= this.nextExpiry;
  }

  /** A draft that is due is cancelled before any request can see it. */
  private async expireDue(): Promise<void> {
    const now = this.clock.now();
    const until = new Date(now - DRAFT_LASTS).toISOString();
    await this.transactions.write(async (queries) => {
      for (const order of await store.draftsUntil(queries, until)) {
        await store.move(queries, order.id, 'cancelled');
        const data = JSON.stringify({ ...order, status: 'cancelled' });
        await store.record(queries, 'order.cancelled', order.id, Date.parse(order.created) + DRAFT_LASTS, data);
      }
    });
    const oldest = await this.transactions.read(store.oldestDraft);
    this.nextExpiry = Math.min(oldest, now) + DRAFT_LASTS;
  }
}
