import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { parseCsv } from '../../src/http/csv.ts';
import { startChromium } from '../chromium.ts';
import { example } from '../fixtures.ts';
import { edited, Workspace } from '../harness.ts';
import { listenApart } from '../ports.ts';
import { WHOLE } from '../share.ts';
import { IN_BROWSER, IN_BROWSER_WHOLE } from './browsing.ts';
import { Console, SHOP } from './shop.ts';
import { Visit } from './visit.ts';

// What a page somewhere on the web, or in a row or a document, may try: Chromium itself is asked whether it gets through.

/** Long enough to make a page slow that lays it out. */
const LONG = 100_000;

const shop = new Workspace(SHOP);
let browser: Browser;
let console: Console;
before(async () => {
  if ('skip' in IN_BROWSER) return;
  // The names of an attacker lead to this machine: `evil.test` to their own server, `rebound.test` to the console.
  browser = await startChromium(['--host-resolver-rules=MAP evil.test 127.0.0.1, MAP rebound.test 127.0.0.1']);
  await shop.customer();
  console = await Console.open(shop, browser);
});
after(async () => {
  await browser?.close();
  await shop[Symbol.asyncDispose]();
});

/** Gives a window with the console’s cookies another page than the console’s; what goes wrong there is its own business. */
async function elsewhere(html: string, work: (page: Page, origin: (name: string) => string) => Promise<void>) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(html);
  });
  const port = await listenApart(server);
  const visit = await console.visit();
  try {
    await visit.page.getByRole('heading', { level: 1 }).waitFor();
    await work(visit.page, (name) => `http://${name}:${port}`);
  } finally {
    visit.faults.length = 0;
    await visit.end();
    server.closeAllConnections();
    server.close();
  }
}

/** All that a console could have been made to write. */
const written = (): unknown => [
  shop.select('SELECT count(*) AS n FROM ninefold_receiver'),
  shop.select('SELECT count(*) AS n FROM ninefold_key'),
  shop.select('SELECT * FROM customer'),
];

test('without a session there is nothing to be seen, and a used link opens nothing', IN_BROWSER, async () => {
  for (const path of ['', 'rows/Customer', 'api/service', 'api/rows/Customer', '?key=x']) {
    const visit = await Visit.begin(browser, console.origin);
    const answer = await visit.page.goto(`${console.origin}/console/${path}`);
    assert.equal(answer?.status(), 401, path);
    const text = await visit.page.content();
    assert.match(text, /link|session/, 'it says what to do');
    assert.doesNotMatch(text, /Orders|Ada/);
    visit.provoked(/401/);
    await visit.end();
  }
  const late = await Visit.begin(browser, console.origin);
  assert.equal((await late.page.goto(console.link))?.status(), 401);
  assert.match((await late.page.textContent('p')) ?? '', /The link works once/);
  late.provoked(/401/);
  await late.end();
});

test('a page of another origin reads nothing, writes nothing and frames nothing', IN_BROWSER, async () => {
  const before = written();
  const [customer] = shop.select<{ id: Buffer }>('SELECT id FROM customer');
  assert.ok(customer);
  const id = customer.id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const writes = [`rows/Customer/${id}/remove`, `rows/Customer/${id}/change`, 'keys', 'receivers', 'session/end'];
  await elsewhere('<!doctype html><title>evil</title>', async (page, origin) => {
    // `127.0.0.1` at another port is another origin of the same site: the browser sends it the console’s cookies.
    for (const name of WHOLE ? ['127.0.0.1', 'localhost', 'evil.test'] : ['127.0.0.1']) {
      await page.goto(origin(name));
      const got = await page.evaluate(READ_AND_WRITE, { console: console.origin, writes });
      assert.deepEqual(got.read, [], `${name} reads`);
      assert.deepEqual(got.loaded, [], `${name} loads`);
      assert.ok(got.tried > 20, `${name} tried ${got.tried}`);
      // A form takes the page along: to an answer that refuses.
      for (const path of writes) {
        await page.goto(origin(name));
        const action = `${console.origin}/console/api/${path}`;
        const answered = page.waitForResponse(action);
        await page.evaluate(SUBMIT, action);
        assert.equal((await answered).status(), 403, `${name} submits ${path}`);
        await page.waitForURL(action);
      }
      await page.goto(origin(name));
      await page.evaluate(FRAME, `${console.origin}/console/`);
      // A frame that is refused shows Chromium’s own page for that.
      const framed = page.frames().find((one) => one !== page.mainFrame());
      assert.ok(framed);
      assert.doesNotMatch(await framed.content(), /Orders|navigation/);
    }
  });
  assert.deepEqual(written(), before);
  const still = await console.visit();
  await still.page.getByRole('navigation').waitFor();
  await still.end();
});

