import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { PageFile } from './bundle.ts';
import { bundlePage } from './bundle.ts';

let files: ReadonlyMap<string, PageFile>;
let texts: ReadonlyMap<string, string>;
before(async () => {
  files = await bundlePage();
  texts = new Map([...files].map(([name, { body }]) => [name, new TextDecoder().decode(body)]));
});

/** The most bytes of the page without the editor, and of the editor. */
const MOST = 100_000;
const MOST_EDITOR = 120_000;

/** The name of the file with the editor: the class of CodeMirror's content is in no other. */
const editor = (): string =>
  [...texts].find(([name, text]) => name.endsWith('.js') && text.includes('cm-content'))?.[0] ?? '';

test('the page has at most 100 kB gzipped in all, and its editor at most 120 kB', (t) => {
  const sizes = new Map([...files].map(([name, { body }]) => [name, gzipSync(body, { level: 9 }).length]));
  for (const [name, size] of sizes) t.diagnostic(`${name}: ${size} bytes`);
  const own = sizes.get(editor()) ?? 0;
  const others = [...sizes.values()].reduce((sum, size) => sum + size, 0) - own;
  t.diagnostic(`${own} bytes of the editor, ${others} bytes of all others`);
  assert.ok(others <= MOST, `${others} bytes, of ${MOST}`);
  assert.ok(own > 0 && own <= MOST_EDITOR, `${own} bytes, of ${MOST_EDITOR}`);
});

test('the editor is no part of the first load', () => {
  assert.ok(editor().startsWith('assets/workspace-'), editor());
  assert.ok(!(texts.get('index.html') ?? '').includes(editor()));
});

test('what finds the places of a drawing is no part of the first load', () => {
  const main = [...texts].find(([name]) => /^assets\/main-\w+\.js$/.test(name))?.[1] ?? '';
  assert.ok(main.length > 0);
  // dagre's name for the way that a graph runs.
  assert.doesNotMatch(main, /rankdir/);
  assert.ok([...texts].some(([name, text]) => name.startsWith('assets/') && text.includes('rankdir')));
});

test('the page names its files, each with a hash, and holds no script and no style of its own', () => {
  const index = texts.get('index.html') ?? '';
  const named = [...index.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]?.slice('/console/'.length));
  // The style, the scripts, and the chunk that the main script shares with the editor.
  assert.equal(named.length, 4);
  for (const name of named) assert.ok(name !== undefined && files.has(name), `${name} is there`);
  for (const [name, file] of files) assert.equal(file.immutable, /^assets\/\w+-[A-Z0-9]{8}\.(?:js|css)$/.test(name));
  assert.doesNotMatch(index, /<script>|<style|style=|onload=/);
  assert.equal([...files.keys()].filter((name) => name.endsWith('.css')).length, 1);
});

test('nothing in the page makes markup or code of text', () => {
  const page = join(import.meta.dirname, 'page');
  const sources = readdirSync(page, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  assert.ok(sources.length > 20);
  for (const name of sources)
    assert.doesNotMatch(
      readFileSync(join(page, name), 'utf8'),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc/i,
      name,
    );
});

test('no file names an address of another host', () => {
  for (const [name, text] of texts) {
    const addresses = [...text.matchAll(/\bhttps?:\/\/[\w.-]+/g)].map(([address]) => address);
    // The names of SVG and MathML, and an example beside a field.
    const others = addresses.filter((one) => one !== 'http://www.w3.org' && one !== 'https://example.com');
    assert.deepEqual(others, [], name);
  }
});

test('the same sources make the same page', async () => {
  const hash = (of: ReadonlyMap<string, PageFile>): string => {
    const all = createHash('sha256');
    for (const [name, { body }] of of) all.update(name).update(body);
    return all.digest('hex');
  };
  assert.equal(hash(await bundlePage()), hash(files));
});
