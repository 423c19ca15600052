import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { IN_WHOLE } from '../../test/share.ts';
import { PARTS } from '../plan/parts.ts';
import type { CheckReport } from './check.ts';
import { NOTHING_SHOWN, runHere, runProcess, temporary } from './harness.test.ts';

const ORDERS = fileURLToPath(new URL('../../examples/orders.md', import.meta.url));

test('a complete document has no findings and ends with 0', () => {
  const ran = runProcess(['check', ORDERS]);
  assert.equal(
    ran.out,
    'No findings. 31 items: 31 stated, 0 none, 0 not shown; 10 endpoints, 10 settled.\n' +
      'A request was found for all 10 endpoints, 5 transitions, 3 events and 7 codes.\n',
  );
  assert.equal(ran.err, '');
  assert.equal(ran.code, 0);
});

test('a document that states nothing has its 31 items as questions, a paragraph a part, and ends with 1', () => {
  const ran = runProcess(['check', '-'], { input: NOTHING_SHOWN });
  assert.equal(ran.code, 1);
  assert.equal(ran.err, '');
  const heads = ran.out.split('\n').filter((line) => line.startsWith('<stdin>:'));
  assert.equal(heads.length, 9);
  assert.equal(ran.out.split('Replace each sentence that ends in “: not shown.”').length, 2);
  assert.equal(heads[0], '<stdin>:5:1 2 questions purpose');
  assert.equal(heads[2], '<stdin>:13:1 2 questions states');
  assert.match(ran.out, /\n {2}Scopes: Which scopes can credentials have\?\n/);
  assert.match(
    ran.out,
    /\nMore may be asked once these are answered\.\n31 items: 0 stated, 0 none, 31 not shown; 0 endpoints, 0 settled; 0 errors, 31 questions\.\n$/,
  );
});

test('sentences of the form are named only where the document has some', async (t) => {
  const file = join(temporary(t), 'orders.md');
  const orders = readFileSync(ORDERS, 'utf8');
  const policy = /^- Deprecation policy: .*\n/m;
  assert.match(orders, policy);
  const told = async (policyLine: string): Promise<string> => {
    writeFileSync(file, orders.replace(policy, policyLine));
    return (await runHere('check', '--no-try', file)).out.split('\n')[0]!;
  };
  assert.match(await told('- Deprecation policy: a deprecated version answers for 30 days\n'), /orders\.md:\d+:\d+ /);
  assert.match(await told(''), /orders\.md:\d+:\d+ question versioning\/deprecation-policy$/);
  assert.match(
    await told('\nDeprecation policy: not shown.\n\n'),
    /^Replace each sentence that ends in “: not shown.”/,
  );
});

test('--json gives the 31 items with their parts’ headings, and every finding with its place', () => {
  const ran = runProcess(['check', '--json', '-'], { input: NOTHING_SHOWN });
  assert.equal(ran.code, 1);
  const report = JSON.parse(ran.out) as CheckReport;
  assert.deepEqual(Object.keys(report), ['document', 'items', 'endpoints', 'findings', 'notices', 'more', 'tried']);
  assert.equal(report.document, '<stdin>');
  assert.equal(report.items.length, 31);
  assert.deepEqual(
    [...new Set(report.items.map((item) => item.part))],
    PARTS.map(([, heading]) => heading),
  );
  assert.deepEqual(report.items[16], { part: 'Authentication', item: 'scopes', state: 'not shown', line: 21 });
  assert.equal(report.findings.length, 31);
  assert.deepEqual(report.findings[8], {
    code: 'states/transitions',
    severity: 'question',
    message: 'Transitions (States and transitions): not shown. Which transitions lead from one state to another?',
    why: 'Ninefold has no defaults.',
    suggestion: '- States: none',
    edits: [
      { from: 194, to: 238, text: '\n\n- States: none' },
      { from: 215, to: 238, text: 'Transitions: none.' },
    ],
    related: [],
    line: 13,
    column: 20,
    endLine: 13,
    endColumn: 43,
  });
});

