import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { Shown } from './harness.test.ts';
import type { Problem, ServiceAnswer } from './protocol.ts';

let page: Shown;
before(async () => {
  page = await Shown.start();
});
after(() => page.stop());

test('without a session nothing is shown, and the operator’s port stays as it is', async () => {
  for (const path of ['/console', '/console/', '/console/rows/Order', '/console/assets/x.js', '/console?key=x']) {
    const came = await page.ask(path);
    assert.equal(came.status, 401, path);
    assert.match(came.text, /Open the console with the link/);
    assert.equal(came.headers['set-cookie'], undefined);
  }
  for (const path of ['/service', '/document', '/rows/Order', '/live', '/nothing']) {
    const came = await page.ask(`/console/api${path}`);
    assert.equal(came.status, 401, path);
    assert.equal((JSON.parse(came.text) as Problem).kind, 'no session');
  }
  const cookie = `ninefold_console_${page.port}=${'A'.repeat(43)}`;
  assert.equal((await page.ask('/console/', { headers: { cookie } })).status, 401, 'a token that was guessed');
  for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/asyncapi.json?version=2026-11-01'])
    assert.equal((await page.ask(path)).status, 200, path);
  assert.equal((await page.ask('/consoles')).status, 404);
  assert.equal((await page.ask('/', { method: 'POST' })).status, 405);
});

test('the key is used up by the first visit, which leads on without it', async () => {
  assert.equal((await page.ask(page.link, { method: 'HEAD' })).status, 401, 'a look is no visit');
  const first = await page.enter();
  assert.equal(first.status, 303);
  assert.equal(first.headers.location, '/console/');
  assert.match(
    String(first.headers['set-cookie']),
    /^ninefold_console_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/console$/,
  );
  const again = await page.ask(page.link);
  assert.equal(again.status, 401);
  assert.equal(again.headers['set-cookie'], undefined);
  // With a session, the used link in the browser history still opens the console.
  assert.equal((await page.ask(page.link, { headers: { cookie: page.cookie } })).status, 303);
  const service = await page.get<ServiceAnswer>('/service');
  assert.equal(service.title, 'Orders');
});

test('a link that is followed from another site leads on by a page, since no strict cookie goes along', async () => {
  const headers = { cookie: page.cookie, 'sec-fetch-site': 'cross-site' };
  const came = await page.ask(page.link, { headers });
  assert.equal(came.status, 200);
  assert.match(came.text, /<meta http-equiv="refresh" content="0;url=\/console\/">/);
});

test('every view is one page, and a file that is gone is none', async () => {
  const headers = { cookie: page.cookie };
  const view = await page.ask('/console/rows/Order?sort=-created', { headers });
  assert.equal(view.status, 200);
  assert.match(String(view.headers['content-type']), /^text\/html/);
  assert.equal(view.headers['cache-control'], 'no-store');
  const script = /src="\/console\/(assets\/[^"]+\.js)"/.exec(view.text)?.[1] ?? '';
  const file = await page.ask(`/console/${script}`, { headers });
  assert.equal(file.status, 200, script);
  assert.match(String(file.headers['cache-control']), /immutable/);
  assert.equal((await page.ask('/console/assets/gone.js', { headers })).status, 404);
});

test('what goes on is told once a second to whoever looks on, until the session ends', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const asked = { host: '127.0.0.1', port: page.port, path: '/console/api/live', headers: { cookie: page.cookie } };
  const request = httpRequest(asked, async (response) => {
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.split('event: live').length === 3) await page.post('/session/end', {});
    }
    resolve(text);
  });
  request.end();
  const text = await promise;
  const [message = ''] = /(?<=data: )\{.*\}/.exec(text) ?? [];
  const told = JSON.parse(message) as { readonly rows: object; readonly served: number };
  assert.deepEqual(told.rows, { Customer: { '': 0 }, Order: {} });
  assert.equal(told.served, 1);
  assert.match(text, /event: ended\n/);
  assert.equal((await page.get<Problem>('/service')).kind, 'no session');
});

test('`--console off` leaves the operator’s port without it', async (t) => {
  const page = await Shown.start(undefined, { console: 'off' });
  t.after(() => page.stop());
  assert.doesNotMatch(page.said, /The console is at/);
  assert.equal((await page.ask('/console')).status, 404);
  assert.equal((await page.ask('/console/api/service')).status, 404);
  assert.equal((await page.ask('/livez')).status, 200);
});

test('a service without a console loads nothing of it', () => {
  const serve = readFileSync(new URL('../cli/serve.ts', import.meta.url), 'utf8');
  const opened = readFileSync(new URL('../cli/console.ts', import.meta.url), 'utf8');
  assert.doesNotMatch(serve, /\.\.\/console\//);
  // Types alone are gone before anything is loaded.
  assert.doesNotMatch(opened, /^import (?!type)[^;]*'\.\.\/console\//m);
});
