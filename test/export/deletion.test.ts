import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import type { Plan } from '../../src/plan/step.ts';
import { deletions, documents, shortened, variations, type Whole } from '../fixtures.ts';
import { share } from '../share.ts';
import { callersText } from './callers.ts';

/** How many things a run removes from a document. */
const MOST = 8;

for (const document of share(documents(), 3).cases)
  test(`what changes the contract of ${document.name} when it is removed or another changes its OpenAPI export`, () => {
    judge(document);
  });

/** Of each removal that changes the contract, nothing is lost silently: the export differs, or its list. */
function judge({ name, text }: Whole): void {
  const whole = contractIn(compile(name, text).plan);
  assert.ok(whole);
  const before = { contract: contractText(whole), callers: callersText(whole), ...exportText(whole) };
  const { cases, which } = share(changes({ name, text }), MOST, 16);
  const silent: string[] = [];
  const hidden: string[] = [];
  let same = 0;
  let words = 0;
  let beside = 0;
  for (const removal of cases) {
    const { findings, plan } = compile(name, removal.text);
    const contract = findings.length ? null : contractIn(plan);
    if (!contract || contractText(contract) === before.contract) {
      same++;
      continue;
    }
    const after = exportText(contract);
    if (callersText(contract) !== before.callers && after.forCallers === before.forCallers) hidden.push(removal.what);
    if (after.words !== before.words) words++;
    else if (after.beside !== before.beside) beside++;
    else silent.push(removal.what);
  }
  console.log(
    `${name}: ${cases.length} statements, items, numbers and words (${which}): ${same} leave no contract or the same, ${words} change what OpenAPI has words for, ${beside} what stands beside it or in its list, silent ${silent.length}`,
  );
  assert.deepEqual({ silent, hidden }, { silent: [], hidden: [] });
}

/** Each statement and each item of a list removed, and each number and word replaced. */
function changes(document: Whole): ReadonlyArray<{ readonly what: string; readonly text: string }> {
  const { text } = document;
  const removed = [...deletions(text), ...shortened(text)];
  return [
    ...removed.map((one) => ({ what: `${one.line}: ${one.what}`, text: one.text })),
    ...variations(document).map((one) => ({ what: differenceIn(text, one.text), text: one.text })),
  ];
}

function differenceIn(one: string, other: string): string {
  const before = one.split('\n');
  return other.split('\n').find((line, i) => line !== before[i]) ?? 'a line less';
}

const contractIn = (plan: Plan | null): Contract | null => plan && contractOf(plan);

const contractText = (contract: Contract): string =>
  JSON.stringify(contract, (key, value) => (key === 'lines' ? undefined : value));

/** All versions, in OpenAPI’s own words (descriptions are for people), and with what stands beside them. */
function exportText(contract: Contract): Readonly<Record<'words' | 'beside' | 'forCallers', string>> {
  const versions = contract.versions.filter((one) => one.status !== 'retired');
  const made = versions.map((version) => openApiOf(contract, version, '3.1', [], true));
  const own = (key: string, value: unknown) =>
    key.startsWith('x-ninefold-') || key === 'description' ? undefined : value;
  const forCallers = versions.map((version) => openApiOf(contract, version, '3.1'));
  return { words: JSON.stringify(made, own), beside: JSON.stringify(made), forCallers: JSON.stringify(forCallers) };
}
