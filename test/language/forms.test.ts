import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { BULLETS, type BulletPlace } from '../../src/language/bullets.ts';
import { type Forms, TABLES } from '../../src/language/columns.ts';
import { LIMITS } from '../../src/language/limits.ts';
import { keysOf } from '../../src/text/own-members.ts';
import { mustPrint } from './printing.ts';

/** Where the bullets of a place stand in a document. */
const UNDER: Readonly<Record<BulletPlace, string>> = {
  purpose: '## What the service does',
  resources: '## Resources and their fields',
  resource: '## Resources and their fields\n\n### Order',
  states: '## States and transitions',
  machine: '## States and transitions\n\n### Order.status',
  endpoints: '## Endpoints',
  endpoint: '## Endpoints\n\n### `POST /orders`',
  handler: '## Endpoints\n\n### Handler price',
  schedule: '## Endpoints\n\n### Schedule nightly',
  authentication: '## Authentication',
  scheme: '## Authentication\n\n### Key',
  events: '## Events',
  webhook: '## Events\n\n### Webhook',
  stream: '## Events\n\n### Stream',
  errors: '## Errors',
  limits: '## Limits',
  versioning: '## Versioning',
};

/** Names that a key takes. */
const NAMED: Readonly<Record<string, string>> = {
  'Derived ': 'Derived total',
  'Shown as ': 'Shown as Short',
  'Hears of ': 'Hears of Order',
  'Visible of ': 'Visible of report.ready',
};

/** A part of a document is understood, but for names that it does not declare, and it prints as the same. */
function mustRead(part: string, form: string): void {
  const text = `# T\n\n${part}\n`;
  assert.deepEqual(misread(text), [], form);
  mustPrint(form, text);
}

/** What is not understood of a document. */
const misread = (text: string): string[] =>
  compile('t.md', text).findings.flatMap(({ effects, message }) =>
    effects.includes('hides a statement') ||
    effects.includes('misplaces a statement') ||
    effects.includes('hides cells')
      ? message
      : [],
  );

for (const place of keysOf(BULLETS))
  test(`the forms of the bullets under ${UNDER[place].split('\n').at(-1)} are understood, and print`, () => {
    const forms: Readonly<Record<string, Forms>> = BULLETS[place];
    for (const [key, values] of Object.entries(forms))
      for (const value of values) {
        const bullet = `- ${NAMED[key] ?? key}: ${value}`;
        mustRead(`${UNDER[place]}\n\n${bullet}`, bullet);
      }
  });

/** Where the tables stand, with rows of which one cell at a time is tried. */
const TABLE_UNDER: Readonly<Record<keyof typeof TABLES, string>> = {
  field: UNDER.resource,
  transition: UNDER.machine,
  parameter: UNDER.endpoint,
  takes: UNDER.handler,
  gives: UNDER.handler,
  scope: UNDER.scheme,
  claim: UNDER.scheme,
  event: UNDER.events,
  error: UNDER.errors,
  payload: UNDER.errors,
  limit: UNDER.limits,
  version: UNDER.versioning,
};

for (const name of keysOf(TABLES).filter((one) => one !== 'limit'))
  test(`the forms of the cells of a table of ${name} are understood, and print`, () => {
    const table: Readonly<Record<string, Forms>> = TABLES[name];
    const columns = Object.keys(table);
    const heads = name === 'payload' ? ['Payload Failure', ...columns.slice(1)] : columns;
    for (const [column, values] of Object.entries(table))
      for (const value of values) {
        const cells = columns.map((one) =>
          (one === column ? value : (table[one]![0] ?? 'text')).replaceAll('|', '\\|'),
        );
        const rows = [heads, heads.map(() => '---'), cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
        mustRead(`${TABLE_UNDER[name]}\n\n${rows}`, `${column}: ${value}`);
      }
  });

test('the forms of the rows of limits are understood, and print', () => {
  const head = '| Limit | Value | Applies to |\n| --- | --- | --- |';
  assert.deepEqual(TABLES.limit.Limit, keysOf(LIMITS));
  for (const [limit, { value: values, at }] of Object.entries(LIMITS))
    for (const value of values.samples)
      for (const where of at.samples) {
        // Only addresses without a caller may send any number of requests.
        if (value === 'any number of requests' && !where.startsWith('each address without')) continue;
        const row = `| ${limit} | ${value} | ${where} |`;
        mustRead(`${UNDER.limits}\n\n${head}\n${row}`, row);
      }
});

test('cells of columns of the document’s own are understood, and print', () => {
  const payload = '| Payload Failure | Type | Value |\n| --- | --- | --- |\n| help | string | `error.help_page` |';
  const head = '| Code | Status | When | Title | Help page |\n| --- | --- | --- | --- | --- |';
  for (const cell of ['none', 'https://example.com/help', 'a \\| b', 'none of these', '`none`'])
    mustRead(`${UNDER.errors}\n\n${payload}\n\n${head}\n| gone | 410 | a step says so | Gone | ${cell} |`, cell);
});
