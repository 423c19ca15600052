import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Service, until } from '../harness.ts';

/** The link to the console that a service has printed, with the key that works once. */
export async function linkOf(service: Service): Promise<string> {
  return until(() => /The console is at (http\S+)/.exec(service.out)?.[1], 'the link to the console is printed');
}

/** How long a page is waited for at most, however busy the machine. */
const WAIT_MS = 240_000;

/** How a visitor comes. */
export interface Manner {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** The cookies of another visitor, whose key has been used. */
  readonly session?: BrowserContextOptions['storageState'];
}

/**
 * Somebody who visits the console, and all that goes wrong meanwhile: errors of the page and of its console, what the
 * policy of content blocks, and requests to any other address.
 */
export class Visit {
  readonly page: Page;
  /** In sentences. What a test provokes it takes out again. */
  readonly faults: string[] = [];
  private readonly context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
  }

  /** Opens a window. `origin` is the only address that it may ask for anything. */
  static async begin(browser: Browser, origin: string, manner: Manner = {}): Promise<Visit> {
    const { width = 1440, height = 900, theme = 'light', session } = manner;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
      ...(session ? { storageState: session } : {}),
    });
    // It only ends a wait that would never end.
    context.setDefaultTimeout(WAIT_MS);
    const visit = new Visit(context, await context.newPage());
    visit.watch(origin);
    return visit;
  }

  private watch(origin: string): void {
    this.context.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && url.origin !== origin) this.faults.push(`A request to ${url.href}`);
    });
    this.page.on('pageerror', (error) => this.faults.push(`An error of the page: ${error.stack ?? error.message}`));
    this.page.on('crash', () => this.faults.push('The page crashed'));
    this.page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      this.faults.push(`The console says: ${message.text()} (${message.location().url})`);
    });
  }

  /** Its cookies, for further visitors. */
  session(): Promise<NonNullable<Manner['session']>> {
    return this.context.storageState();
  }

  /** Takes out the faults that a test provokes: answers that refuse, which browsers log. Each has to be there. */
  provoked(...texts: readonly RegExp[]): void {
    for (const text of texts) {
      const at = this.faults.findIndex((one) => text.test(one));
      assert.notEqual(at, -1, `${text} is among ${JSON.stringify(this.faults)}`);
      this.faults.splice(at, 1);
    }
  }

  /** Closes the window. Nothing may have gone wrong. */
  async end(): Promise<void> {
    await this.context.close();
    assert.deepEqual(this.faults, []);
  }
}
