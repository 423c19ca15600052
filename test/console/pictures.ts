// `node test/console/pictures.ts` takes the pictures of the README anew. It looks best where Inter is installed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.ts';
import { edited, ORDERS, Workspace } from '../harness.ts';
import { Console, impatient, Shop } from './shop.ts';
import { settled } from './views.ts';
import type { Manner } from './visit.ts';

const IMAGES = join(import.meta.dirname, '..', '..', 'docs', 'images');
const WINDOW = { width: 1180, height: 740 } as const;

/** Opens a view, does something there, and takes a picture of it. */
async function picture(
  console: Console,
  name: string,
  path: string,
  theme: Manner['theme'],
  act: (page: Page) => Promise<void>,
) {
  const visit = await console.visit(path, { ...WINDOW, ...(theme ? { theme } : {}) });
  await settled(visit.page);
  await act(visit.page);
  // What has just been scrolled is drawn with the next frames.
  await visit.page.evaluate(() => new Promise((on) => requestAnimationFrame(() => requestAnimationFrame(on))));
  await visit.page.screenshot({ path: join(IMAGES, `console-${name}.png`) });
  visit.faults.length = 0;
  await visit.end();
}

/** Has a workspace’s document called as people call theirs. */
function called(space: Workspace): Workspace {
  process.chdir(space.dir);
  return Object.assign(space, { file: 'orders.md' });
}

async function openQuestion(browser: Browser): Promise<void> {
  await using open = called(new Workspace(edited(ORDERS, ['latest `created` first, ', ''])));
  const console = await Console.open(open, browser, ['--settled-only']);
  await picture(console, 'question', '', 'light', async (page) => {
    await page.getByRole('link', { name: /In which order are the rows/ }).click();
    await page.getByRole('complementary', { name: 'Open question' }).waitFor();
  });
}

async function shopViews(browser: Browser): Promise<void> {
  await using shop = new Shop(impatient(ORDERS));
  called(shop.space);
  await shop.prepare();
  const console = await Console.open(shop.space, browser);
  await shop.trade(console.service);
  const [ada] = shop.customers;
  const draft = await console.service.opened(ada?.key ?? '', 'POT-0099', { quantity: 240 });
  await picture(console, 'states', 'states', 'dark', async (page) => {
    await page.locator('.state-box').first().waitFor();
  });
  const name = new URLSearchParams({ name: 'POST /orders/{id}/place' });
  await picture(console, 'refused', `endpoints?${name}`, 'light', async (page) => {
    await page.getByLabel('Caller').selectOption({ label: 'Customer, by API key' });
    await page.getByLabel('Customer that calls').fill(ada?.id ?? '');
    await page.getByRole('checkbox', { name: 'orders:write' }).check();
    await page.getByLabel(/path$/).fill(`/orders/${draft}/place`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('list', { name: /^Lines of the document/ }).scrollIntoViewIfNeeded();
  });
  await picture(console, 'row', `rows/Order/${shop.orders.placed[0]}`, 'dark', async (page) => {
    await page.getByRole('button', { name: 'Move by ship' }).waitFor();
  });
}

mkdirSync(IMAGES, { recursive: true });
const browser = await startChromium();
try {
  await openQuestion(browser);
  await shopViews(browser);
} finally {
  await browser.close();
}
