import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { noBrowser, startChromium } from '../chromium.ts';
import { ORDERS, Workspace } from '../harness.ts';
import { Visit } from './visit.ts';

const missing = noBrowser();
const IN_BROWSER = missing === null ? {} : { skip: missing };

const space = new Workspace(ORDERS);
let browser: Browser;
before(async () => {
  if (missing === null) browser = await startChromium();
});
after(async () => {
  await browser?.close();
  await space[Symbol.asyncDispose]();
});

test('the browser runs', IN_BROWSER, async () => {
  const service = await space.serve({ args: ['--admin', '127.0.0.1:0'] });
  const port = /operator’s port is (\d+)/.exec(service.out)![1];
  const visit = await Visit.begin(browser, `http://127.0.0.1:${port}`);
  await visit.page.goto(`http://127.0.0.1:${port}/livez`);
  assert.match(await visit.page.content(), /live/);
  await visit.end();
});
