import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { idText, isSameId, type StatementId, statementId } from '../../src/plan/lines.ts';
import { PART_ITEMS, partAndItem } from '../../src/plan/parts.ts';
import type { Plan } from '../../src/plan/step.ts';
import { type Trace, traceKey } from '../../src/verify/oracle/trace.ts';
import { coverageOf, judge, type Untested } from '../../src/verify/statements/judge.ts';
import type { Statement } from '../../src/verify/statements/statement.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { readCases } from '../cases.ts';
import { documents, example } from '../fixtures.ts';

function read(text: string): { plan: Plan; statements: Statement[] } {
  const { plan, findings } = compile('service.md', text);
  assert.ok(plan, findings.map((one) => one.message).join('\n'));
  return { plan, statements: statementsOf(plan, contractOf(plan), text) };
}

/** The orders’ document, with words replaced. */
function orders(...edits: ReadonlyArray<readonly [from: string, to: string]>): ReturnType<typeof read> {
  const text = edits.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), from);
    return before.replace(from, () => to);
  }, example('orders'));
  return read(text);
}

const of = (statements: readonly Statement[], id: StatementId): readonly Statement[] =>
  statements.filter((one) => isSameId(one.id, id));

/** What a statement needs, by its own traces. */
const whats = (statements: readonly Statement[], id: StatementId): string[] => {
  const found = of(statements, id);
  assert.ok(found.length > 0, `there is a statement ${idText(id)}`);
  const traces = found.flatMap((one) => one.needs.flatMap((need) => need.traces));
  return [...new Set(traces.filter((one) => isSameId(one.statement, id)).map((one) => one.what))].sort();
};

/** Keys that are no statement, and why. */
const NOT_MET: ReadonlyArray<readonly [key: RegExp, why: string]> = [
  [/^(?:document|purpose): /, 'it tells people, and nobody meets it'],
  [/^limits: (?:requestSize|timeout|pageSize|wholeList|pages|own)$/, 'the same line is a statement of each endpoint'],
  [
    /^endpoint .*: (?:payloads|request|unread bodies|HEAD|conditional|idempotency|sort|pages|access)$/,
    'it does not concern the endpoint',
  ],
  [/^endpoint .*: (?:Page size|Whole list|Request size|Time-out)$/, 'it does not concern the endpoint'],
  [/^payload /, 'the payload is a statement, whose rows are told apart where it is broken'],
  [/^errors: conditions$/, 'each condition of the list is a statement'],
  [/^condition a (?:step|rule) says so$/, 'each code is a statement'],
  [/^(?:webhook|stream): (?:span|name)$/, 'each bullet below it is a statement'],
  [/^webhook: order$/, 'no order is stated'],
  [/^versioning: header$/, 'it is said with the scheme'],
  [/^resources: passwords$/, 'how hashes are made shows in no answer'],
];

for (const { name, text } of documents())
  test(`every statement of ${name} that a caller can meet has its line, its item and its needs`, () => {
    const { plan, statements } = read(text);
    const lines = text.split('\n');
    for (const [i, one] of statements.entries()) {
      assert.equal(one.text, lines[one.line - 1]?.trim(), one.key);
      assert.ok(one.text !== '' && one.line >= (statements[i - 1]?.line ?? 0), one.key);
      assert.ok(PART_ITEMS.some((item) => partAndItem(item).join() === [one.part, one.item].join()));
      assert.ok(one.needs.length > 0 && one.needs.every((need) => need.traces.length > 0), one.key);
      const names = one.needs.map((need) => need.name);
      assert.equal(new Set(names).size, names.length, `${one.key}: ${names.join('; ')}`);
    }
    const ids = statements.map((one) => `${one.key}, ${one.part}/${one.item}`);
    assert.equal(new Set(ids).size, ids.length);
    const keys = new Set(statements.map((one) => one.key));
    const hidden = new Set(plan.resources.filter((one) => unseen(plan, one.name)).map((one) => one.name));
    const lost = Object.keys(plan.lines).filter(
      (key) => !keys.has(key) && !NOT_MET.some(([not]) => not.test(key)) && !isUnmet(key, plan, hidden),
    );
    assert.deepEqual(lost, [], 'a line of the document that is no statement');
  });

