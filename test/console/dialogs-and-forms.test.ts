import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.ts';
import { Workspace } from '../harness.ts';
import { IN_BROWSER, IN_BROWSER_WHOLE } from './browsing.ts';
import { Console, Shop } from './shop.ts';
import { picture, screenFolder, settled, tooWide, violations, WINDOWS } from './views.ts';
import type { Visit } from './visit.ts';

// What happens in a view before it is looked at: dialogs, forms with files, and answers.

const ANSWER = '<img src=x onerror="document.title = \'taken\'"><script>document.title = "taken"</script>';

let browser: Browser;
let folder: string;
before(async () => {
  if ('skip' in IN_BROWSER) return;
  folder = await screenFolder();
  browser = await startChromium();
});
after(() => browser?.close());

/** Does something in a view, in both themes and both windows, and looks at it by axe-core’s rules. */
async function looked(
  console: Console,
  name: string,
  path: string,
  act: (page: Page, visit: Visit) => Promise<void>,
): Promise<void> {
  for (const theme of ['light', 'dark'] as const)
    for (const { width, height } of WINDOWS) {
      const visit = await console.visit(path, { width, height, theme });
      await settled(visit.page);
      await act(visit.page, visit);
      await picture(visit.page, join(folder, `${name}-${theme}-${width}.png`));
      assert.deepEqual(
        [...(await violations(visit.page)), ...(await tooWide(visit.page))],
        [],
        `${name} ${theme} ${width}`,
      );
      await visit.end();
    }
}

test('attempts and test events show what a receiver answered, as text', IN_BROWSER, async () => {
  await using shop = new Shop();
  await shop.prepare();
  shop.ledger.answer = () => 500;
  shop.ledger.body = ANSWER;
  const console = await Console.open(shop.space, browser);
  await shop.trade(console.service);
  await looked(console, 'delivery', 'deliveries?state=given+up', async (page) => {
    await page
      .getByRole('button', { name: /^Details of / })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(ANSWER).first().waitFor();
    assert.equal(await dialog.getByText('status 500').count(), 2);
    await dialog.getByRole('heading', { name: 'Payload' }).waitFor();
    assert.equal(await page.locator('dialog img, dialog script').count(), 0);
    assert.doesNotMatch(await page.title(), /taken/);
  });
  await looked(console, 'test-event', 'receivers', async (page) => {
    const row = page.getByRole('row', { name: new RegExp(shop.ledger.url) });
    await row.getByText(/given up/).waitFor();
    await row.getByRole('button', { name: /^Test / }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText(ANSWER).waitFor();
    await dialog
      .getByText(/^test_/)
      .last()
      .waitFor();
    assert.equal(await page.locator('dialog img, dialog script').count(), 0);
  });
});

const FILES = readFileSync(new URL('../../docs/documents/files.md', import.meta.url), 'utf8');

test('a file is sent by the form of an endpoint, and downloaded from its row', IN_BROWSER, async () => {
  await using space = new Workspace(FILES, 'files.md');
  const member = randomUUID();
  assert.equal((await space.cli('rows', 'add', 'Member', `id=${member}`, 'name=Ada')).code, 0);
  const console = await Console.open(space, browser, ['--url', 'https://files.example']);
  const name = new URLSearchParams({ name: 'POST /attachments' });
  let made = '';
  await looked(console, 'try-file', `endpoints?${name}`, async (page) => {
    const buffer = Buffer.from('<h1>not a page</h1>');
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer });
    await page.getByText('a.txt, 19 B, text/plain').waitFor();
    // The form takes the first row as the caller once it is there.
    await page.waitForFunction(() => document.querySelector('.try input:invalid') === null);
    // By the keyboard: what the page shows of the file moves the button.
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await page.locator('.tried').getByText('201').first().waitFor();
    await page.getByText('The request as a call of the client').click();
    await page.getByText(/client\.attachments\.create/).waitFor();
    await page.getByText('The request for curl').click();
    await page.getByText(/--data-binary '@a\.txt'/).waitFor();
    made = (JSON.parse((await page.getByLabel('Body of the answer').textContent()) ?? '') as { id: string }).id;
    await page.getByText(/answers that every endpoint has$/).click();
  });
  await looked(console, 'rows-file', 'rows/Attachment', async (page) => {
    await page.getByRole('link', { name: 'Download content, 19 B' }).first().waitFor();
  });
  await looked(console, 'row-file', `rows/Attachment/${made}`, async (page) => {
    await page.getByText('text/plain, 19 B').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download content' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `Attachment-${made}-content.plain`);
    assert.equal(readFileSync(await download.path(), 'utf8'), '<h1>not a page</h1>');
    const replace = page.getByRole('link', { name: 'Replace by PUT /attachments/{id}/content' });
    assert.match((await replace.getAttribute('href')) ?? '', new RegExp(`row=${made}`));
  });
});

