import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { parseCsv } from '../../src/http/csv.ts';
import { startChromium } from '../chromium.ts';
import { example } from '../fixtures.ts';
import { until, Workspace } from '../harness.ts';
import { IN_BROWSER_WHOLE } from './browsing.ts';
import { AWKWARD, BATCH, Helpdesk, MARZIPAN, TICKETS } from './helpdesk.ts';
import { focusComes, focused, tabTo } from './keyboard.ts';
import { Console } from './shop.ts';
import { settled } from './views.ts';
import { Visit } from './visit.ts';

// Journeys of operators of a helpdesk with 100,000 tickets.

const run = promisify(execFile);

let browser: Browser;
let helpdesk: Helpdesk;
let console: Console;
before(async () => {
  if ('skip' in IN_BROWSER_WHOLE) return;
  browser = await startChromium();
  helpdesk = await new Helpdesk().prepare();
  console = await Console.open(helpdesk.space, browser, ['--allow-private']);
});
after(async () => {
  await browser?.close();
  await helpdesk?.[Symbol.asyncDispose]();
});

test(
  'somebody finds a ticket by a word that a customer says on the phone, by keyboard alone',
  IN_BROWSER_WHOLE,
  async () => {
    const visit = await console.visit('rows/Ticket');
    const { page } = visit;
    await page.getByText(counted(TICKETS)).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Marzipan');
    await page.keyboard.press('Enter');
    await page.getByText(/^1 row$/).waitFor();
    const link = page.getByRole('table').getByRole('link').first();
    await tabTo(page, (await link.textContent()) ?? '');
    await page.keyboard.press('Enter');
    await page.getByText('The parcel had no marzipan in it.').waitFor();
    assert.equal((await shownFor(page, 'number').textContent())?.trim(), String(MARZIPAN));
    // A screen reader reads the new view.
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    await page.goBack();
    await page.getByText(/^1 row$/).waitFor();
    assert.equal(await page.getByLabel('Search rows').inputValue(), 'Marzipan');
    await visit.end();
  },
);

test(
  'somebody follows references from a ticket to its customer and back, by keyboard alone',
  IN_BROWSER_WHOLE,
  async () => {
    const visit = await console.visit('rows/Ticket?search=marzipan');
    const { page } = visit;
    await page.getByText(/^1 row$/).waitFor();
    await tabTo(page, 'eve@north.example');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'eve@north.example' }).waitFor();
    await focusComes(page, 'eve@north.example', 'H1');
    await settled(page);
    const hers = page.getByRole('link', { name: /^50\s?000 Ticket rows$/ }).first();
    await hers.waitFor();
    await tabTo(page, ((await hers.textContent()) ?? '').trim());
    await page.keyboard.press('Enter');
    await page.getByText(counted(TICKETS / 2)).waitFor();
    // The list says whose tickets it has by the name that people know.
    await page.getByRole('list', { name: 'Filters' }).getByText('requester is eve@north.example').waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'eve@north.example' }).waitFor();
    await page.goBack();
    await page.getByText(/^1 row$/).waitFor();
    await visit.end();
  },
);

test(
  'somebody chooses, orders and sorts columns by keyboard alone, and finds them again',
  IN_BROWSER_WHOLE,
  async () => {
    const visit = await console.visit('rows/Ticket');
    const { page } = visit;
    await page.getByText(counted(TICKETS)).waitFor();
    await tabTo(page, 'Columns');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    for (const name of ['body', 'organisation', 'tags', 'due', 'solved']) {
      await dialog.getByRole('checkbox', { name, exact: true }).focus();
      await page.keyboard.press('Space');
    }
    const up = dialog.getByRole('button', { name: 'Move subject up' });
    await up.focus();
    const names = (): Promise<string[]> => dialog.locator('li code').allTextContents();
    for (let at = (await names()).indexOf('subject'); at > 0; at--) {
      await page.keyboard.press('Enter');
      await page.waitForFunction(
        (wanted) => document.querySelectorAll('dialog li code')[wanted]?.textContent === 'subject',
        at - 1,
      );
      assert.equal(await focused(page), 'Move subject up', 'the focus goes with the column');
    }
    await tabTo(page, 'Show these');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await tabTo(page, 'number');
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=number/);
    const shown = (): Promise<string[]> => page.getByRole('columnheader').allTextContents();
    const before = await shown();
    assert.deepEqual(before.slice(0, 3), ['', 'subject', 'id']);
    assert.equal(before.includes('body'), false);
    await page.getByText('Ticket about order 7', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Ticket about order 7', { exact: true }).waitFor();
    assert.deepEqual(await shown(), before);
    assert.equal(await page.getByRole('columnheader', { name: 'number' }).getAttribute('aria-sort'), 'ascending');
    await visit.end();
  },
);

