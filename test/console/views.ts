import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Shop } from './shop.ts';

/** Where a run leaves its pictures; the one before it is thrown away. */
const SCREENS = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'console');

/** The windows in which views are looked at. */
export const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Every view, with its address below `/console/`. */
export function viewsOf(shop: Shop): ReadonlyArray<readonly [name: string, path: string]> {
  const row = (resource: string, id: string | undefined): string => `rows/${resource}/${id}`;
  return [
    ['document', ''],
    ['document-line', '?line=61'],
    ['states', 'states'],
    ['endpoints', 'endpoints'],
    ['endpoint', `endpoints?${new URLSearchParams({ name: 'POST /orders' })}`],
    ['resources', 'rows'],
    ['rows', 'rows/Order'],
    ['rows-none', `rows/Order?${new URLSearchParams({ filter: NO_ORDER })}`],
    ['row', row('Order', shop.orders.placed[0])],
    ['row-referred', row('Customer', shop.customers[0]?.id)],
    ['deliveries', 'deliveries'],
    ['receivers', 'receivers'],
    ['keys', 'keys'],
    ['requests', 'requests'],
    ['rows-search', 'rows/Order?search=TEA'],
    ['activity', 'activity'],
    ['migration', 'migration'],
    ['nowhere', 'nowhere'],
  ];
}

const NO_ORDER = JSON.stringify([{ field: 'sku', is: 'equal', value: 'XXX-0000' }]);

/** Waits until a view shows what it has loaded. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('main .loading, main [aria-busy="true"]') === null);
}

/** An empty folder for the pictures of a run. */
export async function screenFolder(): Promise<string> {
  rmSync(SCREENS, { recursive: true, force: true });
  await mkdir(SCREENS, { recursive: true });
  return SCREENS;
}

/**
 * Takes a picture of a page, for people to look at; gives whether there is one. A browser on a busy machine may be unable to
 * (“Unable to capture screenshot”), which says nothing of the page.
 */
export async function picture(page: Page, path: string): Promise<boolean> {
  try {
    await page.screenshot({ path });
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('Unable to capture screenshot')) return false;
    throw error;
  }
}

/** What axe-core finds wrong: rule, help and elements. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = await (window as unknown as { axe: typeof import('axe-core') }).axe.run(document, {
      resultTypes: ['violations'],
    });
    return found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(' ')}`);
  });
}

/** What reaches past the right edge of the window, so that the whole page has to be moved to see it. */
export async function tooWide(page: Page): Promise<string[]> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const inner = await page.evaluate(() => {
    const dialog = document.querySelector('dialog');
    return dialog ? dialog.scrollWidth - dialog.clientWidth : 0;
  });
  return [
    ...(wide > 0 ? [`the page is ${wide} pixels too wide`] : []),
    ...(inner > 0 ? [`the dialog is ${inner} pixels too wide`] : []),
  ];
}
