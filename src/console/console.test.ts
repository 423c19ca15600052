import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shown } from './harness.test.ts';
import type { DocumentAnswer, RowsAnswer, ServiceAnswer } from './protocol.ts';

test('the printed link opens the console once, and leads on without the key', async (t) => {
  const page = await shown(t);
  const first = await page.ask(`${page.link.pathname}${page.link.search}`);
  assert.equal(first.status, 303);
  assert.equal(first.headers.location, '/console/');
  const cookie = String(first.headers['set-cookie']);
  assert.match(cookie, /^ninefold_console_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/console$/);
  const again = await page.ask(`${page.link.pathname}${page.link.search}`);
  assert.equal(again.status, 401);
  assert.equal(again.headers['set-cookie'], undefined);
  const opened = await page.ask('/console/', { headers: { cookie: cookie.split(';')[0] ?? '' } });
  assert.equal(opened.status, 200);
  assert.match(String(opened.headers['content-type']), /^text\/html/);
});

test('the service, its document and its rows are told to whoever has a session', async (t) => {
  const page = await shown(t);
  await page.enter();
  const service = await page.get<ServiceAnswer>('/service');
  assert.equal(service.title, 'Orders');
  const document = await page.get<DocumentAnswer>('/document');
  assert.equal(document.items.length, 31);
  const rows = await page.get<RowsAnswer>('/rows/Customer');
  assert.deepEqual(rows, { resource: 'Customer', offset: 0, total: 0, rows: [] });
});
