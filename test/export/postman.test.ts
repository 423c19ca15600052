import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { IN_WHOLE } from '../share.ts';
import { exportsForTools } from './exports.ts';
import { runTool } from './tools/tool.ts';

/** A folder or a request of a collection of Postman. */
interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: object;
}

const requestsIn = (items: readonly Item[]): Item[] =>
  items.flatMap((one) => (one.item ? requestsIn(one.item) : one.request ? [one] : []));

test('Postman imports every export: a folder for each group, and a request for each operation', IN_WHOLE, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-postman-'));
  let requests = 0;
  try {
    for (const { name, format, document } of await exportsForTools()) {
      // The importer knows OpenAPI up to 3.1.
      if (format === '3.2') continue;
      writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
      const args = ['-s', 'openapi.json', '-o', 'collection.json', '-O', 'folderStrategy=Tags'];
      const { code, err, out } = await runTool('openapi2postmanv2', args, folder);
      assert.equal(code, 0, `${name}: ${err}${out}`);
      const { item } = JSON.parse(readFileSync(join(folder, 'collection.json'), 'utf8')) as { item: readonly Item[] };
      const { paths, tags } = JSON.parse(JSON.stringify(document));
      const operations = Object.values<object>(paths).flatMap((one) => Object.keys(one));
      // Events have a folder of their own.
      const groups = item.filter((one) =>
        (tags as ReadonlyArray<{ name: string }>).some((tag) => tag.name === one.name),
      );
      assert.equal(requestsIn(groups).length, operations.length, name);
      requests += operations.length;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  t.diagnostic(`${requests} requests`);
});
