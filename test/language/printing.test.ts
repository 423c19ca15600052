import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { printed } from '../../src/compiler/print.ts';
import { readCases } from '../cases.ts';
import { share } from '../share.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const files = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();

interface Sample {
  readonly name: string;
  readonly text: string;
}

const EXAMPLES: readonly Sample[] = ['examples', 'docs/documents']
  .flatMap(files)
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

const CASES: readonly Sample[] = files('src')
  .filter((file) => file.includes('/cases/'))
  .flatMap(readCases)
  .map(({ file, name, document }) => ({ name: `${file}: ${name}`, text: document }));

/** The model without the places of its statements. */
const modelOf = (text: string): unknown =>
  JSON.parse(
    JSON.stringify(compile('t.md', text).model, (key, value: unknown) =>
      ['from', 'to', 'inner', 'lines', 'prose', 'source', 'offsets', 'stops'].includes(key) ? undefined : value,
    ),
  );

function mustPrint({ name, text }: Sample): void {
  const once = printed(text);
  assert.deepEqual(modelOf(once), modelOf(text), name);
  assert.equal(printed(once), once, `${name}, printed again`);
}

test('each example prints as a document with the same model, and printing it again changes nothing', () => {
  assert.ok(EXAMPLES.length > 0);
  for (const sample of EXAMPLES) mustPrint(sample);
});

test('each case without findings prints as a document with the same model', () => {
  const accepted = share(CASES, 60).cases.filter(({ text }) => compile('t.md', text).findings.length === 0);
  assert.ok(accepted.length > 0);
  for (const sample of accepted) mustPrint(sample);
});
