import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere, temporary } from './harness.test.ts';

const FILE = join(import.meta.dirname, '..', '..', 'test', 'import', 'files', 'openapi-3.0.json');

test('import writes the document, then the questions of check', async (t) => {
  const out = join(temporary(t), 'tasks.md');
  const ran = await runHere('import', 'openapi', FILE, '--out', out);
  assert.equal(ran.code, 0);
  assert.equal(ran.out, '');
  assert.equal(readFileSync(out, 'utf8'), readFileSync(`${FILE}.md`, 'utf8'));
  assert.match(ran.err, /^Places of the file that the document does not state \(\d+\), by the reason:\n {7}\d/);
  const checked = await runHere('check', out);
  assert.ok(ran.err.endsWith(checked.out));
  assert.match(checked.out, / 0 errors, \d+ questions\.\n$/);
});

test('without --out, the document is on standard output and all else on standard error', async () => {
  const ran = await runHere('import', 'openapi', FILE);
  assert.equal(ran.out, readFileSync(`${FILE}.md`, 'utf8'));
});

test('--json has the document, the items, the facts that it does not state, and the questions', async () => {
  const ran = await runHere('import', 'openapi', FILE, '--json');
  const data = JSON.parse(ran.out);
  assert.equal(data.document, readFileSync(`${FILE}.md`, 'utf8'));
  assert.equal(data.items.length, 31);
  assert.deepEqual(data.items[2], {
    part: 'Resources and their fields',
    item: 'resources',
    of: 'objects with a name in bodies',
    stated: 1,
    none: 0,
    notShown: 0,
  });
  assert.ok(
    data.notStated.every((one: { pointer: string; reason: string }) => one.pointer.startsWith('#/') && one.reason),
  );
  assert.ok(data.findings.every((one: { severity: string }) => one.severity === 'question'));
  assert.equal(ran.err, '');
});

test('--report prints a page with the 31 items, the questions by part, and ten of them', async () => {
  const ran = await runHere('import', 'openapi', FILE, '--report');
  assert.equal(ran.code, 0);
  assert.match(ran.out, /^# Tasks: what its description states\n/);
  assert.equal(ran.out.match(/^\| [^|]+ \| [^|]+ \| [^|]+ \| [\d,]+ \| [\d,]+ \| [\d,]+ \|$/gm)?.length, 31);
  assert.match(ran.out, /^\| Endpoints \| response payloads \| operations \| 3 \| 2 \| 1 \|$/m);
  assert.match(ran.out, /^10\. /m);
});

test('a broken file has a place and a reason, and exits as a document with findings does', async (t) => {
  const file = join(temporary(t), 'broken.yaml');
  writeFileSync(file, 'openapi: 3.0.0\ninfo:\n  title: a\n   version: b\n');
  const ran = await runHere('import', 'openapi', file);
  assert.deepEqual([ran.code, ran.out], [1, '']);
  assert.match(ran.err, /broken\.yaml:3:10 error\n {2}This is no YAML: /);
  const missing = await runHere('import', 'openapi', `${file}.json`);
  assert.equal(missing.code, 2);
  const format = await runHere('import', 'raml', file);
  assert.equal(format.code, 2);
});