/** Whether rows of a resource are never shown nor taken from requests. */
function unseen(plan: Plan, resource: string): boolean {
  const payloads = plan.endpoints.map((one) => one.before.find((step) => step.do === 'validate body')?.payload);
  const shown = plan.resources.find((one) => one.name === resource)?.views.some((view) => view.members.length > 0);
  return !shown && !payloads.some((one) => one?.resource === resource);
}

/** What no caller meets in a document: rows that the operator alone has, fields that only expressions use. */
function isUnmet(key: string, plan: Plan, hidden: ReadonlySet<string>): boolean {
  const [, resource = '', field = ''] = /^\w+ (\w+)(?:\.([\w.]+)|:)/.exec(key) ?? [];
  if (hidden.has(resource)) return true;
  const owner = plan.resources.find((one) => one.name === resource);
  const shown = owner?.views.some((view) => view.members.some((one) => one.field === field)) ?? false;
  if (key.startsWith('field ')) return !shown;
  const writes = plan.endpoints.some((one) =>
    one.inside.some((step) => 'resource' in step && step.resource === resource && !['find', 'list'].includes(step.do)),
  );
  if (/^(?:unique|holds|overlap) /.test(key)) return !writes;
  // No endpoint removes what these point at.
  if (key.startsWith('reference ')) return true;
  if (/^states .*: final$/.test(key)) return true;
  return key.startsWith('code ') && !plan.endpoints.some((one) => JSON.stringify(one).includes(`"${key.slice(5)}"`));
}

test('a field needs its bounds, and one step past them', () => {
  const { statements } = orders();
  assert.deepEqual(whats(statements, statementId.field('Order', 'quantity')), [
    'above most',
    'accepted',
    'below least',
    'least',
    'left out',
    'most',
    'refused missing',
    'refused not_integer',
    'refused null_refused',
    'shown',
  ]);
  const items = of(statements, statementId.field('Order', 'quantity')).map((one) => one.item);
  assert.deepEqual(items, ['fields', 'types', 'allowed values']);
});

test('a transition needs each state, legal and not, and its condition true, false and at its bound', () => {
  const { statements } = orders();
  assert.deepEqual(whats(statements, statementId.transition('Order', 'place')), [
    'equal this.quantity <= 100',
    'from draft',
    'guard false',
    'guard true',
    'not 101 this.quantity <= 100',
    'not 99 this.quantity <= 100',
    'refused from cancelled',
    'refused from delivered',
    'refused from placed',
    'refused from shipped',
  ]);
  const [timed] = of(statements, statementId.transition('Order', 'expire'));
  assert.ok(timed?.needs.every((need) => need.setup.includes('clock')));
});

test('conditions need their bounds, but those that no caller can choose', () => {
  const { statements } = read(example('bookings'));
  const boundsOf = (condition: string): string[] =>
    statements
      .filter(({ text }) => text.includes(condition))
      .flatMap(({ needs }) => needs.flatMap(({ traces }) => traces.map(({ what }) => what)))
      .filter((what) => what.startsWith('equal '));
  assert.deepEqual(boundsOf('Require `query.to - query.from <= duration("744h")`'), [
    'equal query.to - query.from <= duration("744h")',
  ]);
  assert.deepEqual(boundsOf('Require `request.starts > now()`'), []);
});

test('a state that only time leads to needs a clock', () => {
  const { statements } = orders(
    [
      '| expire     | draft         | cancelled | 24 hours after `created`            | none                |',
      '| expire     | draft         | expired   | 24 hours after `created`            | none                |',
    ],
    [
      'one of draft, placed, shipped, delivered, cancelled',
      'one of draft, placed, shipped, delivered, cancelled, expired',
    ],
    ['- Final: delivered, cancelled', '- Final: delivered, cancelled, expired'],
  );
  const [ship] = of(statements, statementId.transition('Order', 'ship'));
  const setupOf = (what: string) => ship?.needs.find((need) => need.traces.some((one) => one.what === what))?.setup;
  assert.deepEqual(setupOf('refused from expired'), ['clock']);
  assert.deepEqual(setupOf('refused from cancelled'), []);
});

test('what a document does not state is not needed', () => {
  const { statements } = orders();
  const { statements: other } = orders(['`/^[A-Z]{3}-[0-9]{4}$/`', 'at most 20 characters  ']);
  const key = statementId.field('Order', 'sku');
  assert.ok(whats(statements, key).includes('refused not_matching') && !whats(statements, key).includes('most'));
  assert.ok(whats(other, key).includes('most') && !whats(other, key).includes('refused not_matching'));
});