test(
  'somebody sends the address of a filtered list to another operator, who sees the same',
  IN_BROWSER_WHOLE,
  async () => {
    const visit = await console.visit('rows/Ticket');
    const { page } = visit;
    await page.getByText(counted(TICKETS)).waitFor();
    await filter(page, 'priority', 'is', 'urgent');
    await filter(page, 'status', 'is', 'open');
    await filter(page, 'number', 'up to', '200');
    await page.getByRole('button', { name: 'number', exact: true }).click();
    await page.getByText(/^14 rows$/).waitFor();
    await page.locator('tbody tr.pick').first().getByText('Ticket about order 49').waitFor();
    const rows = await cellsOf(page);
    const address = page.url();
    await visit.end();
    const other = await operatorNamed('grace');
    await other.page.goto(address);
    await other.page.getByText(/^14 rows$/).waitFor();
    await other.page.getByText('grace', { exact: true }).waitFor();
    assert.deepEqual(await cellsOf(other.page), rows);
    await other.page.getByRole('button', { name: 'Remove the filter number up to 200' }).click();
    await other.page.getByText(/^14 rows$/).waitFor({ state: 'detached' });
    await other.end();
  },
);

test(
  'somebody acts on 50 rows, reads each refusal, corrects the rows, and tries them again',
  IN_BROWSER_WHOLE,
  async () => {
    const visit = await console.visit('rows/Ticket?search=batch');
    const { page } = visit;
    await page.getByText(counted(BATCH)).waitFor();
    await page.getByRole('checkbox', { name: 'Select all 50 rows' }).click();
    const selected = page.getByRole('region', { name: 'Selected rows' });
    await selected.getByText('50 rows selected').waitFor();
    await act(page, 'close');
    await selected.getByText('5 rows stayed as they were:').waitFor();
    // Five rows for one reason, which is written once.
    const refusal = selected.getByRole('listitem');
    assert.match((await refusal.textContent()) ?? '', /close leads from solved, and this row is new/);
    assert.equal(await refusal.getByRole('link').count(), 5);
    visit.provoked(...Array(5).fill(/409/));
    await selected.getByText('5 rows selected').waitFor();
    await act(page, 'solve');
    await selected.waitFor({ state: 'detached' });
    // Those that the rules took are selected no more: the operator selects the solved ones anew.
    await filter(page, 'status', 'is', 'solved');
    await page.getByText(/^5 rows$/).waitFor();
    await page.getByRole('checkbox', { name: 'Select all 5 rows' }).click();
    await selected.getByText('5 rows selected').waitFor();
    await act(page, 'close');
    await page.getByText('No row matches').waitFor();
    assert.equal(statesOfBatch().get('closed'), BATCH);
    await visit.end();
  },
);

/** How many tickets of the batch are in each state, as they are stored. */
const statesOfBatch = (): Map<string, number> =>
  new Map(
    helpdesk.space
      .select<{ status: string; n: number }>(
        "SELECT status, count(*) AS n FROM ticket WHERE subject LIKE '% of the batch' GROUP BY status",
      )
      .map(({ status, n }) => [status, n]),
  );

test(
  'rows that another operator changes and removes meanwhile are refused, and the list shows them',
  IN_BROWSER_WHOLE,
  async () => {
    const visit = await console.visit('rows/Ticket?sort=number');
    const { page } = visit;
    await filter(page, 'number', 'from', '2001');
    await filter(page, 'number', 'up to', '2004');
    await page.getByText(/^4 rows$/).waitFor();
    await page.getByRole('checkbox', { name: 'Select all 4 rows' }).click();
    await page.getByText('4 rows selected').waitFor();
    const [moved, removed] = [2001, 2002].map(identityOf);
    const ran = await helpdesk.space.cli('rows', 'move', 'Ticket', moved!, 'solve');
    assert.equal(ran.code, 0, ran.err);
    assert.equal((await helpdesk.space.cli('rows', 'remove', 'Ticket', removed!)).code, 0);
    // The page may not show it yet: the rules decide, not the page.
    await act(page, 'solve');
    const selected = page.getByRole('region', { name: 'Selected rows' });
    await selected.getByText('2 rows stayed as they were:').waitFor();
    await selected.getByText(/solve leads from .*, and this row is solved/).waitFor();
    await selected.getByText(/There is no Ticket/).waitFor();
    visit.provoked(/409/, /404/);
    // A row that is gone can't be tried again.
    await selected.getByText('1 row selected').waitFor();
    await page.getByText(/^3 rows$/).waitFor();
    assert.equal(await page.locator('td .tag', { hasText: 'solved' }).count(), 3);
    await visit.end();
  },
);

