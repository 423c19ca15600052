import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { printed } from '../../src/compiler/print.ts';
import { AUTHENTICATION, SCHEME } from '../../src/language/authentication.ts';
import { ENDPOINT, ENDPOINTS, PARAMETER } from '../../src/language/endpoints.ts';
import { STREAM, WEBHOOK } from '../../src/language/events.ts';
import type { AnyGrammar, Grammar } from '../../src/language/grammar.ts';
import { HANDLER } from '../../src/language/handlers.ts';
import { FIELD, RESOURCE } from '../../src/language/resources.ts';
import { MACHINE, TRANSITION } from '../../src/language/states.ts';
import { formOf, VERBS } from '../../src/language/steps.ts';
import { ALLOWED, TYPE } from '../../src/language/values.ts';
import { type Notes, Phrase } from '../../src/syntax/phrase.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { readCases } from '../cases.ts';
import { makeDocument } from '../differential/document/make.ts';
import { RANDOM_DOCUMENTS } from '../frozen/corpus.ts';
import { SEED, share } from '../share.ts';
import { isUnderstood, mustPrint, mustPrintModel } from './printing.ts';

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

const accepted = ({ text }: Sample): boolean => compile('t.md', text).findings.length === 0;

test('each example prints as a document with the same model, and printing it again changes nothing', () => {
  assert.ok(EXAMPLES.length > 0);
  for (const { name, text } of EXAMPLES) mustPrint(name, text);
});

test('each case without findings prints as a document with the same model', () => {
  const taken = share(CASES, 6, 8).cases.filter(accepted);
  assert.ok(taken.length > 0);
  for (const { name, text } of taken) mustPrint(name, text);
});

const RANDOM: readonly Sample[] = Array.from({ length: RANDOM_DOCUMENTS }, (_, i) => ({
  name: `random document ${i}`,
  get text() {
    return makeDocument(Random.of(SEED, i));
  },
}));

test('random documents print as documents with the same model, and their models alone too', () => {
  for (const { name, text } of share(RANDOM, 3, 10).cases) {
    mustPrint(name, text);
    mustPrintModel(name, text);
  }
});

const ALL = [...EXAMPLES, ...CASES];
/** Texts of statements that few documents have, so that a share of the documents might have none. */
const RARE = ['- Hears of', '\n#### When', '| Payload ', 'Differs from', '- Description:', 'any number of requests'];

test('the model of each example and of each case alone prints as a document with the same model and questions', () => {
  const rare = RARE.flatMap((part) => ALL.find(({ text }) => text.includes(part) && isUnderstood(text)) ?? []);
  assert.equal(rare.length, RARE.length);
  const taken = [...share(EXAMPLES, 6).cases, ...share(CASES, 6, 16).cases, ...rare].filter(({ text }) =>
    isUnderstood(text),
  );
  for (const { name, text } of taken) mustPrintModel(name, text);
});

test('bars, backslashes and backticks of free text in cells print as they are', () => {
  const orders = readFileSync(join(ROOT, 'examples', 'orders.md'), 'utf8');
  for (const cell of ['read their own orders', 'No such order']) {
    assert.ok(orders.includes(cell));
    mustPrintModel(
      cell,
      orders.replace(cell, () => 'one \\| two `x\\|y`  \\\\ _three_'),
    );
  }
});

