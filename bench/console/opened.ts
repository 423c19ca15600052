import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Browser } from 'playwright-core';
import { largeDocument } from '../../samples/large.ts';
import { startChromium } from '../../test/chromium.ts';
import { Console, fillOrders } from '../../test/console/shop.ts';
import { RAISED, Workspace } from '../../test/harness.ts';
import type { Dataset } from '../load/requests.ts';
import { canPin } from '../process.ts';
import { addCustomers } from '../rows.ts';

const ROWS = 100_000;
const CUSTOMERS = 20;

/** A service of many orders, its console, and a browser. */
export interface Benched extends AsyncDisposable {
  readonly rows: number;
  readonly console: Console;
  readonly browser: Browser;
  /** What the load generator asks for. */
  readonly dataset: string;
  readonly pinned: boolean;
}

/** Serves the orders document over 100,000 orders, on a processor of its own where that can be. */
export async function openBenched(): Promise<Benched> {
  const space = new Workspace(RAISED);
  const { customers, reader } = await addCustomers(space.file, space.data, CUSTOMERS);
  fillOrders(space, ROWS);
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-bench-'));
  const dataset = join(folder, 'dataset.json');
  writeFileSync(
    dataset,
    JSON.stringify({ customers, reader, orders: ordersOf(space, customers), drafts: [] } satisfies Dataset),
  );
  const pinned = canPin();
  const browser = await startChromium();
  const prefix = pinned ? ['taskset', '-c', '0'] : [];
  const console = await Console.open(space, browser, [], prefix);
  return {
    rows: ROWS,
    console,
    browser,
    dataset,
    pinned,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await space[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Serves a document with so many endpoints, with a console for a browser that is there. */
export async function openLarge(
  browser: Browser,
  endpoints: number,
): Promise<AsyncDisposable & { readonly console: Console }> {
  const space = new Workspace(largeDocument(endpoints), 'large.md');
  const console = await Console.open(space, browser);
  return { console, [Symbol.asyncDispose]: () => space[Symbol.asyncDispose]() };
}

function ordersOf(space: Workspace, customers: Dataset['customers']): Dataset['orders'] {
  const places = new Map(customers.map(({ id }, place) => [id.replaceAll('-', ''), place]));
  const db = new Database(join(space.data, 'ninefold.sqlite'), { readonly: true });
  try {
    const rows = db.prepare('SELECT id, customer FROM "order"').all() as Array<{ id: Buffer; customer: Buffer }>;
    return rows.map((row) => ({
      id: row.id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      customer: places.get(row.customer.toString('hex')) ?? 0,
    }));
  } finally {
    db.close();
  }
}