test(
  'a list that cannot notice a change says its time, and shows the change when it is loaded again',
  IN_BROWSER_WHOLE,
  async () => {
    const filter = JSON.stringify([{ field: 'number', is: 'equal', value: '3001' }]);
    const visit = await console.visit(`rows/Ticket?${new URLSearchParams({ filter })}`);
    const { page } = visit;
    await page.getByText('Ticket about order 21007').waitFor();
    const time = page.getByText(/^as of/).locator('time');
    const before = await time.getAttribute('datetime');
    const { status, text } = await console.service.request('PATCH', '/tickets/3001', {
      key: helpdesk.people.Ada.key,
      body: { subject: 'Another subject' },
    });
    assert.equal(status, 200, text);
    assert.equal(await time.getAttribute('datetime'), before);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('Another subject').waitFor();
    assert.notEqual(await time.getAttribute('datetime'), before);
    await visit.end();
  },
);

test('a notice about the document is no open question', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit('');
  const { page } = visit;
  await page.getByText('no open questions').waitFor();
  await page.getByRole('heading', { name: 'Notices' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Open questions' }).count(), 0);
  await visit.end();
});

test('somebody adds a person to an organisation that is found by its name', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit('rows/Person');
  const { page } = visit;
  await page.getByRole('button', { name: 'Add Person' }).click();
  const dialog = page.getByRole('dialog');
  const organisation = dialog.getByLabel('organisation');
  assert.equal(await organisation.inputValue(), '', 'nothing is chosen for the operator');
  await organisation.fill('nort');
  const offered = dialog.locator('datalist option', { hasText: 'North' });
  await offered.waitFor({ state: 'attached' });
  await organisation.fill((await offered.getAttribute('value')) ?? '');
  await dialog.getByText('North', { exact: true }).last().waitFor();
  await dialog.getByText('text 1 to 80 characters').waitFor();
  await dialog.getByLabel('role').selectOption('agent');
  await dialog.getByLabel('name').fill('Gil');
  await dialog.getByLabel('email').fill('gil@north.example');
  await dialog.getByLabel('password').fill('correct horse battery');
  await dialog.getByRole('button', { name: 'Add Person' }).click();
  await page.getByRole('heading', { level: 1, name: 'gil@north.example' }).waitFor();
  await visit.end();
});

