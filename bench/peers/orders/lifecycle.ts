import type { Clock } from './clock.ts';
import type { Caller } from './gate.ts';
import { problem } from './problems.ts';
import type { OrderService } from './service.ts';
import type { OrderStore } from './store.ts';
import { type Order, type Patch, type ProblemCode, tagOf } from './terms.ts';
import type { Writer } from './writers.ts';

/** An order, and the entity tag of how it is now. */
export interface Tagged {
  readonly order: Order;
  readonly etag: string;
}

/** A move that a caller makes: from which states, to which one, the code of a refusal, and the event that tells of it. */
interface Move {
  readonly from: readonly string[];
  readonly to: string;
  readonly code: ProblemCode;
  readonly event: string | null;
}

export const MOVES = {
  cancel: { from: ['draft', 'placed'], to: 'cancelled', code: 'order_not_open', event: 'order.cancelled' },
  ship: { from: ['placed'], to: 'shipped', code: 'order_not_shippable', event: null },
  deliver: { from: ['shipped'], to: 'delivered', code: 'order_not_shipped', event: null },
} as const satisfies Record<string, Move>;

export type MoveName = keyof typeof MOVES;

/** What becomes of an order after it was opened: the endpoints that the bench does not measure. */
export class OrderLifecycle {
  private readonly service: OrderService;
  private readonly store: OrderStore;
  private readonly writer: Writer;
  private readonly clock: Clock;

  constructor(service: OrderService, store: OrderStore, writer: Writer, clock: Clock) {
    this.service = service;
    this.store = store;
    this.writer = writer;
    this.clock = clock;
  }

  /** Changes a draft, for whoever knows how it is now. */
  change(caller: Caller, id: string, patch: Patch, match: string | undefined): Tagged | Promise<Tagged> {
    this.service.expireDue();
    return this.writer.write(() => {
      const { order, revision } = this.service.visible(caller, id);
      mustMatch(match, tagOf(revision, caller.older));
      if (order.status !== 'draft') throw problem('order_not_open');
      const changed = { ...order, ...patched(order, patch) };
      this.store.change(changed);
      return { order: changed, etag: tagOf(revision + 1, caller.older) };
    });
  }

  move(caller: Caller, id: string, name: MoveName): Order | Promise<Order> {
    const { from, to, code, event }: Move = MOVES[name];
    this.service.expireDue();
    return this.writer.write(() => {
      const { order } = this.service.visible(caller, id);
      if (!from.includes(order.status)) throw problem(code);
      this.store.move(order.id, to);
      const moved = { ...order, status: to };
      if (event !== null) this.store.record(event, order.id, this.clock.now(), JSON.stringify(moved));
      return moved;
    });
  }

  remove(caller: Caller, id: string): unknown {
    this.service.expireDue();
    return this.writer.write(() => {
      const { order } = this.service.visible(caller, id);
      if (order.status !== 'cancelled') throw problem('order_still_open');
      this.store.remove(order.id);
    });
  }

  /** How many of the caller’s orders are placed, and how many pieces the caller has ordered at all. */
  summary(caller: Caller): { open: number; units: number } {
    if (caller.sentBody) throw problem('body_not_expected');
    this.service.expireDue();
    return this.store.summary(caller.customer);
  }
}

/** Holds a precondition to the tag of an order (RFC 9110, section 13.1.1). */
function mustMatch(header: string | undefined, tag: string): void {
  if (header === undefined) throw problem('match_required');
  const tags = header.split(',').map((one) => one.trim());
  if (header.trim() !== '*' && !tags.includes(tag)) throw problem('changed_meanwhile');
}

/** The values that a patch changes: null takes the note away. */
function patched({ quantity, note }: Order, patch: Patch): Pick<Order, 'quantity' | 'note'> {
  return {
    quantity: patch.quantity ?? quantity,
    note: patch.note === undefined ? note : (patch.note ?? undefined),
  };
}