test('what is no document is said to be none, in one sentence with what to do', async (t) => {
  const file = join(temporary(t), 'file.md');
  const told = async (text: string): Promise<string[]> => {
    writeFileSync(file, text);
    return (await runHere('check', file)).out.split('\n').slice(0, 2);
  };
  const openapi = await told('openapi: 3.1.0\ninfo:\n  title: Shop\n');
  assert.equal(openapi[0], `${file}:1:1 error document/openapi`);
  assert.match(openapi[1]!, /^ {2}This is a description in OpenAPI 3\.1\.0\. `ninefold import openapi FILE` /);
  assert.match((await told('{"swagger": "2.0", "paths": {}}'))[1]!, /^ {2}This is a description in Swagger 2\.0\./);
  assert.match((await told('[1, 2]'))[1]!, /^ {2}This is JSON, /);
  assert.match((await told('name: shop\nroutes:\n  - orders\n'))[1]!, /^ {2}This is YAML, /);
  assert.match(
    (await told('# A\n\n## User Scenarios & Testing\n\n## Requirements\n'))[1]!,
    /: it is a feature specification of Spec Kit\./,
  );
  assert.match((await told('# A\n\n## Purpose\n\n## Requirements\n'))[1]!, /: it is a specification of OpenSpec\./);
  assert.match((await told('# A\n\n## Endpoint\n\n## Requirements\n'))[0]!, / error language\/unknown$/);
  assert.match((await told('[A list](x) of orders\n\n## Endpoints\n'))[0]!, / question document\/title$| questions /);
});

test('--fix mends what is misspelt, says so, writes the document, and answers no question', async (t) => {
  const file = join(temporary(t), 'orders.md');
  const orders = readFileSync(ORDERS, 'utf8');
  const asked = orders.replace('- Text: trimmed\n', '');
  writeFileSync(file, asked.replace('- Initial: draft', '- Inital: draft'));
  const ran = await runHere('check', '--no-try', '--fix', file);
  assert.equal(ran.code, 1);
  assert.match(ran.err, /orders\.md:\d+: “Inital” became “Initial” \(language\/unknown\)\n1 error mended\.\n$/);
  assert.match(ran.out, / question resources\/part\n/);
  assert.equal(readFileSync(file, 'utf8'), asked);
  const again = await runHere('check', '--no-try', '--fix', file);
  assert.match(again.err, /^Nothing was mended\.\n$/);
});

test('--fix keeps line ends, a byte order mark and a link', async (t) => {
  const folder = temporary(t);
  const [file, link] = [join(folder, 'orders.md'), join(folder, 'link.md')];
  const orders = readFileSync(ORDERS, 'utf8').replaceAll('\n', '\r\n');
  writeFileSync(file, `\uFEFF${orders.replace('- Initial: draft', '- Inital: draft')}`);
  symlinkSync(file, link);
  assert.equal((await runHere('check', '--no-try', '--fix', link)).code, 0);
  assert.equal(readFileSync(file, 'utf8'), `\uFEFF${orders}`);
  assert.ok(lstatSync(link).isSymbolicLink());
});

test('--fix gives the mended document on standard output where it came from standard input', () => {
  const orders = readFileSync(ORDERS, 'utf8');
  const ran = runProcess(['check', '--no-try', '--fix', '-'], { input: orders.replace('Final:', 'Finla:') });
  assert.equal(ran.code, 0);
  assert.equal(ran.out, orders);
  assert.match(ran.err, /“Finla” became “Final”[\s\S]*1 error mended\.\nNo findings\./);
});

test('a notice is shown, keeps nothing from being served, and is gone once the document says it', async (t) => {
  const file = join(temporary(t), 'orders.md');
  const orders = readFileSync(ORDERS, 'utf8');
  const counted = orders
    .replace(/^(\| note .*)$/m, '$1\n| n | integer | | | sequence | | |')
    .replace('- Shown: id, customer as id, sku', '- Shown: id, n, customer as id, sku');
  writeFileSync(file, counted);
  const ran = await runHere('check', '--no-try', file);
  assert.equal(ran.code, 0);
  assert.match(ran.out, /^\S+orders\.md:\d+:3 notice resources\/sequence-tells\n/);
  assert.match(ran.out, /\nNo findings\. .* 10 settled; 1 notice\.\n/);
  const report = JSON.parse((await runHere('check', '--no-try', '--json', file)).out) as CheckReport;
  assert.deepEqual(
    report.notices.map(({ code, severity, suggestion }) => [code, severity, suggestion]),
    [['resources/sequence-tells', 'notice', null]],
  );
  assert.deepEqual(report.findings, []);
});