/** Values whose printed form is easily wrong, each with that form; none where it is the same. */
const VALUES: ReadonlyArray<readonly [grammar: AnyGrammar, text: string, printed?: string]> = [
  [ALLOWED, 'one of .5, :a, b c, each'],
  [ALLOWED, '-0.50 to 0.05'],
  [ALLOWED, '-0.00 to 12.30', '0.00 to 12.30'],
  [ALLOWED, '-PT90M to P1W', '-PT1H30M to P7D'],
  [ALLOWED, '1,000 to 20,000', '1000 to 20000'],
  [ALLOWED, '0 to 80 characters', 'at most 80 characters'],
  [ALLOWED, '`` /`|\\d/ ``', '``/`|\\d/``'],
  [
    ALLOWED,
    '0 to 5 items, keys one of a, b, each 1 to 2 items, each `/x/`',
    'at most 5 items, keys one of a, b, each 1 to 2 items, each `/x/`',
  ],
  [TYPE, 'map of list of set of string'],
  [FIELD['Given by'].value, 'request, else `"a"`; on change `now()`'],
  [RESOURCE.Shown.value, 'never'],
  [RESOURCE.Unique.value, 'a and b ignoring case and c while `d`'],
  [RESOURCE['No overlap'].value, '`a` to `b`, else late'],
  [MACHINE.Final.value, 'none'],
  [TRANSITION.When.value, 'at `starts`'],
  [TRANSITION.When.value, '60 minutes after `starts`', '1 hour after `starts`'],
  [TRANSITION.When.value, '1 day after place'],
  [SCHEME.Header.value, '`X-API-Key: {token}`'],
  [
    SCHEME['Browser origins'].value,
    '`https://a.example`, `https://b.example`, with credentials, preflight kept 60 minutes, showing headers ETag, Link',
    '`https://a.example`, `https://b.example`, with credentials, preflight kept 1 hour, showing headers ETag, Link',
  ],
  [SCHEME.Caller.value, 'Customer'],
  [SCHEME.Scopes.value, 'in claim `roles`, as a list'],
  [SCHEME.Lifetime.value, '1 hour'],
  [ENDPOINT.Request.value, 'orders: list of Order with sku, at most 50 items'],
  [ENDPOINT.Request.value, 'orders: list of Order with sku'],
  [ENDPOINT.Sort.value, 'created by `created_at`, title by `title`'],
  [
    ENDPOINTS.Description.value,
    'OpenAPI 3.1 at `/a` for any Customer with every endpoint, AsyncAPI 3.1 at `/b` for docs:read, OpenAPI 3.2 at `/c` with what the caller may call',
  ],
  [HANDLER['Fails with'].value, 'none'],
];

test('a value prints in the form of the language, which reads as the same value', () => {
  for (const [grammar, text, form = text] of VALUES) {
    const once = printedValue(grammar as Grammar<unknown>, text);
    assert.equal(once, form);
    assert.equal(printedValue(grammar as Grammar<unknown>, once), form);
  }
});

test('each text that shows how a bullet or a cell is written prints as it is', () => {
  for (const statements of [AUTHENTICATION, SCHEME, ENDPOINTS, ENDPOINT, HANDLER, PARAMETER, WEBHOOK, STREAM, RESOURCE])
    for (const { value } of Object.values<{ readonly value: AnyGrammar }>(statements))
      for (const sample of value.samples)
        assert.equal(printedValue(value as Grammar<unknown>, sample), sample.replace('24 hours', '1 day'));
});

function printedValue(grammar: Grammar<unknown>, text: string): string {
  const notes: Notes = { findings: [], marks: [] };
  const phrase = new Phrase({ source: text, from: 0, to: text.length, inTable: false }, notes);
  const value = grammar.read(phrase);
  assert.ok(phrase.end());
  assert.deepEqual(notes.findings, []);
  return grammar.print(value);
}

/** A step as it is printed. */
const printedStep = (step: string): string | undefined =>
  printed(`# T\n\n## Endpoints\n\n### \`GET /t\`\n\n1. ${step}\n`).split('\n1. ')[1]?.trimEnd();

for (const verb of VERBS)
  test(`the form of ${verb} is understood, and prints as it is, whatever space is in it`, () => {
    const form = formOf(verb);
    assert.equal(printedStep(form), form);
    const apart = form.split('`').map((part, i) => (i % 2 === 0 ? part.replaceAll(' ', '   ') : part));
    assert.equal(printedStep(apart.join('`')), form);
  });

test('steps that are written in two ways print in one', () => {
  const steps = [
    ['Find `x`: Order where `id == 1` or none.', 'Find `x`: Order where `id == 1`, or none.'],
    ['Run f with a `1`,\n   b `x[","]`, giving `y`.', 'Run f with a `1`, b `x[","]`, giving `y`.'],
    [
      'Answer 201 with a:  `1`  as Short,  b:`2` and header Vary  `"A"`.',
      'Answer 201 with a: `1` as Short, b: `2` and header Vary `"A"`.',
    ],
    ['Answer  204 .', 'Answer 204.'],
    ['Revoke the  My Key sent.', 'Revoke the My Key sent.'],
  ] as const;
  for (const [written, one] of steps) assert.equal(printedStep(written), one);
});
