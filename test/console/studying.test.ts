import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { largeDocument } from '../../samples/large.ts';
import { startChromium } from '../chromium.ts';
import { edited, Workspace } from '../harness.ts';
import { IN_BROWSER, IN_BROWSER_WHOLE } from './browsing.ts';
import { Console, SHOP } from './shop.ts';
import { settled } from './views.ts';

// Journeys of somebody who studies a service: what the document says, what an endpoint answers, what an edit would do.

const space = new Workspace(SHOP);
let browser: Browser;
let console: Console;
let customer = '';
before(async () => {
  if ('skip' in IN_BROWSER) return;
  browser = await startChromium();
  customer = await space.customer('Ada Lovelace');
  console = await Console.open(space, browser);
});
after(async () => {
  await browser?.close();
  await space[Symbol.asyncDispose]();
});

test('somebody finds what a document leaves open, beside its line, with the line to write', IN_BROWSER, async () => {
  await using open = new Workspace(edited(SHOP, ['latest `created` first, ', '']));
  const own = await Console.open(open, browser, ['--settled-only']);
  const visit = await own.visit();
  const { page } = visit;
  await page.getByText('1 open question').first().waitFor();
  await page.getByRole('link', { name: /In which order are the rows of Order listed/ }).click();
  await page.waitForURL(/\?line=\d+/);
  const line = new URL(page.url()).searchParams.get('line');
  const question = page.getByRole('complementary', { name: 'Open question' });
  await question.getByText(', latest `created` first').waitFor();
  assert.match((await lineOf(page, line).textContent()) ?? '', /List orders: Order where/);
  await question.getByRole('link', { name: 'GET /orders', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'GET /orders' }).waitFor();
  await page.getByText('The document leaves this endpoint open').waitFor();
  await visit.end();
});

test('somebody tries an endpoint as a customer, and is shown the line that refused it', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit('endpoints');
  const { page } = visit;
  await page.getByRole('link', { name: 'POST /orders', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'POST /orders' }).waitFor();
  await asCustomer(page, ['orders:write']);
  await page.getByLabel('Body', { exact: true }).fill('{"sku": "TEA-0104", "quantity": 200}');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('201').first().waitFor();
  const made = JSON.parse((await page.getByRole('group', { name: 'Body of the answer' }).textContent()) ?? '') as {
    id: string;
  };

  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: /^Endpoints/ })
    .click();
  await page.getByRole('link', { name: 'POST /orders/{id}/place' }).click();
  await asCustomer(page, ['orders:write']);
  await page.getByLabel(/path$/).fill(`/orders/${made.id}/place`);
  await page.getByRole('button', { name: 'Send' }).click();
  const lines = page.getByRole('list', { name: 'Lines of the document that state it' });
  await lines.getByText('| place      | draft', { exact: false }).waitFor();
  await page.getByText('order_not_placeable').first().waitFor();
  await lines.getByRole('link').first().click();
  await page.waitForURL(/\?line=\d+/);
  assert.match((await lineOf(page, new URL(page.url()).searchParams.get('line')).textContent()) ?? '', /place/);
  const keys = space.select<{ revoked: number | null }>('SELECT revoked FROM ninefold_key');
  assert.ok(keys.length >= 2 && keys.every((one) => one.revoked !== null), 'no key of a try is left');
  await visit.end();
});

test('an edit of the document on disk is previewed: what changes for rows and callers', IN_BROWSER_WHOLE, async () => {
  await using edits = new Workspace(SHOP);
  await edits.key(await edits.customer());
  const own = await Console.open(edits, browser);
  const visit = await own.visit();
  const { page } = visit;
  await settled(page);
  edits.write(edited(SHOP, ['| 1 to 1000  ', '| 1 to 999   ']));
  await page.getByRole('link', { name: /^Migration.*changed/ }).click();
  await page.getByRole('button', { name: /review/ }).click();
  await page.getByRole('heading', { name: 'Callers' }).waitFor();
  await page.getByText(/999/).first().waitFor();
  assert.equal((await page.getByText('1000').count()) > 0, true);
  // What can’t be served says why, with the finding.
  edits.write(edited(SHOP, ['| 1 to 1000  ', '| 1 to many  ']));
  await page.getByRole('button', { name: /review/ }).click();
  await page.getByRole('heading', { name: 'The file on disk cannot be served' }).waitFor();
  assert.equal((await own.service.request('GET', '/orders', {})).status, 401, 'the old document is still served');
  await visit.end();
});

test('a document with 1,000 endpoints is searched, read and walked through', IN_BROWSER_WHOLE, async () => {
  await using large = new Workspace(largeDocument(1000), 'large.md');
  const own = await Console.open(large, browser);
  const visit = await own.visit('endpoints');
  const { page } = visit;
  await page.getByText(/^1\s?\d{3} endpoints/).waitFor();
  await page.getByLabel('Find').fill('POST payroll claim');
  await page.getByRole('table').getByRole('link', { name: 'POST /payroll/claims', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'POST /payroll/claims' }).waitFor();
  await page.goBack();
  await page.getByRole('table').getByRole('link', { name: 'POST /payroll/claims', exact: true }).waitFor();
  assert.equal(
    await page.getByLabel('Find').inputValue(),
    'POST payroll claim',
    'the address holds what is looked for',
  );
  await page
    .getByRole('link', { name: /^line \d+$/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Document' }).waitFor();
  const line = new URL(page.url()).searchParams.get('line');
  await lineOf(page, line).waitFor();
  assert.ok(await inSight(lineOf(page, line)), 'the line is in sight');
  await visit.end();
});

test(
  'back and forward lead through views, and an address leads whoever gets it to the same',
  IN_BROWSER_WHOLE,
  async () => {
    const visit = await console.visit();
    const { page } = visit;
    const titles = ['Document', 'States', 'Keys', 'Deliveries'];
    const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();
    await heading('Document');
    for (const name of titles.slice(1)) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await heading(name);
    }
    for (const name of titles.slice(0, -1).reverse()) {
      await page.goBack();
      await heading(name);
    }
    for (const name of titles.slice(1)) {
      await page.goForward();
      await heading(name);
    }
    await page.getByLabel('State').selectOption('given up');
    await page.waitForURL(/state=given/);
    const { address, other } = { address: page.url().replace(`${console.origin}/console/`, ''), other: page.url() };
    const second = await console.visit(address);
    await second.page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    assert.equal(second.page.url(), other);
    assert.equal(await second.page.getByLabel('State').inputValue(), 'given up');
    await second.end();
    await visit.end();
  },
);

async function asCustomer(page: Page, scopes: readonly string[]): Promise<void> {
  await page.getByLabel('Caller').selectOption({ label: 'Customer, by API key' });
  await page.getByLabel('Customer that calls').fill(customer);
  for (const scope of scopes) await page.getByRole('checkbox', { name: scope }).check();
}

/** What a line of the document shows. */
const lineOf = (page: Page, line: string | null): Locator => page.locator(`[data-line="${line}"]`);

const inSight = (one: Locator): Promise<boolean> =>
  one.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  });