const NOTHING: Untested = { lacking: new Set(), reasons: new Map(), untried: 'budget', only: null };

test('nothing is kept that was not tried', () => {
  const { statements, plan } = orders();
  const results = judge(statements, [], [], NOTHING);
  assert.deepEqual([...new Set(results.map((one) => one.outcome))], ['untestable']);
  assert.ok(
    results.every((one) => one.because?.endsWith('.')),
    'each has a reason',
  );
  const coverage = coverageOf(results, plan.lines);
  assert.equal(coverage.length, 31);
  assert.ok(coverage.every((one) => one.stated && one.kept === 0));
  assert.equal(
    coverage.reduce((sum, one) => sum + one.untestable, 0),
    statements.length,
  );
});

test('a statement is kept once each of its needs is met, and not before', () => {
  const { statements } = orders();
  const testable = statements.filter((one) => one.untestable === null);
  for (const one of testable) {
    const met = one.needs.map((need) => need.traces[0]).filter((trace) => trace !== undefined);
    const outcome = (traces: typeof met): string | undefined => judge([one], traces, [], NOTHING)[0]?.outcome;
    assert.equal(outcome(met), 'kept', one.key);
    for (const left of one.needs) {
      const others = met.filter((trace) => !left.traces.includes(trace));
      // One trace may meet several needs.
      const shared = one.needs.every((need) => need.traces.some((trace) => others.some((each) => same(each, trace))));
      if (!shared) assert.equal(outcome(others), 'untestable', `${one.key} without “${left.name}”`);
    }
  }
});

const same = (a: Trace, b: Trace): boolean => traceKey(a) === traceKey(b);

test('what is untestable says why: what the setup lacks, what is known of it, or what was not tried', () => {
  const { statements } = orders();
  const key = statementId.transition('Order', 'expire');
  const because = (untested: Untested): string | null | undefined =>
    judge(of(statements, key), [], [], untested)[0]?.because;
  assert.equal(
    because({ ...NOTHING, lacking: new Set(['clock', 'receiver']) }),
    'The setup lacks a clock that can be moved (`clock`).',
  );
  assert.equal(because({ ...NOTHING, reasons: new Map([[idText(key), 'It is too late.']]) }), 'It is too late.');
  assert.equal(
    because(NOTHING),
    'Not tried within the budget: it is made once its instant has come; it is not made before its instant.',
  );
  const [full] = judge(of(statements, statementId.condition('storage full')), [], [], NOTHING);
  assert.equal(full?.because, 'A caller cannot fill the store.');
});

test('of receivers that are rows, it is a statement whose events they hear', () => {
  const first = readCases('src/compiler/events/cases/receivers.md')[0]!;
  assert.ok(first.document.includes('- Receivers: the rows of Hook'));
  const { statements } = read(first.document);
  const hears = statements.filter(({ key }) => key.startsWith('webhook: hears '));
  assert.ok(hears.length > 0);
  for (const { line, needs } of hears) {
    assert.match(first.document.split('\n')[(line ?? 0) - 1] ?? '', /^- Hears of /);
    assert.deepEqual(
      needs.flatMap(({ setup }) => setup),
      [],
    );
  }
});

test('a break is of the statement that it names, though everything was tried', () => {
  const { statements } = orders();
  const met = statements.flatMap((one) => one.needs.flatMap((need) => need.traces));
  const broken = (statement: StatementId, what: string | null = null): string[] =>
    judge(statements, met, [{ statement, what }], NOTHING)
      .filter((one) => one.outcome === 'broken')
      .map((one) => `${one.statement.key}, ${one.statement.item}`);
  const field = statementId.field('Order', 'quantity');
  assert.deepEqual(broken(field, 'refused too_large'), [`${idText(field)}, allowed values`]);
  assert.deepEqual(broken(field), [`${idText(field)}, fields`]);
  assert.deepEqual(broken(statementId.code('time_out')), ['condition time-out, status codes']);
  // What is no statement of its own is one of what holds it.
  assert.deepEqual(broken(statementId.code('not_acceptable')), ['condition not acceptable, status codes']);
  assert.deepEqual(broken(statementId.endpoint('DELETE /orders/{id}', 'pages')), [
    'endpoint DELETE /orders/{id}, methods',
  ]);
  assert.deepEqual(broken(statementId.version('2026-11-01')), ['versioning: scheme, scheme']);
});
