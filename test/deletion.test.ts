import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { type Deletion, deletions, example, shortened } from './fixtures.ts';

const orders = example('orders');
const whole = planText(compile('orders.md', orders).plan);

test('every statement of orders.md that is removed is missed, or the document is complete without it', () => {
  judge('statements', deletions(orders));
});

test('every item of a list in orders.md that is removed is missed, or the document is complete without it', () => {
  judge('items', shortened(orders));
});

/** Each removal is reported, or what remains is complete and runs otherwise: nothing is accepted and ignored. */
function judge(kind: string, removals: readonly Deletion[]): void {
  const complete: string[] = [];
  const ignored: string[] = [];
  for (const { what, line, text } of removals) {
    const { findings, plan } = compile('orders.md', text);
    if (findings.length) continue;
    complete.push(`${line}: ${what}`);
    if (planText(plan) === whole) ignored.push(`${line}: ${what}`);
  }
  const reported = removals.length - complete.length;
  console.log(`${kind} removed ${removals.length}: reported ${reported}, complete without ${complete.length}`);
  for (const one of complete) console.log(`  ${one}`);
  assert.deepEqual(ignored, []);
  assert.ok(reported > 0 && complete.length > 0);
}

/** What will run, wherever it is written. */
function planText(plan: Plan | null): string {
  assert.ok(plan, 'nothing is asked, so something has to be served');
  return JSON.stringify(plan, (key, value) => (key === 'line' ? undefined : value));
}
