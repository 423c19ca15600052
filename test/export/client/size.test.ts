import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { wholeRuntime } from '../../../src/export/client/runtime-text.ts';
import { documents } from '../../fixtures.ts';
import { IN_WHOLE } from '../../share.ts';
import { clientsOf } from './made.ts';

/** In bytes. */
const MOST = 8192;

/** The programs whose size is measured, by what they use of a client. `one` is the call of one method. */
const PROGRAMS = {
  everything: () => "export * from './client.ts';",
  'every call': () =>
    "import { createClient } from './client.ts'; globalThis.client = createClient({ baseUrl: location.href });",
  'one call': (one: string) =>
    `import { createClient } from './client.ts'; console.log(await createClient({ baseUrl: location.href }).${one});`,
  'only webhooks': () =>
    "import { verifyWebhook } from './client.ts'; console.log(await verifyWebhook({}, '', location.hash));",
} as const;

/** How much of a client a page loads with a program: bundled without what the program can't reach, minified and compressed. */
async function sizeOf(client: string, program: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-size-'));
  try {
    writeFileSync(join(folder, 'client.ts'), client);
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: folder, loader: 'ts' },
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      target: 'es2022',
    });
    return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The first call in the program at the head of a client. */
const firstCall = (client: string): string => /await client\.([^(]+)\(/.exec(client)?.[1] ?? 'constructor';

test('no client is larger than 8 kB, and neither is what clients share', IN_WHOLE, async (t) => {
  const shared = wholeRuntime().replaceAll(/^(class|async function|function)/gm, 'export $1');
  const all = documents().flatMap(({ name, text }) =>
    clientsOf(name, text).map(({ version, client }) => [`${name} ${version ?? ''}`.trim(), client] as const),
  );
  const programs = Object.entries(PROGRAMS);
  for (const [name, client] of [['all that clients share', shared] as const, ...all])
    for (const [what, program] of name === 'all that clients share' ? programs.slice(0, 1) : programs) {
      if (what === 'only webhooks' && !client.includes('verifyWebhook')) continue;
      const size = await sizeOf(client, program(`${firstCall(client)}()`));
      t.diagnostic(`${size} bytes: ${name}, ${what}`);
      assert.ok(size > 300 && size <= MOST, `${name}, ${what}: ${size}`);
    }
});
