import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { PageFile } from './bundle.ts';

/** The page is not there to be sent: the message says what to do. */
export class PageMissing extends Error {}

/** Where the build writes the page: beside this file, as it is published. */
const BUILT = join(import.meta.dirname, 'page');

/**
 * The files of the page, by their path below `/console/`: `index.html`, which is sent for every view, and those that it
 * loads. From the package as it was built, or bundled in memory where nothing has been built. Rejects with PageMissing.
 */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  if (existsSync(join(BUILT, 'index.html'))) return builtFiles();
  try {
    const { bundlePage } = await import('./bundle.ts');
    return await bundlePage();
  } catch (error) {
    throw new PageMissing(
      `the console’s page could not be bundled: ${reasonOf(error)} In a clone, run \`npm ci\`; or serve without the console with \`--console off\`.`,
    );
  }
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
]);

function builtFiles(): ReadonlyMap<string, PageFile> {
  const entries = readdirSync(BUILT, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry): [string, PageFile] => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(BUILT, path).replaceAll('\\', '/');
      const type = [...MEDIA_TYPES].find(([end]) => name.endsWith(end))?.[1] ?? 'application/octet-stream';
      return [name, { body: readFileSync(path), type, immutable: name.startsWith('assets/') }];
    }),
  );
}

/** The first line of an error, as a sentence. */
function reasonOf(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line.endsWith('.') ? line : `${line}.`;
}