test('a saved list has what the page shows, and nothing that a spreadsheet computes', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit('rows/Ticket?sort=number');
  const { page } = visit;
  await filter(page, 'number', 'from', '501');
  await filter(page, 'number', 'up to', String(500 + AWKWARD.length));
  await page.getByText(counted(AWKWARD.length)).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const records = parseCsv(await readFile(await file.path(), 'utf8'));
  if (typeof records === 'string') assert.fail(records);
  const [head = [], ...saved] = records;
  assert.deepEqual(head, (await page.getByRole('columnheader').allTextContents()).slice(1));
  const subjects = saved.map((record) => record[head.indexOf('subject')]!);
  const shown = await cellsOf(page, head.indexOf('subject'));
  assert.deepEqual(
    subjects.map((one) => one.replace(/^'/, '')),
    AWKWARD,
  );
  assert.deepEqual(shown, AWKWARD);
  assert.deepEqual(
    subjects.filter((one) => /^[=+\-@]/.test(one)),
    [],
  );
  assert.doesNotMatch(await page.title(), /taken/);
  assert.deepEqual(
    saved.map((record) => record[head.indexOf('number')]),
    await cellsOf(page, head.indexOf('number')),
  );
  await visit.end();
});

test(
  'somebody finds a refused request by the id that a caller tells, and the line that refused it',
  IN_BROWSER_WHOLE,
  async () => {
    const { Eve, Ben } = helpdesk.people;
    for (let i = 0; i < 30; i++) await console.service.request('GET', '/tags', { key: Ben.key });
    // A caller that sends a trace knows the id of its request.
    const id = randomBytes(16).toString('hex');
    const { status, text } = await console.service.request('PUT', '/tickets/5/assignee', {
      key: Eve.key,
      body: { person: Ben.id },
      headers: { traceparent: `00-${id}-00f067aa0ba902b7-01` },
    });
    assert.equal(status, 403, text);
    const visit = await console.visit('requests');
    const { page } = visit;
    await settled(page);
    await page.getByLabel('id of a request').fill(id);
    await page.keyboard.press('Enter');
    await page.getByText(/^1 request$/).waitFor();
    await page.getByRole('button', { name: `Details of ${id}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('not_permitted').first().waitFor();
    await dialog.getByText('1. Require `caller.role != "customer"`, else not_permitted.').waitFor();
    await dialog
      .getByRole('link', { name: /^line \d+$/ })
      .first()
      .click();
    await page.waitForURL(/\?line=\d+/);
    const line = page.locator(`[data-line="${new URL(page.url()).searchParams.get('line')}"]`);
    assert.match((await line.textContent()) ?? '', /Require .*not_permitted/);
    await visit.end();
  },
);

test(
  'somebody reads why deliveries failed, tests the receiver, and sends a selection again',
  IN_BROWSER_WHOLE,
  async () => {
    const { receiver, people } = helpdesk;
    receiver.body = 'the disk is full';
    await helpdesk.hook(console.service);
    for (const subject of ['Lost parcel', 'Broken cup'])
      await console.service.request('POST', '/tickets', {
        key: people.Eve.key,
        body: { subject, body: 'Please help' },
      });
    const visit = await console.visit('deliveries?state=given+up');
    const { page } = visit;
    await page.getByText(/^2 deliveries$/).waitFor();
    await page
      .getByRole('button', { name: /^Details of / })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('the disk is full').nth(1).waitFor();
    assert.equal(await dialog.getByText('status 500').count(), 2, 'each attempt is there');
    await dialog
      .getByRole('group', { name: 'Payload' })
      .getByText(/Lost parcel|Broken cup/)
      .waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    receiver.answer = () => 204;
    receiver.body = '';
    await page.goto(`${console.origin}/console/receivers`);
    const row = page.getByRole('row', { name: new RegExp(receiver.url) });
    await row.getByText('0%').waitFor();
    await row.getByRole('button', { name: /^Test / }).click();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('status 204').waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('link', { name: '2 given up' }).click();
    await page.getByText(/^2 deliveries$/).waitFor();
    for (const box of await page.getByRole('checkbox', { name: /^Select evt/ }).all()) await box.check();
    await page.getByRole('region', { name: 'Selected events' }).getByRole('button', { name: 'Replay' }).click();
    await page.getByText('No delivery matches the filters').waitFor();
    await until(() => receiver.accepted.filter(({ id }) => id.startsWith('evt_')).length === 2, 'both came');
    await page.goto(`${console.origin}/console/receivers`);
    await row.getByText('100%').waitFor();
    await visit.end();
  },
);

test(
  'somebody tries an endpoint as the holder of a token, and runs the command that the page copies',
  IN_BROWSER_WHOLE,
  async () => {
    await using blog = new Workspace(example('blogging'), 'blogging.md');
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const own = await Console.open(blog, browser, ['--url', 'https://blogging.example'], [], {
      NINEFOLD_KEY_TOKEN: pem,
    });
    const user = { username: 'Jane', email: 'jane@example.com', password: 'correct horse battery' };
    const made = await own.service.request('POST', '/users', { body: { user } });
    assert.equal(made.status, 201, made.text);
    const { token } = made.body as { token: string };
    const visit = await own.visit(`endpoints?${new URLSearchParams({ name: 'GET /user' })}`);
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: own.origin });
    await settled(page);
    await page.getByLabel('Caller').selectOption({ label: 'User, by Token' });
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#try-holder')?.value !== '');
    await page.getByRole('button', { name: 'Send' }).click();
    const body = page.getByRole('group', { name: 'Body of the answer' });
    await body.getByText('jane@example.com').waitFor();
    await page.getByText('The request for curl').click();
    await page.getByRole('button', { name: /copy the request for curl/i }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.doesNotMatch(command, /eyJ/, 'no token is in it');
    const { stdout } = await run('sh', ['-c', command.replace('curl ', 'curl -s ')], {
      env: { ...process.env, KEY: token },
    });
    assert.match(stdout, /^HTTP\/1\.1 200 /);
    assert.deepEqual(
      JSON.parse(stdout.slice(stdout.indexOf('\r\n\r\n'))),
      JSON.parse((await body.textContent()) ?? ''),
    );
    await visit.end();
  },
);

test(
  'a session that is ended from the command line shows nothing more, and others go on',
  IN_BROWSER_WHOLE,
  async () => {
    const stays = await console.visit('rows/Ticket?search=marzipan');
    await stays.page.getByText(/^1 row$/).waitFor();
    const other = await operatorNamed('heidi');
    const { page } = other;
    await page.goto(`${console.origin}/console/rows/Person`);
    await page.getByText('eve@north.example').first().waitFor();
    const ran = await helpdesk.space.cli('console', 'end', '--name', 'heidi');
    assert.equal(ran.code, 0, ran.err);
    await page
      .getByText(/session has ended/i)
      .first()
      .waitFor();
    assert.equal(await page.getByText('eve@north.example').count(), 0);
    const late = await page.goto(`${console.origin}/console/rows/Person`);
    assert.equal(late?.status(), 401);
    other.faults.length = 0;
    await other.end();
    await stays.page.getByLabel('Search rows').fill('batch');
    await stays.page.keyboard.press('Enter');
    await stays.page.getByText(counted(BATCH)).waitFor();
    await stays.end();
  },
);

test('somebody goes from anywhere to any row and view by keyboard alone', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit('activity');
  const { page } = visit;
  await settled(page);
  await page.getByRole('button', { name: 'Go to … Ctrl K' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('ticket rows');
  await page.keyboard.press('Enter');
  await focusComes(page, 'Ticket', 'H1');
  await page.locator('.list-head p').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('order 699993');
  await page.keyboard.press('Enter');
  await page.getByText(/^1 row$/).waitFor();
  const link = page.getByRole('table').getByRole('link').first();
  await tabTo(page, (await link.textContent()) ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL(/rows\/Ticket\/.+/);
  await settled(page);
  const address = page.url();
  for (const [name, heading] of [
    ['get /tickets:search', 'GET /tickets:search'],
    ['keys view', 'Keys'],
    ['states', 'States'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(name);
    await page
      .getByRole('dialog')
      .getByRole('link', { name: new RegExp(heading) })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await focusComes(page, heading, 'H1');
    await settled(page);
  }
  for (let i = 0; i < 3; i++) await page.goBack();
  await page.getByText('Ticket about order 699993').first().waitFor();
  assert.equal(page.url(), address);
  await visit.end();
});

/** A window of another operator, who opens it by a link of the command line. */
async function operatorNamed(name: string): Promise<Visit> {
  const { host } = new URL(console.origin);
  const { out, code, err } = await helpdesk.space.cli('console', 'link', '--name', name, '--admin', host, '--json');
  assert.equal(code, 0, err);
  const visit = await Visit.begin(browser, console.origin);
  await visit.page.goto((JSON.parse(out) as { link: string }).link);
  await visit.page.getByRole('heading', { level: 1 }).waitFor();
  return visit;
}

/** What a list says of its length. */
const counted = (rows: number): RegExp => new RegExp(`^${rows.toLocaleString('en').replaceAll(',', '\\s?')} rows$`);

async function filter(page: Page, field: string, comparison: string, value: string): Promise<void> {
  await page.getByLabel('Field').selectOption(field);
  await page.getByLabel('Comparison').selectOption({ label: comparison });
  const input = page.getByLabel('Value');
  if ((await input.evaluate((one) => one.tagName)) === 'SELECT') await input.selectOption(value);
  else await input.fill(value);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: `Remove the filter ${field} ${comparison} ${value}` }).waitFor();
  await settled(page);
}

/** Has each selected row moved by a transition. */
async function act(page: Page, transition: string): Promise<void> {
  await page
    .getByRole('region', { name: 'Selected rows' })
    .getByRole('button', { name: transition, exact: true })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Move \d+ rows?$/ }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The value that the page of a row shows for a field. */
const shownFor = (page: Page, field: string): Locator =>
  page.locator('dl div', { has: page.locator('dt', { hasText: new RegExp(`^${field}$`) }) }).locator('dd');

/** The texts of the rows of a list: of one column, counted from the first after the check boxes, or of all. */
const cellsOf = (page: Page, column?: number): Promise<string[]> =>
  page
    .locator('tbody tr.pick')
    .evaluateAll(
      (rows, at) => rows.map((row) => (at === undefined ? row : row.children[at + 1])?.textContent ?? ''),
      column,
    );

function identityOf(number: number): string {
  const [row] = helpdesk.space.select<{ id: Buffer }>('SELECT id FROM ticket WHERE number = ?', number);
  return row!.id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
