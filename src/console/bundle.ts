import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { BuildResult } from 'esbuild';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly body: Uint8Array;
  /** Its media type. */
  readonly type: string;
  /** True where the name holds a hash of the content, so that browsers may keep it for ever. */
  readonly immutable: boolean;
}

const PAGE = join(import.meta.dirname, 'page');
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
]);

/** The files of the page, made of its sources. Rejects where esbuild is not installed. */
export async function bundlePage(): Promise<ReadonlyMap<string, PageFile>> {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: { main: join(PAGE, 'main.tsx'), theme: join(PAGE, 'theme-first.ts') },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    outdir: PAGE,
    absWorkingDir: PAGE,
    // The loader of TypeScript needs nothing of a tsconfig that it would have to look for.
    tsconfigRaw: '{}',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const files = new Map<string, PageFile>();
  for (const { path, contents } of result.outputFiles) {
    const name = relative(PAGE, path).replaceAll('\\', '/');
    const type = MEDIA_TYPES.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'application/octet-stream';
    files.set(name, { body: contents, type, immutable: true });
  }
  const index = new TextEncoder().encode(indexOf(result));
  files.set('index.html', { body: index, type: 'text/html; charset=utf-8', immutable: false });
  return files;
}

/** The page itself: it names its files and holds nothing else, so that it needs neither inline scripts nor styles. */
function indexOf({ metafile }: BuildResult<{ metafile: true }>): string {
  const outputs = Object.entries(metafile.outputs);
  const script = (source: string): string => outputs.find(([, one]) => one.entryPoint === source)?.[0] ?? '';
  // Chunks that the main script shares with others, which would be asked for only when it has been read.
  const shared = (outputs.find(([, one]) => one.entryPoint === 'main.tsx')?.[1].imports ?? [])
    .filter((one) => one.kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="/console/${path}">\n`);
  const style = outputs.find(([name]) => name.endsWith('.css'))?.[0] ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Ninefold</title>
<link rel="icon" href="${ICON}">
<script src="/console/${script('theme-first.ts')}"></script>
<link rel="stylesheet" href="/console/${style}">
${shared.join('')}<script type="module" src="/console/${script('main.tsx')}"></script>
</head>
<body>
<div id="page"></div>
<noscript>The console needs JavaScript. The commands ninefold rows, keys, events and receivers do the same work.</noscript>
</body>
</html>
`;
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><g fill="#4c74d9">${[1, 6, 11]
    .flatMap((y) => [1, 6, 11].map((x) => `<rect x="${x}" y="${y}" width="4" height="4" rx="1"/>`))
    .join('')}</g></svg>`,
)}`;

// `npm run build` runs this file, with the folder to write to.
const [, started = '', folder] = process.argv;
if (started === import.meta.filename && folder !== undefined) {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, { body }] of await bundlePage()) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, body);
  }
}
