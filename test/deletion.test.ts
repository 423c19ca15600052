import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Compiled, compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { type Deletion, deletions, documents, example, opened, shortened, type Whole } from './fixtures.ts';
import { share } from './share.ts';
import { documentText } from './subject.ts';

/** How many things a run removes from a document: what is left is compiled for each. */
const MOST = 4;

/** Further documents: with lists and sets of references, two fields with states, forms, HTTP Basic, and a schedule. */
const OF_CASES: readonly Whole[] = [
  { name: 'tags.md', text: documentText('src/compiler/resources/cases/documents/tags.md') },
  { name: 'parcels.md', text: documentText('src/compiler/states/cases/documents/parcels.md') },
  { name: 'forms.md', text: documentText('src/compiler/endpoints/cases/documents/forms.md') },
  { name: 'readings.md', text: documentText('docs/documents/readings.md') },
  { name: 'articles.md', text: documentText('docs/documents/articles.md') },
  { name: 'nightly-job.md', text: documentText('docs/recipes/nightly-job.md') },
];

for (const document of [...documents(), ...OF_CASES]) {
  test(`every statement of ${document.name} that is removed is missed, or the document is complete without it`, () => {
    judge(document, 'statements', deletions(document.text));
  });

  test(`every item of a list in ${document.name} that is removed is missed, or the document is complete without it`, () => {
    judge(document, 'items', shortened(document.text));
  });
}

for (const document of [...documents(), ...OF_CASES, ...['accounts', 'blog', 'catalogue'].map(quoted)])
  test(`what ${document.name} leaves open, in a part, a section or a table, is asked, and nothing follows from it`, () => {
    const { cases, which } = share(opened(document.text), MOST, 4);
    for (const { what, text } of cases) judgePresumptions(what, compile(document.name, text));
    console.log(`${document.name}: left open ${cases.length} (${which})`);
  });

function quoted(name: string): Whole {
  return { name: `${name}.md`, text: example(name) };
}

/** Errors of the text that is left, whatever is answered. */
const OF_THE_TEXT: readonly RegExp[] = [
  /^language\/empty-table /,
  // With all bullets of a section went a view that is used, or the only Access with a scope, and other bullets are asked for.
  /^language\/unknown-name There is no view of /,
  /^authentication\/scope-unused /,
  // With all bullets of an endpoint went those that it states in place of the part’s.
  /^endpoints\/issue-kept /,
  /^expression\/mismatch “==” takes an Invitation, /,
];

/**
 * The document had no findings before the removal. So what was removed answers every question, and every error is gone
 * with it: an error beside a question takes the open fact as stated absent.
 */
function judgePresumptions(what: string, { findings }: Compiled): void {
  if (!findings.some(({ severity }) => severity === 'question')) return;
  const presuming = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`)
    .filter((text) => !OF_THE_TEXT.some((pattern) => pattern.test(text)));
  assert.deepEqual(presuming, [], `without ${what}`);
}

/** Each removal is reported, or what remains is complete and runs otherwise: nothing is accepted and ignored. */
function judge(document: Whole, kind: string, removals: readonly Deletion[]): void {
  const whole = planText(compile(document.name, document.text).plan);
  const complete: string[] = [];
  const ignored: string[] = [];
  const { cases, which } = share(removals, MOST, 8);
  for (const { what, line, text } of cases) {
    const compiled = compile(document.name, text);
    const { findings, plan } = compiled;
    judgePresumptions(`${line}: ${what}`, compiled);
    if (findings.length) continue;
    complete.push(`${line}: ${what}`);
    if (planText(plan) === whole) ignored.push(`${line}: ${what}`);
  }
  const reported = cases.length - complete.length;
  console.log(
    `${document.name}: ${kind} removed ${cases.length} (${which}): reported ${reported}, complete without ${complete.length}, ignored ${ignored.length}`,
  );
  for (const one of complete) console.log(`  ${one}`);
  assert.deepEqual(ignored, []);
  assert.ok(reported > 0);
}

/** What will run, wherever it is written. */
function planText(plan: Plan | null): string {
  assert.ok(plan, 'nothing is asked, so something has to be served');
  return JSON.stringify({ ...plan, lines: undefined }, (key, value) => (key === 'line' ? undefined : value));
}
