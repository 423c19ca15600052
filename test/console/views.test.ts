import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.ts';
import { IN_BROWSER_WHOLE } from './browsing.ts';
import { Console, Shop } from './shop.ts';
import { picture, screenFolder, settled, viewsOf } from './views.ts';

// Every view, in both themes, in a wide window and in the smallest: as it looks, and by axe-core's rules.

const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

let browser: Browser;
let shop: Shop;
let console: Console;
let folder: string;
before(async () => {
  if ('skip' in IN_BROWSER_WHOLE) return;
  folder = await screenFolder();
  browser = await startChromium();
  shop = await new Shop().prepare();
  console = await Console.open(shop.space, browser);
  await shop.trade(console.service);
});
after(async () => {
  await browser?.close();
  await shop?.[Symbol.asyncDispose]();
});

for (const theme of ['light', 'dark'] as const)
  for (const { width, height } of WINDOWS)
    test(
      `no view breaks a rule of accessibility or is wider than ${width} pixels, ${theme}`,
      IN_BROWSER_WHOLE,
      async (t) => {
        const broken: Record<string, readonly string[]> = {};
        for (const [name, path] of viewsOf(shop)) {
          const visit = await console.visit(path, { width, height, theme });
          await settled(visit.page);
          const taken = await picture(visit.page, join(folder, `${name}-${theme}-${width}.png`));
          if (!taken) t.diagnostic(`the browser was unable to take a picture of ${name}`);
          const found = [...(await violations(visit.page)), ...(await tooWide(visit.page))];
          if (found.length) broken[name] = found;
          visit.faults.splice(0).forEach((fault) => {
            broken[name] = [...(broken[name] ?? []), fault];
          });
          await visit.end();
        }
        t.diagnostic(`pictures are in ${folder}`);
        assert.deepEqual(broken, {});
      },
    );

/** What axe-core finds wrong: rule, help and elements. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = await (window as unknown as { axe: typeof import('axe-core') }).axe.run(document, {
      resultTypes: ['violations'],
    });
    return found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(' ')}`);
  });
}

/** What reaches past the right edge of the window, so that the whole page has to be moved to see it. */
async function tooWide(page: Page): Promise<string[]> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return wide > 0 ? [`the page is ${wide} pixels too wide`] : [];
}
