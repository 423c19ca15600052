import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { importOpenApi } from '../src/import/import-openapi.ts';
import { readSource, type Source } from '../src/import/source.ts';
import { pointersOf, statementsWithoutPlace } from './import/comments.ts';
import { isInDocument, leavesOf, valueAt } from './import/facts.ts';

const FILES = join(import.meta.dirname, 'import', 'files');
const names = readdirSync(FILES).filter((name) => /\.(?:json|yaml)$/.test(name));

function sourceOf(name: string): Source {
  const source = readSource(readFileSync(join(FILES, name), 'utf8'));
  assert.ok('root' in source, name);
  return source;
}

for (const name of names)
  test(`${name} is imported as its golden, which has questions alone`, () => {
    const { text } = importOpenApi(sourceOf(name));
    const golden = join(FILES, `${name}.md`);
    if (process.env.UPDATE || !existsSync(golden)) writeFileSync(golden, text);
    assert.equal(text, readFileSync(golden, 'utf8'));
    const { findings } = compile(name, text);
    assert.deepEqual(
      findings.filter(({ severity }) => severity === 'error').map(({ message }) => message),
      [],
    );
  });

for (const name of names)
  test(`every statement of ${name} has its place, and every place is in the file`, () => {
    const source = sourceOf(name);
    const { text } = importOpenApi(source);
    assert.deepEqual(statementsWithoutPlace(text), []);
    const pointers = pointersOf(text);
    assert.ok(pointers.length > 0);
    for (const pointer of pointers) assert.notEqual(valueAt(source.root, pointer), undefined, pointer);
  });

for (const name of names)
  test(`every fact of ${name} is in the document, or listed`, () => {
    const source = sourceOf(name);
    const { text, unsaid } = importOpenApi(source);
    const listed = new Set(unsaid.map(({ pointer }) => pointer));
    const missing = leavesOf(source.root).filter((leaf) => !isInDocument(leaf, text, listed));
    assert.deepEqual(missing, []);
  });
