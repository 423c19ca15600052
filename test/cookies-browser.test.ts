import './whole-alone.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { noBrowser, startChromium } from './chromium.ts';
import { example } from './fixtures.ts';
import { freePort } from './ports.ts';
import { planOf, withChange } from './subject.ts';

const [SERVICE, APP, OTHER] = [await freePort(), await freePort(), await freePort()];
const origin = (port: number): string => `http://localhost:${port}`;

/** The sessions at an address without TLS: browsers take their cookies from this machine. */
const sessions = [
  ['- Address: `https://sessions.example`', '- Address: given by the operator'],
  ['- Browser origins: `https://app.example`', `- Browser origins: \`${origin(APP)}\``],
  ['except from `https://app.example`', `except from \`${origin(APP)}\``],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), example('sessions'));

/** Runs in a page: the status of an answer, or null where the browser keeps it from the page. */
const SEND = `async (method, url, body) => {
  const init = { method, credentials: 'include' };
  if (body) Object.assign(init, { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  return fetch(url, init).then((answer) => answer.status, () => null);
}`;

test('Chromium keeps the cookie, sends it, hides it from scripts, and lets it go', { timeout: 240_000 }, async (t) => {
  const missing = noBrowser();
  if (missing !== null) return t.skip(missing);
  const plan = planOf(sessions);
  const service = new Service({
    host: 'localhost',
    port: SERVICE,
    admin: null,
    url: origin(SERVICE),
    allowPrivate: true,
    log: () => {},
  });
  await service.start(plan, new SqliteStore(':memory:', plan));
  const pages = [APP, OTHER].map((port) =>
    createServer((_, answer) => answer.end('<!doctype html><title>a page</title>')).listen(port, 'localhost'),
  );
  await Promise.all(pages.map((server) => server.listening || once(server, 'listening')));
  const browser = await startChromium();
  try {
    const context = await browser.newContext();
    const of = async (port: number) => {
      const page = await context.newPage();
      await page.goto(`${origin(port)}/`);
      return {
        page,
        send: (method: string, path: string, body: object | null = null) =>
          page.evaluate(
            `(${SEND})(${JSON.stringify(method)}, ${JSON.stringify(origin(SERVICE) + path)}, ${JSON.stringify(body)})`,
          ),
      };
    };
    const [own, app, other] = [await of(SERVICE), await of(APP), await of(OTHER)];
    const ada = { email: 'ada@example.com', password: 'correct horse battery' };
    assert.equal(await other.send('POST', '/users', ada), null, 'the preflight of another page is refused');
    assert.equal(await own.send('POST', '/users', ada), 201);
    assert.equal(await own.page.evaluate('document.cookie'), '');
    const [cookie] = await context.cookies();
    assert.deepEqual(
      [cookie?.name, cookie?.secure, cookie?.httpOnly, cookie?.sameSite, cookie?.path],
      ['__Host-session', true, true, 'Lax', '/'],
    );
    assert.equal(await own.send('GET', '/me'), 200);
    assert.equal(await own.send('POST', '/machines', { label: 'press' }), 201);
    assert.equal(await app.send('POST', '/machines', { label: 'press' }), 201);
    assert.equal(await app.send('GET', '/me'), 200);
    assert.equal(await other.send('GET', '/me'), null, 'no other page reads the answer');
    // A form needs no preflight, and the same site is asked with the cookie.
    const [answer] = await Promise.all([
      other.page.waitForNavigation(),
      other.page.evaluate(
        `document.body.innerHTML = '<form method="post" action="${origin(SERVICE)}/machines"></form>'; document.forms[0].submit()`,
      ),
    ]);
    assert.equal(answer?.status(), 403);
    assert.match((await answer?.text()) ?? '', /"code":"foreign"/);
    assert.equal(await own.send('DELETE', '/sessions/current'), 204);
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await own.send('GET', '/me'), 401);
    assert.equal(await own.send('POST', '/sessions', ada), 204);
    assert.equal(await own.send('GET', '/me'), 200);
  } finally {
    await browser.close();
    await service.stop();
    for (const server of pages) server.close();
  }
});
