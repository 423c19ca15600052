import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** The words of what has the focus, which has to be seen. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return '';
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    const seen = outlineStyle !== 'none' || boxShadow !== 'none' || element.tagName === 'H1';
    const words = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return seen ? words.trim() : `${words} (its focus is not seen)`;
  });

/** Waits until an element of these words has the focus. */
export async function focusComes(page: Page, words: string, tag: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.activeElement?.tagName === wanted.tag && document.activeElement.textContent === wanted.words,
    { words, tag },
  );
}

/** Presses a key, such as Tab, until an element of these words has the focus. */
export async function tabTo(page: Page, words: string | RegExp, key = 'Tab'): Promise<void> {
  const isThere = (text: string): boolean => (typeof words === 'string' ? text === words : words.test(text));
  for (let i = 0; i < 60; i++) {
    if (isThere(await focused(page))) return;
    await page.keyboard.press(key);
  }
  assert.fail(`“${words}” is not reached by ${key}`);
}
