import type { Console } from '../../test/console/shop.ts';
import { quantile } from '../statistics.ts';
import type { Benched } from './opened.ts';

/**
 * How long it takes until a view is painted with its data, in milliseconds from the beginning of the navigation: each time
 * in a new window, whose cache is empty.
 */
export async function paintTimes(
  console: Console,
  count: number,
  path: string,
  shown: string,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const visit = await console.visit(null);
    await visit.page.addInitScript(WATCH, shown);
    await visit.page.goto(`${console.origin}/console/${path}`);
    const time = await visit.page.waitForFunction(() => (window as { painted?: number }).painted);
    times.push((await time.jsonValue()) ?? Number.NaN);
    await visit.end();
  }
  return times;
}

/** Runs before the page: notes when what is waited for has been painted, which is after the next frame. */
const WATCH = (shown: string): void => {
  const look = (): void => {
    if (document.querySelector(shown) === null) {
      requestAnimationFrame(look);
      return;
    }
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => Object.assign(window, { painted: performance.now() });
      port2.postMessage(null);
    });
  };
  requestAnimationFrame(look);
};

/** What scrolling was like, in milliseconds. */
interface Frames {
  readonly count: number;
  readonly longest: number;
  readonly p99: number;
  /** The longest task of the page’s thread, of those over 50 ms; 0 where there was none. */
  readonly task: number;
}

/** Scrolls through a list: by the wheel, by pages, and by leaps from one end to the other. */
export async function longestFrame({ console }: Benched): Promise<Frames> {
  const visit = await console.visit('rows/Order');
  const { page } = visit;
  await page.locator('tbody tr a').first().waitFor();
  const { frames, task } = await page.evaluate(SCROLL);
  await visit.end();
  const sorted = frames.toSorted((a, b) => a - b);
  return { count: sorted.length, longest: sorted.at(-1) ?? 0, p99: quantile(sorted, 0.99), task };
}

const SCROLL = async (): Promise<{ frames: number[]; task: number }> => {
  const box = [...document.querySelectorAll<HTMLElement>('main *')].find(
    (one) => one.scrollHeight > 10 * one.clientHeight && getComputedStyle(one).overflowY !== 'visible',
  );
  if (!box) throw new Error('There is no list that is scrolled');
  let task = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) task = Math.max(task, entry.duration);
  }).observe({ type: 'longtask' });
  const frames: number[] = [];
  const next = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  let before = await next();
  const step = async (to: number): Promise<void> => {
    box.scrollTop = to;
    const now = await next();
    frames.push(now - before);
    before = now;
  };
  for (let i = 0; i < 300; i++) await step(box.scrollTop + 100);
  for (let i = 0; i < 200; i++) await step(box.scrollTop + box.clientHeight);
  const end = box.scrollHeight - box.clientHeight;
  for (let i = 0; i < 100; i++) await step((end * ((i * 37) % 100)) / 100);
  // Long tasks are told of a little later.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { frames, task };
};
