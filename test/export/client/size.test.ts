import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { wholeRuntime } from '../../../src/export/client/runtime-text.ts';
import { documents } from '../../fixtures.ts';
import { IN_WHOLE } from '../../share.ts';
import { toolModule } from '../tools/tool.ts';
import { clientsOf } from './made.ts';

/** In bytes. */
const MOST = 8192;

/** How much of a client a page loads: compiled, minified and compressed. */
function sizeOf(client: string): number {
  const { transformSync } = toolModule('esbuild') as Esbuild;
  const { code } = transformSync(client, { loader: 'ts', minify: true, format: 'esm', target: 'es2022' });
  return gzipSync(code, { level: 9 }).length;
}

interface Esbuild {
  transformSync(text: string, options: object): { readonly code: string };
}

test('no client is larger than 8 kB, and neither is what clients share', IN_WHOLE, (t) => {
  const shared = wholeRuntime().replaceAll(/^(class|async function|function)/gm, 'export $1');
  const sizes = [
    ['all that clients share', sizeOf(shared)] as const,
    ...documents().flatMap(({ name, text }) =>
      clientsOf(name, text).map(({ version, client }) => [`${name} ${version ?? ''}`, sizeOf(client)] as const),
    ),
  ];
  for (const [name, size] of sizes) {
    t.diagnostic(`${size} bytes: ${name}`);
    assert.ok(size > 500 && size <= MOST, `${name}: ${size}`);
  }
});
