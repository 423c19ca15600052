import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';

/** A browser’s program, and what it needs of its environment. */
interface Program {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache');
const INSTALLED = join(import.meta.dirname, '..', 'node_modules', '@sparticuz', 'chromium');
const run = promisify(execFile);

/** The variable that names another browser by its path; `none` leaves out the tests that need one. */
const NAMED = 'NINEFOLD_BROWSER';

/** Why no browser can run here, in a sentence, or null: another system than the package’s, and none is named. */
export function noBrowser(): string | null {
  const named = process.env[NAMED];
  if (named === 'none') return `not run: ${NAMED}=none`;
  if (named) return existsSync(named) ? null : `not run: there is no file ${named}, which ${NAMED} names`;
  const here = `${platform()} on ${arch()}`;
  const how = `${NAMED}=PATH names the program of another Chromium`;
  if (here !== 'linux on x64') return `not run: @sparticuz/chromium has no browser for ${here}. ${how}`;
  if (!('glibcVersionRuntime' in (process.report.getReport() as { header: object }).header))
    return `not run: @sparticuz/chromium needs a system with glibc. ${how}`;
  return null;
}

/** The named browser, or that of the package, unpacked once for each of its versions. */
async function chromiumProgram(): Promise<Program> {
  const named = process.env[NAMED];
  if (named) return { path: named, env: {} };
  const { version } = JSON.parse(readFileSync(join(INSTALLED, 'package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (!existsSync(folder)) await unpack(folder);
  return {
    path: join(folder, 'chromium'),
    // The libraries that a bare system lacks (NSS), and a font for one that has none.
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

/**
 * The package unpacks into the directory for temporary files, and takes whatever is there for whole: several processes
 * at once, or an older version, would break it. So a process of its own unpacks into a new folder, which then gets its
 * name.
 */
async function unpack(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const unpacked = mkdtempSync(`${folder}-`);
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  await run(process.execPath, ['-e', `import(${JSON.stringify(main)}).then((one) => one.default.executablePath())`], {
    // The variable of Lambda has the libraries unpacked, too.
    env: { ...process.env, TMPDIR: unpacked, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
  });
  writeFileSync(join(unpacked, 'fonts.conf'), fontsIn(folder));
  try {
    renameSync(unpacked, folder);
  } catch (error) {
    // Another process was faster.
    rmSync(unpacked, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

const fontsIn = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

/** Starts the browser: every process of its own but the sandbox, which nobody may have who runs as root. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const { path, env } = await chromiumProgram();
  const { chromium } = await import('playwright-core');
  const options = { executablePath: path, headless: true, chromiumSandbox: false };
  return chromium.launch({ ...options, args: [...args], env: { ...process.env, ...env } });
}
