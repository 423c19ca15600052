import { toolModule } from './tools/tool.ts';

interface Browser {
  newPage(options?: object): Promise<Page>;
  close(): Promise<void>;
}

interface Page {
  goto(url: string): Promise<unknown>;
  setContent(html: string): Promise<unknown>;
  evaluate<T>(script: string): Promise<T>;
}

/**
 * A real Chromium, or why none can be started here. `NINEFOLD_CHROMIUM` names another than the one that the tools of
 * exports bring.
 */
export async function launched(): Promise<Browser | string> {
  const { chromium } = toolModule('playwright-core') as {
    chromium: { launch(options: object): Promise<Browser> };
  };
  const own = process.env.NINEFOLD_CHROMIUM;
  try {
    if (own) return await chromium.launch({ executablePath: own, headless: true });
    const { default: brought } = toolModule('@sparticuz/chromium') as {
      default: { args: string[]; executablePath(): Promise<string> };
    };
    // What it brings switches off the very rules that are looked at.
    const args = brought.args.filter((one) => !/web-security|insecure|site-isolation/.test(one));
    return await chromium.launch({ executablePath: await brought.executablePath(), args, headless: true });
  } catch (error) {
    // Whoever names a browser means it.
    if (own) throw error;
    return `Chromium can’t be started here, and NINEFOLD_CHROMIUM names no other: ${String(error).split('\n')[0]}`;
  }
}