test('--json says of each endpoint whether it is settled', async () => {
  const ran = await runHere('check', '--no-try', '--json', ORDERS);
  const report = JSON.parse(ran.out) as CheckReport;
  assert.equal(ran.code, 0);
  assert.equal(report.document, ORDERS);
  assert.deepEqual(report.endpoints[0], { endpoint: 'POST /orders', settled: true, questions: [] });
  assert.deepEqual(report.findings, []);
});

test('--json names what concerns every endpoint once for each code, and what no line says where the document begins', async (t) => {
  const file = join(temporary(t), 'two.md');
  writeFileSync(file, '# T\n\n## Endpoints\n\n- Foo: a\n- Access: anyone\n- Bar: b\n\n### `GET /a`\n\n### `GET /b`\n');
  const report = JSON.parse((await runHere('check', '--json', file)).out) as CheckReport;
  assert.equal(report.endpoints.length, 2);
  for (const { settled, questions } of report.endpoints) {
    assert.equal(settled, false);
    assert.deepEqual(
      questions.filter(({ code }) => code === 'language/unknown'),
      [{ code: 'language/unknown', line: 5 }],
    );
  }
  const unplaced = report.findings.find(({ code }) => code === 'limits/rate-limits');
  assert.deepEqual([unplaced?.line, unplaced?.column, unplaced?.endLine, unplaced?.endColumn], [1, 3, 1, 4]);
});

test('columns count UTF-16 units, and a byte order mark is none', async (t) => {
  const file = join(temporary(t), 'file.md');
  writeFileSync(file, '\uFEFF# 😀\r\n\r\n## Limits\r\n\r\n😀 Rate limits: not shown.\r\n');
  const report = JSON.parse((await runHere('check', '--json', file)).out) as CheckReport;
  const finding = report.findings.find(({ code }) => code === 'limits/rate-limits')!;
  assert.deepEqual([finding.line, finding.column, finding.endLine, finding.endColumn], [5, 1, 5, 27]);
});

test('a file that can’t be read is wrong use, and says why', async (t) => {
  const folder = temporary(t);
  writeFileSync(join(folder, 'orders.md'), '# T\n');
  writeFileSync(join(folder, 'latin.md'), Buffer.from('# T\n\ncaf\xE9\n', 'latin1'));
  writeFileSync(join(folder, 'large.md'), Buffer.alloc((24 << 20) + 1, 'a'));
  mkdirSync(join(folder, 'docs'));
  const cases: ReadonlyArray<readonly [string, RegExp]> = [
    ['nothing-like-it.md', /^error: there is no file “.*nothing-like-it\.md”\.\n$/],
    ['ordrs.md', /^error: there is no file “.*ordrs\.md”: did you mean “.*\/orders\.md”\?\n$/],
    ['docs', /^error: “.*docs” is a directory\. A document is one file\.\n$/],
    ['latin.md', /^error: “.*latin\.md” is not UTF-8 text \(the first wrong byte is in line 3\)\.\n$/],
    ['large.md', /^error: “.*large\.md” is longer than 24 MiB, and a document has at most 8,388,608 characters\.\n$/],
  ];
  for (const [name, message] of cases) {
    const ran = await runHere('check', '--json', join(folder, name));
    assert.match(ran.err, message);
    assert.equal(ran.out, '');
    assert.equal(ran.code, 2);
  }
});

test('wrong use ends with 2, names the nearest word, and says where help is', async () => {
  const cases: ReadonlyArray<readonly [string[], RegExp]> = [
    [['chek', 'x.md'], /unknown command 'chek'\n\(Did you mean check\?\)\n`ninefold --help`/],
    [['check', '--jsn', 'x.md'], /unknown option '--jsn'\n\(Did you mean --json\?\)\n`ninefold check --help`/],
    [['check'], /missing required argument 'FILE'/],
    [['check', 'a.md', 'b.md'], /too many arguments/],
    [[], /Usage: ninefold COMMAND/],
  ];
  for (const [args, message] of cases) {
    const ran = await runHere(...args);
    assert.match(ran.err, message);
    assert.equal(ran.out, '');
    assert.equal(ran.code, 2);
  }
  assert.equal(runProcess(['chek']).code, 2);
});

