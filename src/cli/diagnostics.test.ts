import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ITEMS } from '../compiler/read/items.ts';
import { diagnosticPages, FOLDER } from './diagnostics.ts';

const SOURCES = fileURLToPath(new URL('../', import.meta.url));
const OUT_OF_DATE = 'docs/diagnostics is out of date. Regenerate it with: npx node src/cli/diagnostics.ts';

test('the pages in docs/diagnostics are those of the catalogues', () => {
  const pages = diagnosticPages();
  const kept = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [];
  assert.deepEqual(kept, [...pages.keys()].sort(), OUT_OF_DATE);
  for (const [name, content] of pages)
    assert.ok(readFileSync(new URL(name, FOLDER), 'utf8') === content, `${OUT_OF_DATE} (${name} differs)`);
});

test('every catalogue has its page', () => {
  const pages = diagnosticPages();
  let catalogues = 0;
  for (const file of globSync('**/*.ts', { cwd: SOURCES, exclude: ['**/*.test.ts'] }))
    for (const match of readFileSync(`${SOURCES}/${file}`, 'utf8').matchAll(/= (?:catalogue|graded)\('([^']+)'/g)) {
      catalogues++;
      const page = pages.get(`${match[1]}.md`);
      assert.match(page ?? '', new RegExp(`^## ${match[1]}/`, 'm'), `${file} is missing from src/cli/diagnostics.ts`);
    }
  assert.ok(catalogues >= 11, `only ${catalogues} catalogues were found`);
});

test('every code is told once, with its item’s question among them, and no parameter is left out', () => {
  const text = [...diagnosticPages().values()].join('\n');
  const codes = [...text.matchAll(/^## ([a-z]+\/[a-z-]+)$/gm)].map((match) => match[1]!);
  assert.equal(new Set(codes).size, codes.length);
  for (const { part, name } of ITEMS) assert.ok(codes.includes(`${part}/${name.replaceAll(' ', '-')}`));
  assert.doesNotMatch(text, /undefined|NaN|\[object/);
});

test('every link of the index leads to a heading', () => {
  const pages = diagnosticPages();
  const links = [...pages.get('README.md')!.matchAll(/\[`([^`]+)`\]\(([^)#]+)#([^)]+)\)/g)];
  assert.ok(links.length > 31);
  for (const [, code, page, anchor] of links) {
    assert.ok(pages.get(page!)!.includes(`\n## ${code}\n`));
    assert.equal(anchor, code!.replace('/', ''));
  }
});
