import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Shown } from '../../../src/console/harness.test.ts';
import type { EndpointAnswer, EndpointsAnswer, TryAnswer } from '../../../src/console/protocol.ts';
import { clientText, typeErrors } from './made.ts';

// The console shows a request as a call of the client. Each such call has to compile with the client of the document.

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What else stands in a request, for endpoints that take it. */
const MORE = [
  ['X-Odd', '*/ `"is not sent'],
  ['If-None-Match', '"tag"'],
  ['If-Match', '"tag"'],
] as const;

test('the sample of each endpoint is a call that the client of the document has', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-calls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const file of [
    'examples/orders.md',
    'examples/issues.md',
    'docs/documents/files.md',
    'docs/documents/pictures.md',
  ]) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const name = file.replace(/\W/g, '_');
    writeFileSync(join(folder, `${name}_client.ts`), clientText(file, text));
    const shown = await Shown.open(text, { url: 'https://service.example' });
    try {
      const { endpoints } = await shown.get<EndpointsAnswer>('/endpoints');
      const calls: string[] = [];
      for (const one of endpoints) {
        const { sample } = await shown.get<EndpointAnswer>(`/endpoints/${encodeURIComponent(one.name)}`);
        const query = sample.path.includes('?') ? '&odd=1' : '?odd=1';
        for (const request of [
          sample,
          { ...sample, path: sample.path + query, headers: [...sample.headers, ...MORE] },
        ]) {
          const { call } = await shown.post<TryAnswer>('/try', { ...request, caller: null });
          assert.ok(call, `${file}: ${one.name}`);
          calls.push(`export async function call${calls.length}() {\n${call}\n}`);
        }
      }
      const head = `import { createClient } from './${name}_client.ts';`;
      writeFileSync(join(folder, `${name}_calls.ts`), `${head}\n\n${calls.join('\n\n')}\n`);
    } finally {
      await shown.stop();
    }
  }
  assert.equal(typeErrors(folder), '');
});