test('help and the version are printed to standard output and end with 0', async () => {
  const cases: ReadonlyArray<readonly [string[], RegExp]> = [
    [['--help'], /Commands:\n {2}init .*\n {2}check .*[\s\S]*Exit codes:/],
    [['check', '--help'], /Usage: ninefold check .*[\s\S]*--json[\s\S]*Examples:/],
    [['init', '--help'], /Usage: ninefold init .*[\s\S]*--force[\s\S]*Examples:/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ];
  for (const [args, text] of cases) {
    const ran = await runHere(...args);
    assert.match(ran.out, text);
    assert.equal(ran.err, '');
    assert.equal(ran.code, 0);
  }
});

test('the list of commands, which loads none of them, says of each what it takes', async () => {
  const listed = await runHere('--help');
  const loaded = await runHere('help');
  assert.equal(listed.out, loaded.out);
});

const NOTES = fileURLToPath(new URL('../../docs/documents/notes.md', import.meta.url));

/** A code that no request is refused with, and an endpoint that takes none: their conditions cannot hold, and no rule says so. */
const DEAD = readFileSync(NOTES, 'utf8')
  .replace(
    '2. Answer 200 with `note`.',
    '2. Require `note.created <= now()`, else too_new.\n3. Answer 200 with `note`.',
  )
  .replace(
    '### `GET /notes`\n',
    `### \`GET /notes/{id}/preview\`

| Parameter | In   | Type    | Allowed values | Presence | Otherwise      |
| --------- | ---- | ------- | -------------- | -------- | -------------- |
| id        | path | Note.id | any            | always   | note_not_found |

1. Find \`note\`: Note where \`id == path.id && created > now()\`, else note_not_found.
2. Answer 200 with \`note\`.

### \`GET /notes\`
`,
  )
  .replace(/(\| note_not_found \| 404 .*\n)/, '$1| too_new | 409 | a step says so | Too new |\n');

const lineOf = (text: string): number => DEAD.split('\n').findIndex((line) => line.startsWith(text)) + 1;

test('what no request leads to is named with its line, and is no finding', IN_WHOLE, async (t) => {
  const file = join(temporary(t), 'notes.md');
  writeFileSync(file, DEAD);
  const [endpoint, code] = [lineOf('### `GET /notes/{id}/preview`'), lineOf('| too_new ')];
  const first = await runHere('check', file);
  assert.equal(first.code, 0);
  assert.equal(
    first.out,
    `No findings. 31 items: 17 stated, 14 none, 0 not shown; 4 endpoints, 4 settled.
A request was found for 3 of 4 endpoints and 1 of 2 codes.
No request was found for these. One may exist: this is a search, and no proof.
  ${file}:${endpoint} GET /notes/{id}/preview took no request.
  ${file}:${code} No request was refused with too_new.
`,
  );
});

test('--json names what no request leads to', IN_WHOLE, async (t) => {
  const file = join(temporary(t), 'notes.md');
  writeFileSync(file, DEAD);
  const { tried } = JSON.parse((await runHere('check', '--json', file)).out) as CheckReport;
  assert.deepEqual(tried?.endpoints, { found: 3, of: 4 });
  assert.deepEqual(tried?.transitions, { found: 0, of: 0 });
  assert.deepEqual(tried?.missing, [
    { kind: 'endpoint', name: 'GET /notes/{id}/preview', line: lineOf('### `GET /notes/{id}/preview`') },
    { kind: 'code', name: 'too_new', line: lineOf('| too_new ') },
  ]);
});

test('--no-try looks for no requests, and a document with findings is not tried', async (t) => {
  const file = join(temporary(t), 'notes.md');
  writeFileSync(file, DEAD);
  const untried = await runHere('check', '--no-try', file);
  assert.match(untried.out, /^No findings\. .*\n$/);
  assert.equal((JSON.parse((await runHere('check', '--no-try', '--json', file)).out) as CheckReport).tried, null);
  writeFileSync(file, DEAD.replace('- HEAD: as GET\n', ''));
  const open = await runHere('check', file);
  assert.equal(open.code, 1);
  assert.doesNotMatch(open.out, /A request was found/);
});
