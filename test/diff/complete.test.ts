import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { compareCallers, UNNAMED_DIFFERENCE } from '../../src/diff/callers.ts';
import type { MergedDifference } from '../../src/diff/merge.ts';
import type { Plan } from '../../src/plan/step.ts';
import { same, shapeOf } from '../../src/store/shape.ts';
import { deletions, documents, shortened, variations, type Whole } from '../fixtures.ts';
import { tablesOf } from '../migration/tables.ts';
import { share } from '../share.ts';

const NOTHING = { fields: new Map<string, string>(), resources: new Map<string, string>() };
const planOf = ({ name, text }: Whole): Plan | null => {
  const { plan, findings } = compile(name, text);
  return findings.length ? null : plan;
};

/** What callers can meet, wherever it is written. */
const contractText = (plan: Plan): string =>
  JSON.stringify(contractOf(plan), (key, part: unknown) => (key === 'lines' ? undefined : part));

/** How many documents a run compares with each whole one. */
const MOST = 6;

for (const document of share(documents(), 4).cases) {
  test(`whatever is removed from or changed in ${document.name} that callers can meet is told, both ways`, (t) => {
    const whole = planOf(document);
    assert.ok(whole);
    const all = [...deletions(document.text), ...shortened(document.text), ...variations(document)];
    const { cases, which } = share(all, MOST, 20);
    const silent: string[] = [];
    let [told, alike, lines] = [0, 0, 0];
    for (const other of cases) {
      const plan = planOf({ name: document.name, text: other.text });
      if (!plan) continue;
      const met = contractText(whole) !== contractText(plan);
      const found: MergedDifference[][] = [compareCallers(whole, plan, NOTHING), compareCallers(plan, whole, NOTHING)];
      for (const one of found) {
        const what = firstDifference(document.text, other.text);
        if (met && (one.length === 0 || one.some(({ text }) => text === UNNAMED_DIFFERENCE))) silent.push(what);
        if (!met) assert.deepEqual(one, [], what);
        assert.ok(
          one.every(({ at, text, reason }) => at && reason && !/undefined|\[object/.test(text)),
          JSON.stringify(one),
        );
        assert.equal(
          new Set(one.map(({ at, text }) => `${at}: ${text}`)).size,
          one.length,
          'each line stands there once',
        );
        lines += one.length;
      }
      if (met) told++;
      else alike++;
    }
    assert.deepEqual(silent, []);
    assert.deepEqual(compareCallers(whole, whole, NOTHING), []);
    t.diagnostic(
      `${cases.length} documents (${which}): ${told} told apart, in ${lines} lines both ways; ${alike} with the same contract`,
    );
  });

  test(`the tables of ${document.name} become those of whatever is removed from or changed in it`, (t) => {
    const whole = planOf(document);
    assert.ok(whole);
    const all = [...deletions(document.text), ...shortened(document.text), ...variations(document)];
    const { cases, which } = share(all, 2, 16);
    const fresh = tablesOf(whole, null).schema;
    let shapes = 0;
    for (const other of cases) {
      const plan = planOf({ name: document.name, text: other.text });
      if (!plan || same(shapeOf(whole), shapeOf(plan))) continue;
      assert.deepEqual(tablesOf(plan, whole).schema, tablesOf(plan, null).schema, other.text);
      assert.deepEqual(tablesOf(whole, plan).schema, fresh, other.text);
      shapes++;
    }
    t.diagnostic(`${cases.length} documents (${which}): ${shapes} whose rows are others`);
  });
}

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  return `${a.slice(Math.max(0, at - 60), at + 60)} | ${b.slice(at, at + 60)}`;
}
