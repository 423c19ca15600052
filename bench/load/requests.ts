/** What the rows are that a server was given: the same for every server. */
export interface Dataset {
  readonly customers: ReadonlyArray<{ readonly id: string; readonly key: string }>;
  /** A key of the first customer that may read and nothing else. */
  readonly reader: string;
  /** The orders, each with the place of its customer, in the order in which they were created. */
  readonly orders: ReadonlyArray<{ readonly id: string; readonly customer: number }>;
  /** The places of the orders that are drafts and may be placed. */
  readonly drafts: readonly number[];
}

/** The kinds of requests. */
export type Kind = 'read' | 'list' | 'create' | 'transition' | 'refused';

/** A kind of work: how many in a hundred requests are of each kind. */
export type Mix = ReadonlyArray<readonly [Kind, number]>;

/** The kinds of work, by the names that the command line takes. */
export const WORKS = {
  read: { title: 'read one', mix: [['read', 100]] },
  list: { title: 'list twenty', mix: [['list', 100]] },
  create: { title: 'create', mix: [['create', 100]] },
  transition: { title: 'transition', mix: [['transition', 100]] },
  refused: { title: 'refused body', mix: [['refused', 100]] },
  'reads-90': {
    title: '90% reads, 10% creates',
    mix: [
      ['read', 90],
      ['create', 10],
    ],
  },
  'reads-80': {
    title: '80% reads of both kinds, 10% creates, 10% transitions',
    mix: [
      ['read', 60],
      ['list', 20],
      ['create', 10],
      ['transition', 10],
    ],
  },
} as const satisfies Record<string, { title: string; mix: Mix }>;

export type WorkName = keyof typeof WORKS;

/** The status that each kind is answered with; any other fails the run. */
export const EXPECTED: Readonly<Record<Kind, number>> = {
  read: 200,
  list: 200,
  create: 201,
  transition: 200,
  refused: 422,
};

const SKUS = 26 ** 3 * 10_000;
/** Shares no factor with the number of SKUs, so that each number has one of its own, and they come in no order. */
const STEP = 7_368_787;

/** The SKU of a number; different for different ones below 175,760,000. */
export function skuOf(number: number): string {
  const n = (number * STEP) % SKUS;
  const letters = Math.floor(n / 10_000);
  const letter = (place: number): string => String.fromCharCode(65 + (Math.floor(letters / 26 ** place) % 26));
  return `${letter(2)}${letter(1)}${letter(0)}-${String(n % 10_000).padStart(4, '0')}`;
}

/** How servers differ in what they are asked. Most are asked the same; an engine of its own has addresses of its own. */
export interface Dialect {
  /** Where orders are, unless at `/orders`. */
  readonly orders?: string;
  /** `{customer}` stands for who asks, where an engine can't tell it by the key. */
  readonly list: string;
  /** The body of a create, where it isn't that of the others, with `{customer}`, `{sku}` and `{quantity}`. */
  readonly draft?: string;
  /** What a create is answered with, unless with 201. */
  readonly createdStatus?: number;
  /** The method, the suffix of the address and the body that place an order. */
  readonly place: { readonly method: string; readonly suffix: string; readonly body: string | null };
  readonly refusedStatus: number;
  /** Whether a draft that was placed may be placed again: it is never moved. */
  readonly placesAgain: boolean;
}

export const ORDERS: Dialect = {
  list: '/orders?limit=20',
  place: { method: 'POST', suffix: '/place', body: null },
  refusedStatus: EXPECTED.refused,
  placesAgain: false,
};

/** A body that is refused, and one that isn't. */
export const draftBody = (sku: string, quantity: number): string => `{"sku":"${sku}","quantity":${quantity}}`;

/** Writes the requests of a run. Rows that may be used once are used once: it lives as long as the server does. */
export class Requests {
  private readonly data: Dataset;
  private readonly dialect: Dialect;
  private readonly orders: string;
  private readonly tails: readonly string[];
  private readonly lists: readonly string[];
  /** The status that the last request is to be answered with. */
  expected = 0;
  private nextNumber: number;
  private nextDraft = 0;
  private random = 0x2545f491;

  constructor(data: Dataset, dialect: Dialect) {
    this.data = data;
    this.dialect = dialect;
    this.orders = dialect.orders ?? '/orders';
    this.nextNumber = data.orders.length;
    this.tails = data.customers.map(
      ({ key }) =>
        ` HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\nUser-Agent: bench\r\n`,
    );
    this.lists = this.tails.map(
      (tail, i) => `GET ${dialect.list.replace('{customer}', data.customers[i]!.id)}${tail}\r\n`,
    );
  }

  /** The share of the drafts that is left to be placed. */
  get left(): number {
    return 1 - this.nextDraft / this.data.drafts.length;
  }

  /** The kind of the next request of a mix. */
  pick(mix: Mix): Kind {
    if (mix.length === 1) return mix[0]![0];
    let at = this.below(100);
    for (const [kind, share] of mix) {
      if (at < share) return kind;
      at -= share;
    }
    return mix[0]![0];
  }

  /** The text of the next request of a kind; null where there is no row left to ask it of. */
  next(kind: Kind): string | null {
    this.expected = this.statusOf(kind);
    switch (kind) {
      case 'read': {
        const { id, customer } = this.data.orders[this.below(this.data.orders.length)]!;
        return `GET ${this.orders}/${id}${this.tails[customer]}\r\n`;
      }
      case 'list':
        return this.lists[this.below(this.lists.length)]!;
      case 'transition':
        return this.place();
      case 'create':
        return this.create(1);
      case 'refused':
        return this.create(0);
    }
  }

  /** The status that a kind is to be answered with. */
  private statusOf(kind: Kind): number {
    const { refusedStatus, createdStatus } = this.dialect;
    if (kind === 'refused') return refusedStatus;
    return kind === 'create' && createdStatus !== undefined ? createdStatus : EXPECTED[kind];
  }

  private create(least: 0 | 1): string {
    const number = this.nextNumber++;
    const place = number % this.tails.length;
    const tail = this.tails[place];
    const body = this.draft(place, skuOf(number), least && 10 + (number % 90));
    return `POST ${this.orders}${tail}Idempotency-Key: ${skuOf(number)}-bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }

  private draft(customer: number, sku: string, quantity: number): string {
    const { draft } = this.dialect;
    if (draft === undefined) return draftBody(sku, quantity);
    const { id } = this.data.customers[customer]!;
    return draft.replace('{customer}', id).replace('{sku}', sku).replace('{quantity}', String(quantity));
  }

  private place(): string | null {
    if (this.dialect.placesAgain && this.left === 0) this.nextDraft = 0;
    const place = this.data.drafts[this.nextDraft];
    if (place === undefined) return null;
    this.nextDraft++;
    const { id, customer } = this.data.orders[place]!;
    const { method, suffix, body } = this.dialect.place;
    const head = `${method} ${this.orders}/${id}${suffix}${this.tails[customer]}`;
    if (body === null) return `${head}Content-Length: 0\r\n\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }

  /** A number below another, the same ones in each run (xorshift). */
  private below(most: number): number {
    let x = this.random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.random = x;
    return (x >>> 0) % most;
  }
}
