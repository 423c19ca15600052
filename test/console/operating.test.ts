import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { shortIdentity } from '../../src/console/page/parts/words.ts';
import { startChromium } from '../chromium.ts';
import { until } from '../harness.ts';
import { IN_BROWSER, IN_BROWSER_WHOLE } from './browsing.ts';
import { focusComes, focused, tabTo } from './keyboard.ts';
import { Console, fillOrders, Shop } from './shop.ts';
import { settled } from './views.ts';

// Journeys of somebody who runs a service: orders and their webhooks, rows and their moves, keys, receivers, requests.

const MANY = 100_000;

let browser: Browser;
let shop: Shop;
let console: Console;
before(async () => {
  if ('skip' in IN_BROWSER) return;
  browser = await startChromium();
  shop = await new Shop().prepare();
  console = await Console.open(shop.space, browser);
});
after(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

test('somebody watches an order move, and its webhook arrive', IN_BROWSER, async () => {
  const [ada] = shop.customers;
  assert.ok(ada);
  const states = await console.visit('states');
  const { page } = states;
  await page.getByRole('link', { name: 'draft 0 rows' }).waitFor();
  const id = await console.service.opened(ada.key, 'TEA-0104');
  await page.getByRole('link', { name: 'draft 1 row' }).waitFor();
  await console.service.request('POST', `/orders/${id}/place`, { key: ada.key });
  await page.getByRole('link', { name: 'placed 1 row' }).click();
  await page
    .getByRole('table', { name: 'Order' })
    .getByRole('link', { name: shortIdentity(id) })
    .click();
  await page.getByText('order.placed').waitFor();
  await page.getByRole('link', { name: 'Deliveries of this row' }).click();
  const delivered = page.getByRole('row', { name: /order\.placed delivered status 204 1/ });
  await delivered.waitFor();
  await until(
    () => shop.warehouse.accepted.some((got) => got.type === 'order.placed' && got.data.id === id),
    'it came',
  );
  await states.end();
});

test(
  'somebody finds a delivery that was given up, and replays it once the receiver is mended',
  IN_BROWSER_WHOLE,
  async () => {
    const [, grace] = shop.customers;
    assert.ok(grace);
    const id = await console.service.opened(grace.key, 'CUP-1001');
    await console.service.request('POST', `/orders/${id}/cancel`, { key: grace.key });
    const visit = await console.visit('deliveries');
    const { page } = visit;
    await settled(page);
    await page.getByLabel('State').selectOption('given up');
    const failed = page.getByRole('row', { name: /order\.cancelled given up status 500 2/ });
    await failed.waitFor();
    shop.ledger.answer = () => 204;
    await failed.getByRole('button', { name: /Replay/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('with the same webhook-id').waitFor();
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await until(() => shop.ledger.accepted.some((got) => got.data.id === id), 'the receiver took it');
    await page.getByText('No delivery matches the filters').waitFor();
    const again = shop.ledger.got.filter((got) => got.data.id === id);
    assert.equal(new Set(again.map((got) => got.id)).size, 1, 'it has the same identity each time');
    await visit.end();
  },
);

test('somebody issues a key, which is shown once, and revokes it', IN_BROWSER_WHOLE, async () => {
  const [ada] = shop.customers;
  assert.ok(ada);
  const visit = await console.visit('keys');
  const { page } = visit;
  await page.getByRole('button', { name: 'Issue a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Customer that holds it').fill(ada.id);
  await dialog.getByRole('checkbox', { name: 'orders:read' }).check();
  await dialog.getByRole('button', { name: 'Issue' }).click();
  const shown = page.getByRole('region', { name: /^The key/ });
  const key = ((await shown.locator('code').first().textContent()) ?? '').trim();
  assert.equal((await console.service.request('GET', '/orders', { key })).status, 200);
  assert.equal((await console.service.request('POST', '/orders', { key, body: {} })).status, 403);
  await page.reload();
  await settled(page);
  assert.doesNotMatch(await page.content(), new RegExp(key), 'it is stored nowhere');
  const first = page.getByRole('row', { name: /orders:read/ }).first();
  await first.getByRole('button', { name: /Revoke/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row', { name: /revoked/ }).waitFor();
  assert.equal((await console.service.request('GET', '/orders', { key })).status, 401);
  await visit.end();
});

test(
  'somebody finds a row among 100,000 by a field, makes a legal move, and can’t make another',
  IN_BROWSER_WHOLE,
  async () => {
    await using many = await new Shop().prepare();
    fillOrders(many.space, MANY);
    const own = await Console.open(many.space, browser);
    const visit = await own.visit('rows/Order');
    const { page } = visit;
    await page.getByText(/^100\s?000 rows/).waitFor();
    await page.getByLabel('Field').selectOption('sku');
    await page.getByLabel('Comparison').selectOption('is');
    await page.getByLabel('Value').fill('BDX-4321');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText(/^1 row$/).waitFor();
    await page.getByRole('table', { name: 'Order' }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Move by ship' }).click();
    await page.getByRole('button', { name: 'Move to shipped' }).click();
    await page.locator('.tag', { hasText: 'shipped' }).waitFor();
    // What the page greys, it does not send; and what is sent all the same is refused, by the line that states it.
    const place = page.getByRole('button', { name: 'Move by place' });
    await page.getByText(/place leads from draft, and this row is shipped/i).waitFor();
    assert.equal(await place.getAttribute('aria-disabled'), 'true');
    await place.click({ force: true });
    assert.equal(await page.getByRole('dialog').count(), 0);
    const { status, body } = await page.evaluate(MOVE, page.url().replace('/console/rows/', '/console/api/rows/'));
    assert.equal(status, 409);
    assert.match(JSON.stringify(body), /order_not_placeable.*\| place/);
    visit.provoked(/409/);
    await page.goBack();
    await page.getByText(/^1 row$/).waitFor();
    await visit.end();
  },
);

/** Asks for a move that the page greys. */
const MOVE = async (address: string): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(`${address}/move`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-ninefold-console': '1' },
    body: '{"transition":"place"}',
  });
  return { status: answer.status, body: await answer.json() };
};

test('somebody adds, changes and removes a row, and is told which line refuses', IN_BROWSER_WHOLE, async () => {
  const [ada, , , alan] = shop.customers;
  assert.ok(ada && alan);
  await console.service.opened(ada.key, 'JAR-0450');
  const visit = await console.visit(`rows/Customer/${alan.id}`);
  const { page } = visit;
  await page.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('email').fill('ada@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/\| email \| string \| email/)
    .waitFor();
  visit.provoked(/409/);
  await dialog.getByLabel('email').fill('alan.turing@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'alan.turing@example.com' }).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { level: 1, name: 'Customer' }).waitFor();

  await page.goto(`${console.origin}/console/rows/Customer/${ada.id}`);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  const refused = page.getByRole('dialog').getByRole('alert');
  await refused.getByText('customer_has_orders').first().waitFor();
  await refused.getByText('- Keeps: customer, else customer_has_orders').waitFor();
  visit.provoked(/409/);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await page.goto(`${console.origin}/console/rows/Customer`);
  await page.getByRole('button', { name: 'Add' }).click();
  await dialog.getByLabel('id').fill('0195c2a0-0000-7000-8000-0000000000ff');
  await dialog.getByLabel('name').fill('Mary Jackson');
  await dialog.getByLabel('email').fill('mary@example.com');
  await dialog.getByRole('button', { name: 'Add Customer' }).click();
  await page.getByRole('heading', { level: 1, name: 'mary@example.com' }).waitFor();
  await visit.end();
});

test('somebody registers a receiver, which is sent events, and removes it', IN_BROWSER_WHOLE, async () => {
  const [, , katherine] = shop.customers;
  assert.ok(katherine);
  const visit = await console.visit('receivers');
  const { page } = visit;
  await page.getByRole('button', { name: 'Register a receiver' }).click();
  const dialog = page.getByRole('dialog');
  const address = `${shop.warehouse.url}/second`;
  await dialog.getByLabel('Address', { exact: true }).fill(address);
  await dialog.getByRole('checkbox', { name: /private or local/ }).check();
  await dialog.getByRole('button', { name: 'Register' }).click();
  const secret = page.getByRole('region', { name: /^The secret/ });
  assert.match((await secret.locator('code').first().textContent()) ?? '', /^whsec_/);
  const row = page.getByRole('row', { name: /second/ });
  await row.waitFor();
  await console.service.opened(katherine.key, 'LID-0009');
  await row.getByRole('link').click();
  await page.getByRole('row', { name: /order\.opened delivered status 204/ }).waitFor();
  await page.goBack();
  await row.getByRole('button', { name: /Pause/ }).click();
  await row.getByText(/paused since/).waitFor();
  await row.getByRole('button', { name: /Rotate secret/ }).click();
  await page.getByRole('dialog').getByLabel('The old secret stays valid for').fill('24h');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText(/The old secret is valid until/).waitFor();
  await row.getByText(/two secrets are valid until/).waitFor();
  const waiting = await console.service.opened(katherine.key, 'LID-0010');
  await row.getByRole('button', { name: /Change/ }).click();
  await page.getByRole('dialog').getByLabel('Address', { exact: true }).fill(`${address}/moved`);
  await page.getByText('Deliveries that are pending go to the new address.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await row.getByRole('link', { name: /moved/ }).waitFor();
  await row.getByRole('button', { name: /Resume/ }).click();
  await until(
    () => shop.warehouse.accepted.filter(({ data }) => data.id === waiting).length === 2,
    'what has waited comes, beside that of the other receiver',
  );
  await row.getByRole('button', { name: /Remove/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  await visit.end();
});

test('somebody sees which requests come, and that the service refuses some', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit('activity');
  const { page } = visit;
  await settled(page);
  for (let i = 0; i < 3; i++) assert.equal((await console.service.request('GET', '/summary')).status, 401);
  await page.getByRole('row', { name: /GET \/summary 3 – 3 –/ }).waitFor();
  await visit.end();
});

test('all of it is reached by keyboard alone, and the focus is seen', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit();
  const { page } = visit;
  await settled(page);
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Go to the content');
  await tabTo(page, 'States');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'States' }).waitFor();
  await focusComes(page, 'States', 'H1');
  await settled(page);
  await page.keyboard.press('Shift+Tab');
  await tabTo(page, 'Keys', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  await focusComes(page, 'Keys', 'H1');
  await settled(page);
  await tabTo(page, 'Issue a key');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab');
    assert.ok(await within(dialog), 'the focus stays in the dialog');
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focusComes(page, 'Issue a key', 'BUTTON');
  await visit.end();
});

test('a session that has ended says so, and shows nothing more', IN_BROWSER_WHOLE, async () => {
  await using ending = new Shop();
  const own = await Console.open(ending.space, browser);
  const visit = await own.visit('rows/Customer');
  const other = await own.visit('keys');
  await settled(other.page);
  await visit.page.getByRole('button', { name: 'End session' }).click();
  await visit.page.getByText(/session has ended/i).waitFor();
  await other.page
    .getByText(/session.*has ended|You have no session/i)
    .first()
    .waitFor();
  other.faults.length = 0;
  await other.end();
  visit.faults.length = 0;
  await visit.end();
});

const within = (one: Locator): Promise<boolean> =>
  one.evaluate((element) => element.contains(document.activeElement) || document.activeElement === document.body);

test('somebody searches, selects rows, moves them, and is told which stay as they are', IN_BROWSER_WHOLE, async () => {
  await using own = await new Shop().prepare();
  const shown = await Console.open(own.space, browser);
  const [ada] = own.customers;
  assert.ok(ada);
  for (const sku of ['ZED-0001', 'ZED-0002', 'ZED-0003']) await shown.service.opened(ada.key, sku);
  const last = await shown.service.opened(ada.key, 'ZED-0004');
  await shown.service.request('POST', `/orders/${last}/cancel`, { key: ada.key });
  const visit = await shown.visit('rows/Order');
  const { page } = visit;
  await settled(page);
  await page.keyboard.press('/');
  await page.keyboard.type('zed-000');
  await page.keyboard.press('Enter');
  await page.getByText(/^4 rows$/).waitFor();
  assert.match(page.url(), /search=zed-000/, 'the address keeps it');
  for (const box of await page.locator('tbody').getByRole('checkbox').all()) await box.check();
  const selected = page.getByRole('region', { name: 'Selected rows' });
  await selected.getByText('4 rows selected').waitFor();
  await selected.getByRole('button', { name: 'place' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move 4 rows' }).click();
  await selected.getByText('1 row stayed as it was').waitFor();
  await selected.getByText(/place leads from draft, and this row is cancelled/).waitFor();
  visit.provoked(/409/);
  assert.equal(await page.locator('td .tag', { hasText: 'placed' }).count(), 3);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  assert.equal(file.suggestedFilename(), 'Order.csv');
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  assert.equal(lines.length, 5);
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox', { name: 'note' }).uncheck();
  await dialog.getByRole('button', { name: 'Move sku up' }).click();
  await dialog.getByRole('button', { name: 'Show these' }).click();
  await page.getByRole('columnheader', { name: 'note' }).waitFor({ state: 'detached' });
  await page.reload();
  await settled(page);
  assert.equal(await page.getByRole('columnheader', { name: 'note' }).count(), 0, 'the browser remembers');
  await visit.end();
});

test('Ctrl-K leads to a view, a resource or an endpoint, by keyboard alone', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit();
  const { page } = visit;
  await settled(page);
  const name = page.getByRole('dialog').getByLabel('Name of a view, a resource or an endpoint');
  await page.keyboard.press('Control+k');
  await name.waitFor();
  await page.keyboard.type('customer rows');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Customer' }).waitFor();
  await page.keyboard.press('Control+k');
  await name.waitFor();
  await page.keyboard.type('post /orders endpoint');
  await page.getByRole('dialog').getByText('POST /orders').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'POST /orders' }).waitFor();
  await visit.end();
});

test('somebody looks for the request that was refused, and for what refused it', IN_BROWSER_WHOLE, async () => {
  const [, grace] = shop.customers;
  assert.ok(grace);
  const refused = await console.service.open(grace.key, { sku: 'BAD-0001', quantity: 0 });
  assert.equal(refused.status, 422);
  const visit = await console.visit('requests?status=4');
  const { page } = visit;
  await settled(page);
  const row = page.getByRole('row', { name: /POST \/orders.*422/ }).first();
  await row.getByRole('button', { name: /Details of/ }).click();
  await page.getByRole('dialog').getByText('invalid_request').first().waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await visit.end();
});