test('a name that is made to lead to the operator’s port gets nothing of the console', IN_BROWSER, async () => {
  const port = new URL(console.origin).port;
  const visit = await Visit.begin(browser, `http://rebound.test:${port}`);
  // The page itself is the attacker’s: here a plain one of the same origin, as it is after rebinding.
  await visit.page.goto(`http://rebound.test:${port}/livez`);
  const paths = [
    '/console',
    '/console/',
    new URL(console.link).search,
    '/console/api/service',
    '/console/api/rows/Customer',
  ];
  for (const path of paths) {
    const target = path.startsWith('?') ? `/console${path}` : path;
    const status = await visit.page.evaluate(async (to) => (await fetch(to, { redirect: 'manual' })).status, target);
    assert.equal(status, 421, target);
    visit.provoked(/421/);
  }
  await visit.end();
});

test('rows whose texts are scripts, or 100,000 characters long, are shown as text', IN_BROWSER_WHOLE, async () => {
  const notes = edited(example('notes'), ['1 to 200 characters', '1 to 200000 characters'], ['| 4 KiB ', '| 1 MiB ']);
  await using space = new Workspace(notes, 'notes.md');
  const texts = [
    '<script>document.title = "taken"</script><img src=x onerror="document.title = \'taken\'">',
    'x'.repeat(LONG),
  ];
  const own = await Console.open(space, browser, ['--url', 'https://notes.example']);
  const ids = new Map<string, string>();
  for (const text of texts) {
    const { status, body } = await own.service.request('POST', '/notes', { body: { text } });
    assert.equal(status, 201);
    ids.set(text, (body as { id: string }).id);
  }
  const list = await own.visit('rows/Note');
  await list.page.getByRole('table').getByText('<script>').waitFor();
  assert.doesNotMatch(await list.page.title(), /taken/);
  const wide = await list.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
  await list.end();
  for (const [text, id] of ids) {
    const one = await own.visit(`rows/Note/${id}`);
    await one.page.getByText(text.slice(0, 100)).first().waitFor();
    const whole = await one.page.evaluate((wanted) => document.body.textContent?.includes(wanted) ?? false, text);
    assert.ok(whole, 'the whole text is there');
    assert.doesNotMatch(await one.page.title(), /taken/);
    assert.equal(await one.page.locator('main script, main img').count(), 0);
    await one.end();
  }
});

test('a document that holds HTML is shown as it is written', IN_BROWSER_WHOLE, async () => {
  const html =
    'Notes. <script>document.title = "taken"</script> <img src=x onerror="document.title = \'taken\'"> [here](javascript:document.title="taken") <b onclick="x()">bold</b>';
  await using space = new Workspace(edited(example('notes'), ['# Notes\n', `# Notes\n\n${html}\n`]), 'notes.md');
  const own = await Console.open(space, browser, ['--url', 'https://notes.example']);
  const visit = await own.visit();
  await visit.page.getByText('<script>document.title').waitFor();
  assert.equal(await visit.page.locator('main script, main img, main b, [onclick], a[href^="javascript"]').count(), 0);
  assert.doesNotMatch(await visit.page.title(), /taken/);
  await visit.end();
});

test('an address or a memory that somebody else has written breaks no list', IN_BROWSER_WHOLE, async () => {
  const filters = [
    '[{"field":{"toString":null},"is":"equal","value":"x"}]',
    '[{"field":"name","is":"toString","value":"x"}]',
    '[{"field":"name","is":"__proto__","value":null}]',
    '[{"field":"name","is":"equal","value":{"toString":null}}]',
    '[{"field":"<img src=x onerror=document.title=1>","is":"equal","value":null}]',
    '[null, 5, "x"]',
    '{"',
  ];
  for (const filter of filters) {
    const visit = await console.visit(`rows/Customer?${new URLSearchParams({ filter, sort: '-__proto__' })}`);
    await visit.page.getByRole('heading', { level: 1, name: 'Customer' }).waitFor();
    await visit.page.getByRole('button', { name: 'Filter', exact: true }).waitFor();
    assert.equal(await visit.page.locator('main img').count(), 0);
    for (const fault of visit.faults.splice(0)) assert.match(fault, /status of 4\d\d/, filter);
    await visit.end();
  }
  for (const columns of ['{"a":1}', '["__proto__", 5, null]', '["toString"]', '"', `["${'x'.repeat(LONG)}"]`]) {
    const visit = await console.visit('rows/Customer');
    await visit.page.evaluate((text) => localStorage.setItem('ninefold columns Customer', text), columns);
    await visit.page.reload();
    await visit.page.getByRole('columnheader', { name: 'email' }).waitFor();
    await visit.end();
  }
});

