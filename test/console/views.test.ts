import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startChromium } from '../chromium.ts';
import { IN_BROWSER_WHOLE } from './browsing.ts';
import { Console, Shop } from './shop.ts';
import { picture, screenFolder, settled, tooWide, viewsOf, violations, WINDOWS } from './views.ts';

// Every view, in both themes, in a wide window and in the smallest: as it looks, and by axe-core's rules.

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
