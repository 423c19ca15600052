import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Browser } from 'playwright-core';
import { processIo } from '../../src/cli/io.ts';
import { withOperator } from '../../src/cli/open.ts';
import { ALL_SCOPES, edited, PATIENT, type Service, until, Workspace } from '../harness.ts';
import { Receiver } from '../receiver.ts';
import { linkOf, type Manner, Visit } from './visit.ts';

/** A document whose deliveries are given up after a second attempt. */
export const impatient = (document: string): string =>
  edited(document, [
    '8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
    '2, after 1 second',
  ]);

/** The orders document of most tests. */
export const SHOP = impatient(PATIENT);

const CUSTOMERS = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson', 'Alan Turing', 'Annie Easley'];
const NOTES = ['Leave it with flat 12', 'A gift: no invoice in the parcel', 'Ring twice, the bell is faint'];
const SKUS = ['TEA-0104', 'TEA-0220', 'CUP-1001', 'POT-0007', 'JAR-0450', 'BOX-3000', 'MUG-0012', 'LID-0009'];

/** A customer with a key. */
interface Customer {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

/** A service with a console, and its first visitor. */
export class Console {
  readonly space: Workspace;
  readonly service: Service;
  /** The address of the operator’s port. */
  readonly origin: string;
  /** The link as it was printed: its key has been used. */
  readonly link: string;
  private readonly browser: Browser;
  private session: Manner['session'];

  private constructor(space: Workspace, service: Service, link: string, browser: Browser) {
    this.space = space;
    this.service = service;
    this.link = link;
    this.origin = new URL(link).origin;
    this.browser = browser;
  }

  /** Serves the document of a workspace, under another program where one is given, and uses the link. */
  static async open(
    space: Workspace,
    browser: Browser,
    args: readonly string[] = [],
    prefix: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
  ): Promise<Console> {
    const service = await space.serve({ args: ['--admin', '127.0.0.1:0', ...args], prefix: [...prefix], env });
    const console = new Console(space, service, await linkOf(service), browser);
    const first = await Visit.begin(browser, console.origin);
    await first.page.goto(console.link);
    console.session = await first.session();
    await first.end();
    return console;
  }

  /** Opens a view in a new window: a path below `/console/`; null opens the window alone. */
  async visit(path: string | null = '', manner: Manner = {}): Promise<Visit> {
    const visit = await Visit.begin(this.browser, this.origin, {
      ...(this.session ? { session: this.session } : {}),
      ...manner,
    });
    if (path !== null) await visit.page.goto(`${this.origin}/console/${path}`);
    return visit;
  }
}

/** A shop that has been open for a while: something is to be seen in every view. */
export class Shop {
  readonly space: Workspace;
  /** It takes whatever comes. */
  readonly warehouse = new Receiver();
  /** It answers 500 until it is mended. */
  readonly ledger = new Receiver();
  readonly customers: Customer[] = [];
  /** The identities of orders, by their state. */
  readonly orders: Record<'draft' | 'placed' | 'shipped' | 'delivered' | 'cancelled', string[]> = {
    draft: [],
    placed: [],
    shipped: [],
    delivered: [],
    cancelled: [],
  };

  constructor(document = SHOP) {
    this.space = new Workspace(document);
  }

  /** Enters customers and receivers. */
  async prepare(): Promise<this> {
    await this.warehouse.up();
    await this.ledger.up();
    this.ledger.answer = () => 500;
    // All by one operator: each command would compile the document anew.
    await withOperator(this.space.file, { data: this.space.data }, processIo(), async (operator) => {
      for (const name of CUSTOMERS) {
        const id = randomUUID();
        const email = `${name.split(' ')[0]!.toLowerCase()}@example.com`;
        await operator.add('Customer', new Map(Object.entries({ id, name, email })));
        const { key } = await operator.issueKey('Customer', id, ALL_SCOPES.split(','));
        this.customers.push({ id, name, key });
      }
    });
    await this.space.receiver(this.warehouse.url);
    await this.space.receiver(this.ledger.url, '--events', 'order.cancelled');
    return this;
  }

  /** Sells through the service, refuses some, and waits until a delivery has failed. */
  async trade(service: Service): Promise<void> {
    for (let i = 0; i < 24; i++) {
      const { key } = this.customers[i % CUSTOMERS.length]!;
      const sku = SKUS[i % SKUS.length]!;
      const note = i % 3 === 0 ? { note: NOTES[i % NOTES.length] } : {};
      const id = await service.opened(key, sku, { quantity: 1 + ((i * 7) % 40), ...note });
      const way = WAYS[i % WAYS.length]!;
      for (const verb of way) await service.request('POST', `/orders/${id}/${verb}`, { key });
      this.orders[ENDS[way.at(-1) ?? '']!].push(id);
      if (i % 6 === 0) await service.request('POST', `/orders/${id}/deliver`, { key });
    }
    await until(
      () => this.space.select(`SELECT 1 FROM ninefold_delivery WHERE state = 'given up'`).length > 0,
      'a delivery has failed for good',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.space[Symbol.asyncDispose]();
    await this.warehouse.down();
    await this.ledger.down();
  }
}

const WAYS: ReadonlyArray<readonly string[]> = [
  [],
  ['place'],
  ['place', 'ship', 'deliver'],
  ['place', 'cancel'],
  ['place', 'ship'],
  ['place', 'ship', 'deliver'],
  ['place'],
];
const ENDS = {
  '': 'draft',
  place: 'placed',
  ship: 'shipped',
  deliver: 'delivered',
  cancel: 'cancelled',
} as Readonly<Record<string, keyof Shop['orders']>>;

/** Puts many orders of one customer into a store that nothing serves: all are placed, each with a SKU of its own. */
export function fillOrders(space: Workspace, count: number): void {
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  try {
    db.pragma('synchronous = OFF');
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO "order" (id, customer, sku, quantity, note, status, created, ninefold_revision)
      SELECT randomblob(16), c.id, printf('B%sX-%04d', char(65 + i / 10000), i % 10000),
      1 + i % 100, iif(i % 4, NULL, 'Leave it with flat ' || (i % 90)), 'placed', 1767225600000 + i * 1000, 1
      FROM n, (SELECT id FROM customer LIMIT 1) AS c`);
  } finally {
    db.close();
  }
}
