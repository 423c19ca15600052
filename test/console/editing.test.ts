import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { startChromium } from '../chromium.ts';
import { edited, PATIENT, Workspace } from '../harness.ts';
import { IN_BROWSER, IN_BROWSER_WHOLE } from './browsing.ts';
import { Console } from './shop.ts';
import { settled, tooWide, violations } from './views.ts';
import type { Visit } from './visit.ts';

// Journeys of somebody who edits the document of a running service.

let browser: Browser;
let space: Workspace;
let console: Console;
let key: string;
before(async () => {
  if ('skip' in IN_BROWSER) return;
  browser = await startChromium();
  space = new Workspace(PATIENT);
  key = await space.key(await space.customer());
  console = await Console.open(space, browser, ['--edit', '--watch']);
});
after(async () => {
  await browser?.close();
  await space?.[Symbol.asyncDispose]();
});

/** The editor of an open page. */
const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'Text of orders.md' });

/** Opens the editor at a line of a text. */
async function opened(line: string, text = PATIENT): Promise<Visit> {
  const number = text.split('\n').indexOf(line) + 1;
  assert.ok(number > 0, line);
  const visit = await console.visit(`edit?line=${number}`);
  await editor(visit.page).waitFor();
  return visit;
}

/** Writes a text in place of another one in the line of the caret. */
async function rewrite(page: Page, line: string, from: string, to: string): Promise<void> {
  await page.keyboard.press('Home');
  for (let i = line.indexOf(from) + from.length; i > 0; i--) await page.keyboard.press('ArrowRight');
  for (const _ of from) await page.keyboard.press('Backspace');
  await page.keyboard.type(to);
}

/** The text of the file, once it is served as it is. */
async function served(page: Page): Promise<string> {
  await page.getByText('Saved, and served.').waitFor();
  return readFileSync(space.file, 'utf8');
}

const REQUEST = '- Request: Order with sku, quantity, note';
const [QUANTITY = ''] = /^\| quantity .*/m.exec(PATIENT) ?? [];
/** A line whose change concerns no stored row. */
const [PAGES = ''] = /^.*20 by default.*/m.exec(PATIENT) ?? [];
const OTHER = edited(PATIENT, ['20 by default', '25 by default']);
const WIDER = edited(PATIENT, ['1 to 1000', '1 to 2000']);

test('somebody mends a finding, and completes a name', IN_BROWSER, async () => {
  const visit = await opened(REQUEST);
  const { page } = visit;
  await rewrite(page, REQUEST, 'Request', 'Rquest');
  await page.getByRole('button', { name: 'Write “Request”' }).waitFor();
  await page.keyboard.press('Control+.');
  await page.keyboard.press('Enter');
  await page.getByText('The document can be served as it is.').waitFor();
  await rewrite(page, REQUEST, 'note', 'n');
  await page.keyboard.press('Control+Space');
  // Enter chooses it, too, but not in the moment in which the list appears.
  await page.getByRole('option', { name: /^note/ }).click();
  await page.getByText('served as it is', { exact: true }).waitFor();
  await visit.end();
});

test('a draft survives that the page is loaded again, and leaving warns', IN_BROWSER_WHOLE, async () => {
  space.write(PATIENT);
  const visit = await opened(REQUEST);
  const { page } = visit;
  await page.getByText('served as it is', { exact: true }).waitFor();
  await page.keyboard.press('End');
  await page.keyboard.type(' and a draft');
  await page.getByText('not saved').waitFor();
  let warned = 0;
  page.on('dialog', (dialog) => {
    warned++;
    void dialog.accept();
  });
  await page.reload();
  await editor(page).waitFor();
  assert.equal(warned, 1);
  await page.getByText(`${REQUEST} and a draft`).waitFor();
  await page.getByText('The editor has the draft').waitFor();
  await page.getByText('not saved').waitFor();
  await page.getByRole('link', { name: 'Document' }).click();
  await page.getByRole('heading', { level: 1, name: 'Document' }).waitFor();
  await settled(page);
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await editor(page).waitFor();
  await page.getByText('not saved').waitFor();
  await page.getByRole('button', { name: 'Discard the draft' }).click();
  await page.getByText('served as it is', { exact: true }).waitFor();
  await page.getByText('The editor has the draft').waitFor({ state: 'detached' });
  assert.equal(readFileSync(space.file, 'utf8'), PATIENT);
  await visit.end();
});

