import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Plan } from '../../src/plan/step.ts';
import { type Deletion, deletions, documents, shortened, variations, type Whole } from '../fixtures.ts';
import { share } from '../share.ts';

/** How many things a run removes from a document. */
const MOST = 5;

/** What changes a plan and nobody outside the service can meet, each kind with its reason. */
const UNMET: ReadonlyArray<{ readonly kind: string; readonly why: string; readonly without: (plan: Plan) => Plan }> = [
  {
    kind: 'a field that nobody meets',
    why: 'no request holds it, no answer or event shows it, and no expression that decides what is answered reads it',
    without: withoutUnmetFields,
  },
  {
    kind: 'what an outside handler takes',
    why: 'the service hands it over, and no caller meets it',
    without: (plan) => ({ ...plan, handlers: plan.handlers.filter(({ kind }) => kind !== 'outside') }),
  },
  {
    kind: 'how passwords are hashed',
    why: 'hashes never leave the service, and an answer says the same whatever one costs',
    without: (plan) => ({ ...plan, passwords: null }),
  },
];

for (const document of share(documents(), 4).cases) {
  test(`every statement of ${document.name} that is removed changes the contract, or nobody outside can meet it`, () => {
    judge(document, 'statements', deletions(document.text));
  });

  test(`every item of a list in ${document.name} that is removed changes the contract, or nobody outside can meet it`, () => {
    judge(document, 'items', shortened(document.text));
  });

  test(`every number and word of ${document.name} that is another changes the contract, or nobody outside can meet it`, () => {
    const others = variations(document).map(({ text }) => ({ text, ...firstDifference(document.text, text) }));
    judge(document, 'variations', others);
  });
}

/** Each removal that leaves a whole document which runs otherwise: callers meet another service, or it is said why not. */
function judge(document: Whole, kind: string, removals: ReadonlyArray<Omit<Deletion, 'from' | 'to'>>): void {
  const whole = compile(document.name, document.text).plan;
  assert.ok(whole);
  const [runs, met] = [planText(whole), contractText(whole)];
  const { cases, which } = share(removals, MOST, 16);
  const unmet: string[] = [];
  const lost: string[] = [];
  let changed = 0;
  for (const { what, line, text } of cases) {
    const { findings, plan } = compile(document.name, text);
    if (findings.length || !plan || planText(plan) === runs) continue;
    changed++;
    if (contractText(plan) !== met) continue;
    const is = UNMET.find(({ without }) => planText(without(plan)) === planText(without(whole)));
    if (is) unmet.push(`  ${line}: ${what}: ${is.kind}: ${is.why}`);
    else lost.push(`${line}: ${what}`);
  }
  console.log(
    `${document.name}: ${kind} ${cases.length} (${which}): ${changed} change the plan, ${changed - unmet.length - lost.length} of them the contract, ${unmet.length} nothing that can be met`,
  );
  for (const one of unmet) console.log(one);
  assert.deepEqual(lost, []);
}

function planText(plan: Plan): string {
  return JSON.stringify({ ...plan, lines: undefined }, (key, value) => (key === 'line' ? undefined : value));
}

/** What callers can meet, wherever it is written. */
function contractText(plan: Plan): string {
  return JSON.stringify(contractOf(plan), (key, value) => (key === 'lines' ? undefined : value));
}

/** A plan that holds only the fields that stand in its contract. */
function withoutUnmetFields(plan: Plan): Plan {
  const { resources } = contractOf(plan);
  return {
    ...plan,
    resources: plan.resources.map((resource) => {
      const met = new Set(resources.find((one) => one.name === resource.name)?.fields.map((field) => field.name));
      return {
        ...resource,
        columns: resource.columns.filter((column) => met.has(column.name)),
        givings: resource.givings.filter((giving) => met.has(giving.field)),
        order: resource.order.filter((field) => met.has(field)),
      };
    }),
  };
}

/** Where two texts begin to differ. */
function firstDifference(a: string, b: string): Pick<Deletion, 'what' | 'line'> {
  let at = 0;
  while (a[at] === b[at]) at++;
  return { what: `… ${b.slice(Math.max(0, at - 60), at + 30)} …`, line: a.slice(0, at).split('\n').length };
}
