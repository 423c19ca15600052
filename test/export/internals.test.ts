import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Expression } from '../../src/contract/types.ts';
import { asyncApiOf } from '../../src/export/asyncapi/document.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { documents, example } from '../fixtures.ts';
import { unshared } from './exports.ts';

/** Members of ours that hold schemas and operations for callers, because the standards have no members for them. */
const KEPT = /^x-ninefold-(?:query|item|columns|schema|request-headers)$/;

function contractIn(name: string, text: string): Contract {
  const { plan, findings } = compile(name, text);
  assert.ok(plan, JSON.stringify(findings.map((one) => one.message)));
  return contractOf(plan);
}

/** Every expression in a part of a contract that has an operator, as the document writes it. */
function expressionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(expressionsIn);
  const { text, tree } = value as Partial<Expression>;
  if (tree && text !== undefined) return /[=<>&|?(]/.test(text) ? [text] : [];
  return Object.values(value).flatMap(expressionsIn);
}

/** The members of ours in an export, by name. */
function ownMembers(document: object): string[] {
  const found = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key.startsWith('x-ninefold-')) found.add(key);
    return value;
  });
  return [...found];
}

for (const { name, text } of documents())
  test(`exports of ${name} show callers no step, no rule and no expression of the document`, () => {
    const contract = contractIn(name, text);
    // What the prose of the document itself says is for callers.
    const prose = contract.prose.map((one) => one.text).join('\n');
    const secrets = [
      ...expressionsIn([contract.resources, contract.schemes, contract.versions]),
      ...contract.versions.flatMap(({ endpoints }) => endpoints.flatMap(({ steps }) => steps.map((one) => one.text))),
    ].filter((one) => !prose.includes(one));
    for (const version of contract.versions) {
      const made = [
        asyncApiOf(contract, version),
        ...(version.status === 'retired'
          ? []
          : (['3.1', '3.2'] as const).map((one) => openApiOf(contract, version, one))),
      ];
      for (const one of made) {
        assert.deepEqual(
          ownMembers(one).filter((member) => !KEPT.test(member)),
          [],
        );
        const written = textsIn(one);
        assert.deepEqual(
          secrets.filter((secret) => written.some((words) => words.includes(secret))),
          [],
        );
        assert.deepEqual(
          written.filter((words) => /\bthis\.\w/.test(words)),
          [],
        );
        if (contract.webhook?.attempts === 1) assert.doesNotMatch(written.join('\n'), /is retried/);
        assert.deepEqual(
          written.filter((words) => words.includes('with a stream of the events') && words.includes('A request takes')),
          [],
          'a stream takes longer than its time-out',
        );
      }
    }
  });

/** All texts in a document. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('the export with internals has all that the export for callers has, and more', () => {
  for (const { name, text } of documents()) {
    const contract = contractIn(name, text);
    const [version] = contract.versions;
    assert.ok(version);
    const [own, all] = [false, true].map((one) => unshared(openApiOf(contract, version, '3.1', [], one)));
    assert.deepEqual(missingIn(own, all, name), []);
    assert.ok(ownMembers(all ?? {}).includes('x-ninefold-steps'));
  }
});

/** The places of one document that another lacks. Descriptions may go on. */
function missingIn(one: unknown, other: unknown, at: string): string[] {
  if (typeof one !== 'object' || one === null) {
    const goesOn = typeof one === 'string' && typeof other === 'string' && at.endsWith('.description');
    return one === other || goesOn ? [] : [at];
  }
  const found = typeof other === 'object' && other !== null ? (other as Record<string, unknown>) : {};
  // The components that several operations share are in their places.
  return Object.entries(one).flatMap(([key, value]) =>
    /\.components$/.test(at) && /^(?:parameters|responses|headers|examples)$/.test(key)
      ? []
      : missingIn(value, found[key], `${at}.${key}`),
  );
}

test('hidden fields, and resources that are never shown, are not named', () => {
  const written = textsIn(openApiOf(...ofIssues())).join('\n');
  for (const word of ['Labelling', 'Assignment', 'administers']) assert.ok(!written.includes(word), word);
});

test('transitions of a field that no answer shows are not named', () => {
  const shown = example('orders');
  const hidden = shown.replace('note, status, created\n', 'note, created\n');
  assert.notEqual(hidden, shown);
  const summaries = [shown, hidden].map((text) => {
    const contract = contractIn('orders.md', text);
    return contract.versions.flatMap((version) =>
      textsIn(asyncApiOf(contract, version)).filter((one) => one.startsWith('Order changes')),
    );
  });
  assert.deepEqual(
    [...new Set(summaries[0])],
    ['Order changes its state by place.', 'Order changes its state by cancel or expire.'],
  );
  assert.deepEqual([...new Set(summaries[1])], ['Order changes its state.']);
});

function ofIssues() {
  const contract = contractIn('issues.md', example('issues'));
  const [version] = contract.versions;
  assert.ok(version);
  return [contract, version, '3.1'] as const;
}

test('text of the document is no markup in descriptions, whatever it contains', () => {
  const text = example('orders').replace(
    '`/^[A-Z]{3}-[0-9]{4}$/`',
    () => '``/(?i)^[A-Z]{3}-[0-9]{4}`?(<img src=x>)?$/``',
  );
  const contract = contractIn('orders.md', text);
  const [version] = contract.versions;
  assert.ok(version);
  const written = JSON.stringify(openApiOf(contract, version, '3.1'));
  assert.ok(written.includes('Matches the pattern ``(?i)^[A-Z]{3}-[0-9]{4}`?(<img src=x>)?$`` (RE2 syntax).'));
});
