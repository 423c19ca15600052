import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { diagnosticPages } from '../src/cli/diagnostics.ts';
import { readCases } from './cases.ts';

const ROOT = join(import.meta.dirname, '..');

test('every kind of finding is shown by a case', () => {
  const codes = [...diagnosticPages().values()].flatMap((page) =>
    [...page.matchAll(/^## ([a-z]+\/[a-z-]+)\n\n\*\*(?:Error|Question|Notice)/gm)].map((match) => match[1]!),
  );
  const shown = new Set(
    globSync('src/**/cases/*.md', { cwd: ROOT })
      .flatMap((file) => readCases(file))
      .flatMap((one) => one.blocks.filter((block) => block.kind === 'findings' || block.kind === 'notices'))
      .flatMap((block) => [...block.text.matchAll(/^\S+ (?:error|question|notice) ([a-z]+\/[a-z-]+): /gm)])
      .map((match) => match[1]!),
  );
  assert.deepEqual(
    codes.filter((code) => !shown.has(code)),
    [],
    'a kind of finding that no case shows may be one that nothing reports',
  );
});

test('files of cases fit on a few screens', () => {
  const long = globSync('src/**/cases/*.md', { cwd: ROOT }).filter(
    (file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 400,
  );
  assert.deepEqual(long, []);
});