test('a change by somebody else is shown, and neither text is lost', IN_BROWSER_WHOLE, async () => {
  space.write(PATIENT);
  const visit = await opened(PAGES);
  const { page } = visit;
  await page.getByText('served as it is', { exact: true }).waitFor();
  await rewrite(page, PAGES, '20', '25');
  const theirs = edited(PATIENT, ['120 seconds', '121 seconds']);
  writeFileSync(space.file, theirs);
  await page.keyboard.press('Control+s');
  const alert = page.getByRole('alert', { name: 'The file has changed' });
  await alert.waitFor();
  await alert.getByText(/^−.*121 seconds/).waitFor();
  await alert.getByText(/^\+.*25 by default/).waitFor();
  assert.equal(readFileSync(space.file, 'utf8'), theirs);
  await alert.getByRole('button', { name: 'Save mine in its place' }).click();
  assert.equal(await served(page), OTHER);
  await editor(page).focus();
  await page.keyboard.press('Control+z');
  await page.getByText('121 seconds').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('served as it is', { exact: true }).waitFor();
  assert.equal(readFileSync(space.file, 'utf8'), theirs);
  // The answer 412 is logged by the browser, if the page had not heard of the change before.
  visit.faults.splice(0, visit.faults.filter((one) => /412/.test(one)).length);
  await visit.end();
});

test('changes of different lines are combined, and undoing brings back the text before', IN_BROWSER, async () => {
  space.write(PATIENT);
  const visit = await opened(PAGES);
  const { page } = visit;
  await page.getByText('served as it is', { exact: true }).waitFor();
  await rewrite(page, PAGES, '20', '25');
  writeFileSync(space.file, edited(PATIENT, ['take orders', 'receive orders']));
  const alert = page.getByRole('alert', { name: 'The file has changed' });
  await alert.getByText('The two texts changed different lines.').waitFor();
  await alert.getByRole('button', { name: 'Combine both in the editor' }).click();
  await page.getByText('The editor has the changes of both texts.').waitFor();
  await page.keyboard.press('Control+s');
  assert.equal(await served(page), edited(OTHER, ['take orders', 'receive orders']));
  await editor(page).focus();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+s');
  assert.equal(await served(page), OTHER, 'undoing brings back the text before');
  // The page has seen this text before, as somebody who takes an edit back with git restores it.
  space.write(PATIENT);
  await page.getByText('20 by default').waitFor();
  await visit.end();
});

test('a line that both changed has the text that somebody chooses', IN_BROWSER, async () => {
  space.write(PATIENT);
  const visit = await opened(PAGES);
  const { page } = visit;
  await page.getByText('served as it is', { exact: true }).waitFor();
  await rewrite(page, PAGES, '20', '25');
  const last = edited(PATIENT, ['20 by default', '30 by default']);
  writeFileSync(space.file, last);
  const alert = page.getByRole('alert', { name: 'The file has changed' });
  await alert.getByText(/^−.*30 by default/).waitFor();
  const combine = alert.getByRole('button', { name: 'Combine both in the editor' });
  // The page compares the text once its writer rests.
  const theirs = alert.getByRole('radio', { name: /^The file’s/ });
  await theirs.waitFor();
  assert.ok(await combine.isDisabled(), 'nothing is chosen by itself');
  await theirs.check();
  assert.deepEqual([...(await violations(page)), ...(await tooWide(page))], []);
  await combine.click();
  await page.getByText('served as it is', { exact: true }).waitFor();
  assert.equal(readFileSync(space.file, 'utf8'), last);
  await visit.end();
});

