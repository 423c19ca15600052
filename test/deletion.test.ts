import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { type Deletion, deletions, documents, shortened, type Whole } from './fixtures.ts';
import { share } from './share.ts';

/** How many things a run removes from a document: what is left is compiled for each. */
const MOST = 6;

for (const document of documents()) {
  test(`every statement of ${document.name} that is removed is missed, or the document is complete without it`, () => {
    judge(document, 'statements', deletions(document.text));
  });

  test(`every item of a list in ${document.name} that is removed is missed, or the document is complete without it`, () => {
    judge(document, 'items', shortened(document.text));
  });
}

/** Each removal is reported, or what remains is complete and runs otherwise: nothing is accepted and ignored. */
function judge(document: Whole, kind: string, removals: readonly Deletion[]): void {
  const whole = planText(compile(document.name, document.text).plan);
  const complete: string[] = [];
  const ignored: string[] = [];
  const { cases, which } = share(removals, MOST, 4);
  for (const { what, line, text } of cases) {
    const { findings, plan } = compile(document.name, text);
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