const READINGS = readFileSync(new URL('../../docs/documents/readings.md', import.meta.url), 'utf8');

test('a request is sent with a user name and a password', IN_BROWSER, async () => {
  await using space = new Workspace(READINGS, 'readings.md');
  const password = 'correct horse battery';
  assert.equal((await space.cli('rows', 'add', 'Caretaker', 'name=Ada', `password=${password}`)).code, 0);
  const console = await Console.open(space, browser, ['--url', 'https://readings.example']);
  await looked(console, 'try-basic', `endpoints?${new URLSearchParams({ name: 'GET /me' })}`, async (page) => {
    await page.getByLabel('User name').fill('ada');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.tried').getByText('200').first().waitFor();
    await page.getByText('The request as it was sent').click();
    await page.getByText('Basic …', { exact: true }).waitFor();
  });
});

test('a selection that breaks off keeps the rows that were not changed', IN_BROWSER, async () => {
  await using shop = new Shop();
  await shop.prepare();
  const console = await Console.open(shop.space, browser);
  const [ada] = shop.customers;
  for (const sku of ['TEA-0001', 'TEA-0002', 'TEA-0003']) await console.service.opened(ada?.key ?? '', sku, {});
  const visit = await console.visit('rows/Order');
  const { page } = visit;
  await page.getByText(/^3 rows$/).waitFor();
  for (const box of await page.locator('tbody').getByRole('checkbox').all()) await box.check();
  let moves = 0;
  await page.route('**/move', async (route) => {
    if (++moves === 2) await route.abort();
    else await route.continue();
  });
  await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'place' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move 3 rows' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Move 2 rows' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Selected rows' }).waitFor({ state: 'detached' });
  assert.equal(moves, 4, 'the row that was moved is not moved again');
  visit.provoked(/Failed to load resource|ERR_FAILED/);
  await visit.end();
});

test(
  'columns, places, and refusals of selected rows and of requests are shown without violations',
  IN_BROWSER_WHOLE,
  async () => {
    await using shop = new Shop();
    await shop.prepare();
    const console = await Console.open(shop.space, browser);
    await shop.trade(console.service);
    await looked(console, 'columns', 'rows/Order', async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('dialog').getByRole('checkbox', { name: 'note' }).uncheck();
    });
    await looked(console, 'places', 'states', async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByLabel('Name of a view, a resource or an endpoint').waitFor();
      await page.keyboard.type('order');
      await page.getByRole('dialog').getByText('POST /orders').first().waitFor();
    });
    const filter = JSON.stringify([{ field: 'status', is: 'equal', value: 'delivered' }]);
    await looked(console, 'selection', `rows/Order?${new URLSearchParams({ filter })}`, async (page, visit) => {
      await page.getByRole('checkbox', { name: /^Select all / }).click();
      const selected = page.getByRole('region', { name: 'Selected rows' });
      await selected.getByRole('button', { name: 'ship', exact: true }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Move / })
        .click();
      await selected
        .getByText(/ship leads from placed/)
        .first()
        .waitFor();
      visit.faults.length = 0;
    });
    await console.service.request('GET', '/orders', {});
    await looked(console, 'request', 'requests?status=4', async (page) => {
      await page
        .getByRole('button', { name: /^Details of / })
        .first()
        .click();
      await page.getByRole('dialog').getByText('key_missing').first().waitFor();
    });
  },
);