test('an operator has a name that pages, logs and lists show as it is', IN_BROWSER_WHOLE, async () => {
  const { host } = new URL(console.origin);
  for (const name of [
    '<img src=x onerror=alert(1)>',
    '=1+1',
    '\u202Eada',
    'a\nb',
    '',
    'x'.repeat(61),
    'ada ',
    'a  b',
    '../ada',
    '😀',
  ])
    assert.equal((await shop.cli('console', 'link', '--name', name, '--admin', host)).code, 2, name);
});

test('a file that has not all rows of a list says so, and has each row once', IN_BROWSER_WHOLE, async () => {
  const visit = await console.visit('rows/Customer');
  const { page } = visit;
  // A list that is longer than a file, of which the answer has the rows that there are.
  await page.route('**/console/api/identities/Customer', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({
      response,
      json: route.request().method() === 'GET' ? { ...answer, total: 100_001 } : answer,
    });
  });
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const [head = [], ...records] = parseCsv(await readFile(await file.path(), 'utf8'));
  assert.equal(new Set(records.map((record) => (record as string[])[head.indexOf('id')])).size, records.length);
  const first = `The file has the first ${records.length} of 100\u202f001 rows.`;
  await page.getByText(`${first} Filters make the list shorter.`).waitFor();
  await visit.end();
});

test('a session that a command ends in the midst of removals changes nothing after it', IN_BROWSER_WHOLE, async () => {
  await using space = new Workspace(SHOP);
  for (const name of ['Ada', 'Bea', 'Cia', 'Dora']) await space.customer(name);
  const own = await Console.open(space, browser);
  const visit = await own.visit('rows/Customer');
  const { page } = visit;
  let removals = 0;
  await page.route('**/remove', async (route) => {
    if (++removals === 3) {
      assert.equal((await space.cli('console', 'end', '--name', 'operator')).code, 0);
      // The service reads once a second which sessions have ended.
      await sleep(1500);
    }
    await route.continue();
  });
  await page.getByRole('checkbox', { name: 'Select all 4 rows' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove 4 rows' }).click();
  await page.getByText('You have no session, or your session has ended.').waitFor();
  assert.equal(removals, 3);
  assert.equal(space.select('SELECT * FROM customer').length, 2);
  visit.faults.length = 0;
  await visit.end();
});

/** Runs in a page of another origin: asks for everything in every way, and tells what it could read or load. */
const READ_AND_WRITE = async ({ console, writes }: { console: string; writes: readonly string[] }) => {
  const read: string[] = [];
  const loaded: string[] = [];
  let tried = 0;
  const ask = async (path: string, init: RequestInit): Promise<void> => {
    tried++;
    try {
      const answer = await fetch(`${console}/console/${path}`, init);
      // An opaque answer tells nothing, and has no text.
      const text = await answer.text();
      if (text !== '' || answer.type !== 'opaque') read.push(`${path} ${answer.status} ${text.slice(0, 50)}`);
    } catch {}
  };
  for (const path of ['', 'api/service', 'api/rows/Customer', 'api/live'])
    for (const mode of ['cors', 'no-cors'] as const) await ask(path, { mode, credentials: 'include' });
  const body = JSON.stringify({
    fields: { name: 'Eve' },
    scheme: 'API key',
    holder: 'x',
    scopes: [],
    url: 'http://evil.test',
  });
  for (const path of writes) {
    for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded'])
      for (const mode of ['cors', 'no-cors'] as const) {
        const headers =
          mode === 'cors' ? { 'content-type': type, 'x-ninefold-console': '1' } : { 'content-type': type };
        await ask(`api/${path}`, { method: 'POST', mode, credentials: 'include', headers, body });
      }
    navigator.sendBeacon(`${console}/console/api/${path}`, new Blob([body], { type: 'text/plain' }));
  }
  for (const [tag, at] of [
    ['script', 'src'],
    ['img', 'src'],
    ['link', 'href'],
    ['object', 'data'],
  ] as const) {
    const element = Object.assign(document.createElement(tag), { [at]: `${console}/console/`, rel: 'stylesheet' });
    tried++;
    await new Promise<void>((resolve) => {
      element.addEventListener('load', () => {
        loaded.push(tag);
        resolve();
      });
      element.addEventListener('error', () => resolve());
      document.body.append(element);
    });
  }
  return { read, loaded, tried };
};

/** Sends a form whose text is JSON, as text/plain allows. */
const SUBMIT = (action: string): void => {
  const form = Object.assign(document.createElement('form'), { action, method: 'POST', enctype: 'text/plain' });
  const field = Object.assign(document.createElement('input'), { name: '{"fields":{"name":"', value: 'Eve"}}' });
  form.append(field);
  document.body.append(form);
  form.submit();
};

const FRAME = async (src: string): Promise<void> => {
  const frame = Object.assign(document.createElement('iframe'), { src });
  await new Promise((resolve) => {
    frame.addEventListener('load', resolve);
    document.body.append(frame);
  });
};