test('an explanation is text with code, and nothing of the document becomes an element', IN_BROWSER, async () => {
  const [note = ''] = /^\| note .*/m.exec(PATIENT) ?? [];
  space.write(edited(PATIENT, [note, `${note} <img src=x onerror=alert(1)> |`]));
  const visit = await opened(REQUEST);
  const { page } = visit;
  // The last word of the line.
  const { x, y } = await page.locator('.cm-line', { hasText: REQUEST }).evaluate((line) => {
    const words = document.createRange();
    words.selectNodeContents(line);
    const { right, top, height } = words.getBoundingClientRect();
    return { x: right - 8, y: top + height / 2 };
  });
  await page.mouse.move(x, y);
  const explanation = page.locator('.explanation');
  await explanation.locator('pre', { hasText: '<img' }).waitFor();
  assert.doesNotMatch((await explanation.textContent()) ?? '', /`|\*\*|~~~|---|&lt;/);
  assert.deepEqual([await explanation.locator('img').count(), await explanation.locator('hr').count()], [0, 1]);
  await page.keyboard.type('x');
  await explanation.waitFor({ state: 'detached' });
  await page.keyboard.press('Backspace');
  await visit.end();
});

test('values are dropped only after the operator has marked the change', IN_BROWSER_WHOLE, async () => {
  space.write(PATIENT);
  const visit = await opened(QUANTITY);
  const { page } = visit;
  await page.getByText('served as it is', { exact: true }).waitFor();
  await rewrite(page, QUANTITY, '1000', '900');
  await page.keyboard.press('Control+s');
  const change = page.getByRole('checkbox', { name: 'Order.quantity may hold fewer values' });
  const serve = page.getByRole('button', { name: 'Change the rows, and serve it' });
  await change.waitFor();
  assert.ok(await serve.isDisabled());
  await change.check();
  await serve.click();
  await served(page);
  assert.equal((await console.service.open(key, { sku: 'TEA-0104', quantity: 950 })).status, 422);
  space.write(PATIENT);
  await page.getByText('served as it is', { exact: true }).waitFor();
  await visit.end();
});

test('a text is found wherever it is in the document', IN_BROWSER, async () => {
  space.write(PATIENT);
  const visit = await opened('# Orders');
  const { page } = visit;
  const here = page.locator('.found.here');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('20 BY default');
  await page.getByText('1 of 1').waitFor();
  assert.equal(await here.textContent(), '20 by default');
  const field = page.getByRole('textbox', { name: 'Find in the document' });
  await field.fill('(');
  const [, many] = /^\d+ of (\d+)$/.exec((await page.getByText(/^\d+ of \d+$/).textContent()) ?? '') ?? [];
  assert.equal(Number(many), PATIENT.split('(').length - 1);
  await page.keyboard.press('Shift+Enter');
  // A text that is selected while the field is there is what to find next.
  await editor(page).focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Control+f');
  assert.equal(await field.inputValue(), '# Orders');
  assert.deepEqual([...(await violations(page)), ...(await tooWide(page))], []);
  await page.keyboard.press('Escape');
  await page.keyboard.type('found');
  await page.getByText('not saved', { exact: true }).waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('served as it is', { exact: true }).waitFor();
  await visit.end();
});

test('a text is kept while its file is missing, and when the session ends', IN_BROWSER_WHOLE, async () => {
  space.write(PATIENT);
  const visit = await opened(REQUEST);
  const { page } = visit;
  const link = async (): Promise<string> => {
    const host = new URL(console.origin).host;
    const ran = await space.cli('console', 'link', '--name', 'eve', '--admin', host, '--json');
    return (JSON.parse(ran.out) as { readonly link: string }).link;
  };
  // A session of its own, which ends below.
  await page.goto(await link());
  await page.goto(`${console.origin}/console/edit?line=${PATIENT.split('\n').indexOf(REQUEST) + 1}`);
  await editor(page).waitFor();
  await page.getByText('served as it is', { exact: true }).waitFor();
  rmSync(space.file);
  await page.keyboard.press('End');
  await page.keyboard.type(', id');
  await page.keyboard.press('Control+s');
  await page.getByText('can be saved when the file can be read again').waitFor();
  space.write(PATIENT);
  await page.getByText('not saved', { exact: true }).waitFor();
  await page.evaluate(() =>
    fetch('/console/api/session/end', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Ninefold-Console': '1' },
      body: '{}',
    }),
  );
  await page.keyboard.press('Control+s');
  await page.getByText('This window keeps the text that you were editing.').waitFor();
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(await link());
  await page.goto(`${console.origin}/console/edit?line=${PATIENT.split('\n').indexOf(REQUEST) + 1}`);
  await page.getByText(`${REQUEST}, id`).waitFor();
  visit.faults.length = 0;
  await visit.end();
});

test('Escape, then Tab, leaves the editor, and F8 goes from finding to finding', IN_BROWSER_WHOLE, async () => {
  space.write(PATIENT);
  const visit = await opened(REQUEST);
  const { page } = visit;
  const line = (): Promise<boolean> => editor(page).evaluate((one) => one.matches(':focus'));
  await page.keyboard.press('Home');
  await page.keyboard.press('Tab');
  assert.ok(await line(), 'Tab indents');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.ok(!(await line()), 'Escape and Tab leave');
  await editor(page).focus();
  await rewrite(page, REQUEST, 'Request', 'Rquest');
  const finding = page.getByRole('region', { name: 'Error' });
  await finding.first().waitFor();
  await page.keyboard.press('Control+Home');
  await finding.first().waitFor({ state: 'detached' });
  await page.keyboard.press('F8');
  await finding.first().waitFor();
  await page.keyboard.press('Shift+F8');
  await finding.first().waitFor();
  await visit.end();
});

for (const theme of ['light', 'dark'] as const)
  for (const width of [1440, 390])
    test(`the editor breaks no rule of accessibility, ${theme}, ${width} pixels wide`, IN_BROWSER_WHOLE, async () => {
      space.write(edited(PATIENT, ['- Visible: ', '- Visibel: ']));
      const visit = await console.visit('edit', { width, height: 844, theme });
      const { page } = visit;
      await settled(page);
      await page.getByRole('button', { name: /Visibel/ }).click();
      await page
        .getByRole('button', { name: /^Write/ })
        .first()
        .waitFor();
      assert.deepEqual([...(await violations(page)), ...(await tooWide(page))], []);
      await page.keyboard.press('Control+Space');
      await page.getByRole('option').first().waitFor();
      assert.deepEqual([...(await violations(page)), ...(await tooWide(page))], []);
      await visit.end();
      space.write(PATIENT);
    });

test('somebody previews a change and saves it, and the service answers anew', IN_BROWSER, async () => {
  const large = { sku: 'TEA-0104', quantity: 1500 };
  assert.equal((await console.service.open(key, large)).status, 422);
  const visit = await console.visit('');
  const { page } = visit;
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await editor(page).waitFor();
  await page.goto(`${console.origin}/console/edit?line=${PATIENT.split('\n').indexOf(QUANTITY) + 1}`);
  await editor(page).waitFor();
  await rewrite(page, QUANTITY, '1000', '2000');
  await page.getByText('not saved').waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('Order.quantity may hold more values').waitFor();
  await page.getByText('Options of the migration').click();
  const options = page.getByRole('textbox', { name: /^One on each line/ });
  await options.fill('\n');
  await editor(page).focus();
  await page.keyboard.press('Control+s');
  assert.equal(await served(page), WIDER);
  assert.equal(await options.inputValue(), '', 'what one migration may lose is not accepted for the next one');
  assert.equal((await console.service.open(key, large)).status, 201);
  await visit.end();
});
