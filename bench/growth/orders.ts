import { hash } from 'node:crypto';
import { answerHash, claimOf } from '../../src/store/migration/kept-answers.ts';
import { skuOf } from '../load/requests.ts';

/** How many customers there are, whatever the number of orders: few enough that each has a page of a thousand. */
export const CUSTOMERS = 20;
/** Over how long the orders came, in milliseconds: less than a draft lasts, so that none falls due while it is measured. */
const SPAN = 20 * 60 * 60 * 1000;
const DAY = 24 * 60 * 60 * 1000;
/** One order in so many is placed, and one in so many has a note. */
const PLACED_EVERY = 10;
const NOTED_EVERY = 4;

/** A mass of orders: all of them follow from this. */
export interface Mass {
  readonly orders: number;
  /** When the last of them came, in milliseconds since the epoch. */
  readonly base: number;
  /** How many characters the note of each order has; null where a few have a short one. */
  readonly note: number | null;
}

export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly sku: string;
  readonly quantity: number;
  readonly note: string | null;
  readonly status: string;
  readonly created: number;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Spreads numbers over 32 bits, as chance would (the finalizer of MurmurHash3). */
function spread(number: number): number {
  let x = number | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

const createdOf = (i: number, { orders, base }: Mass): number => base - SPAN + Math.floor((i * SPAN) / orders);

/** The identity of an order: a UUID of version 7, as the service makes them, that follows from its number. */
export function idOf(i: number, mass: Mass): string {
  const at = hex(createdOf(i, mass), 12);
  const random = hex(spread(i), 8);
  return `${at.slice(0, 8)}-${at.slice(8)}-7${hex(i & 0xfff, 3)}-${hex(0x8000 | (i & 0x3fff), 4)}-${hex(spread(~i) & 0xffff, 4)}${random}`;
}

/** A text of so many characters, a word here and there. */
export const textOf = (characters: number): string =>
  'Leave it with the flat below. '
    .repeat(characters / 30 + 1)
    .slice(0, characters)
    .replace(/ $/, '.');

export function orderOf(i: number, mass: Mass, customers: readonly string[]): Order {
  const short = i % NOTED_EVERY === 0 ? `Leave it with flat ${i % 90}` : null;
  return {
    id: idOf(i, mass),
    customer: customers[i % CUSTOMERS]!,
    sku: skuOf(i),
    quantity: 10 + (i % 90),
    note: mass.note === null ? short : textOf(mass.note),
    status: i % PLACED_EVERY === 0 ? 'placed' : 'draft',
    created: createdOf(i, mass),
  };
}

/** The order as the service shows it. */
export const shown = (one: Order): string =>
  JSON.stringify({ ...one, note: one.note ?? undefined, created: new Date(one.created).toISOString() });

export const uuidBytes = (text: string): Buffer => Buffer.from(text.replaceAll('-', ''), 'hex');

/** The longest text that the service keeps ready beside a row. */
const LONGEST = 4096;

/** The columns of an order, by their names. `tag` is what the text that is kept ready begins with. */
export function orderColumns(one: Order, tag: string): Record<string, unknown> {
  const draft = one.status === 'draft';
  const revision = draft ? 1 : 2;
  const ready = `${tag}${revision}${shown(one)}`;
  return {
    ...one,
    id: uuidBytes(one.id),
    customer: uuidBytes(one.customer),
    ninefold_revision: revision,
    ninefold_due_expire: draft ? one.created + DAY : null,
    ninefold_shown: ready.length > LONGEST ? null : ready,
  };
}

/** The kept answer to the request that has made an order; of the request's print, only the length is the service's. */
export function answerColumns(one: Order, key: string): Record<string, unknown> {
  const of = { endpoint: 'POST /orders', caller: `Customer/${one.customer}`, key };
  return {
    hash: BigInt(answerHash(claimOf(of.endpoint, of.caller, key))),
    ...of,
    fingerprint: hash('sha256', key, 'buffer'),
    status: 201,
    headers: JSON.stringify(['Location', `/orders/${one.id}`, 'Content-Type', 'application/json']),
    own_body: shown({ ...one, status: 'draft' }),
    expires: one.created + DAY,
  };
}

/** The event that an order was opened, or placed. */
export function eventColumns(one: Order, placed: boolean, id: string): Record<string, unknown> {
  return {
    id,
    type: placed ? 'order.placed' : 'order.opened',
    resource: 'Order',
    row: one.id,
    at: one.created,
    packed: shown({ ...one, status: placed ? 'placed' : 'draft' }),
  };
}
