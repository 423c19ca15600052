import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { drawingsOf } from '../../src/export/diagram/drawings.ts';
import { svgOf } from '../../src/export/diagram/svg.ts';
import { noBrowser, startChromium } from '../chromium.ts';
import { documents } from '../fixtures.ts';
import { IN_WHOLE } from '../share.ts';

/** What a browser makes of a drawing: lines that leave their box, pairs that lie on each other, and two colours. */
interface Seen {
  readonly lines: number;
  readonly outside: readonly string[];
  readonly onEachOther: readonly string[];
  readonly text: string;
  readonly page: string;
  readonly asked: number;
}

/** Runs in the page. A line is as high as its font, of which accents and the like take more than letters. */
const LOOK = `(() => {
  const box = (one) => one.getBoundingClientRect();
  const boxes = [...document.querySelectorAll('rect.node, rect.label')].map(box);
  const lines = [...document.querySelectorAll('g text')].map((one) => ({ said: one.textContent, at: box(one) }));
  const inside = (a, b) => b.left <= a.left + 1 && b.right >= a.right - 1 && b.top <= a.top + 4 && b.bottom >= a.bottom - 4;
  const on = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
  const pairs = lines.flatMap((one, i) => lines.slice(0, i).filter((other) => on(one.at, other.at)).map((other) => one.said + ' | ' + other.said));
  return {
    lines: lines.length,
    outside: lines.filter((one) => !boxes.some((other) => inside(one.at, other))).map((one) => one.said),
    onEachOther: pairs,
    text: getComputedStyle(document.querySelector('text')).fill,
    page: getComputedStyle(document.querySelector('.page')).fill,
    asked: performance.getEntriesByType('resource').length,
  };
})()`;

test('Chromium shows every line of every diagram in its box, light and dark, and asks for nothing', {
  ...IN_WHOLE,
  timeout: 240_000,
}, async (t) => {
  const missing = noBrowser();
  if (missing !== null) return t.skip(missing);
  const browser = await startChromium();
  try {
    let lines = 0;
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme });
      for (const { name, text } of documents()) {
        const { plan } = compile(name, text);
        assert.ok(plan);
        const contract = contractOf(plan);
        await page.setContent(`<!doctype html>${svgOf(contract.title, [...drawingsOf(contract).values()])}`);
        const seen = await page.evaluate<Seen>(LOOK);
        assert.deepEqual([seen.outside, seen.onEachOther, seen.asked], [[], [], 0], name);
        const contrast = contrastOf(seen.text, seen.page);
        assert.ok(contrast >= 7, `${name}, ${colorScheme}: ${contrast}`);
        lines += seen.lines;
      }
    }
    t.diagnostic(`${lines} lines`);
  } finally {
    await browser.close();
  }
});

/** The contrast of two colours, by WCAG 2.2. */
function contrastOf(...colours: readonly [string, string]): number {
  const [a, b] = colours.map((colour) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((one) => {
      const part = Number(one) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  });
  return Math.max(a ?? 0, b ?? 0) / Math.min(a ?? 1, b ?? 1);
}
