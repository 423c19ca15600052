import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { compareCallers, type Renamed } from '../../src/diff/callers.ts';
import type { MergedDifference } from '../../src/diff/merge.ts';
import type { Plan } from '../../src/plan/step.ts';
import { changed, type Edit, example } from '../fixtures.ts';
import { share } from '../share.ts';
import { CASES } from './cases.ts';
import { STATEMENTS } from './statement-cases.ts';

const NOTHING: Renamed = { fields: new Map(), resources: new Map() };

function planOf(name: string, text: string): Plan {
  const { plan, findings } = compile(`${name}.md`, text);
  assert.deepEqual(
    findings.map((one) => one.message),
    [],
  );
  assert.ok(plan);
  return plan;
}

const plans = new Map<string, Plan>();

/** The plan of a document as it stands, which many edits begin with. */
function whole(name: string): Plan {
  const known = plans.get(name) ?? planOf(name, example(name));
  plans.set(name, known);
  return known;
}

/** What is told of an edit of a document. */
function told(name: string, edits: readonly Edit[], renamed = NOTHING): MergedDifference[] {
  return compareCallers(whole(name), planOf(name, changed(example(name), ...edits)), renamed);
}

const verdict = ({ breaking, covered }: MergedDifference): string => (breaking ? (covered ?? 'breaking') : 'not');
const line = ({ at, text, versions }: MergedDifference): string =>
  `${at}${versions.length ? ` in ${versions.join(', ')}` : ''}: ${text}`;
const verdicts = (all: readonly MergedDifference[]): string[] => all.map((one) => `${verdict(one)} ${line(one)}`);

describe('what callers are told of an edit', () => {
  for (const { what, of, edits, told: expected } of share(CASES, CASES.length / 3).cases)
    test(what, () => {
      assert.deepEqual(
        told(of, edits).map((one) => [verdict(one), line(one), one.reason]),
        expected,
      );
    });
});

describe('what callers are told of one statement, and where it stands', () => {
  for (const { what, of, before = [], edits, told: expected } of share(STATEMENTS, STATEMENTS.length / 3).cases)
    test(what, () => {
      const base = before.length ? changed(example(of), ...before) : example(of);
      const all = compareCallers(planOf(of, base), planOf(of, changed(base, ...edits)), NOTHING);
      const at = ({ oldLine, newLine }: MergedDifference): string => `${oldLine ?? '–'}→${newLine ?? '–'}`;
      assert.deepEqual(
        all.map((one) => [verdict(one), `${at(one)} ${line(one)}`, one.reason]),
        expected,
      );
    });
});

const RENAME: readonly Edit[] = [
  ['| sku      | string ', '| article  | string '],
  ['- Unique: customer and sku while', '- Unique: customer and article while'],
  ['customer as id, sku, quantity', 'customer as id, article, quantity'],
  ['- Request: Order with sku, quantity, note', '- Request: Order with article, quantity, note'],
  [
    '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |',
    '| article   | query | Order.article | any | optional | `article == query.article` |',
  ],
];
const SKU: Renamed = { fields: new Map([['Order.sku', 'article']]), resources: new Map() };

/** Another current version; the one that was is described by how it differs. */
const bumped = (differs: string): readonly Edit[] => [
  ['- Current version: 2026-11-01', '- Current version: 2027-01-01'],
  [
    '| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 | Order.sku is `product`',
    `| 2026-11-01 | deprecated | 2027-01-01 | 2028-01-01 | ${differs} |\n| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 | Order.article is \`product\``,
  ],
];
const CURRENT = 'versions: the current version is 2027-01-01, and was 2026-11-01';
const KEPT = [
  'not version 2026-11-01: it is deprecated, and requests that name it are refused from 2028-01-01, and was current',
  'not receivers: those that were registered for version 2026-11-01 are told in its names as before',
];

describe('a field of another name', () => {
  const own: Edit = ['Order.sku is `product`', 'Order.article is `product`'];

  test('is one breaking difference where the operator says that it is the same', () => {
    assert.deepEqual(verdicts(told('orders', [...RENAME, own], SKU)), [
      'breaking Order.article: the name is article, and was sku',
    ]);
  });

  test('is covered for those who name the version that states the old name, and not for those who name none', () => {
    assert.deepEqual(verdicts(told('orders', [...RENAME, ...bumped('Order.article is `sku`')])), [
      `breaking ${CURRENT}, also for requests that name none`,
      ...KEPT,
      '2026-11-01 Order.article: the name is article, and was sku',
    ]);
  });

  test('is covered for all where a request has to name a version', () => {
    const required: Edit = ['- Without a version: current version', '- Without a version: refused'];
    const text = changed(example('orders'), required);
    const next = changed(text, ...RENAME, ...bumped('Order.article is `sku`'));
    const found = compareCallers(planOf('orders', text), planOf('orders', next), NOTHING);
    assert.deepEqual(verdicts(found), [
      `not ${CURRENT}`,
      ...KEPT,
      '2026-11-01 Order.article: the name is article, and was sku',
    ]);
  });

  test('is not covered by a version that does not state the old name', () => {
    const found = verdicts(told('orders', [...RENAME, ...bumped('none')]));
    assert.ok(found.includes('breaking Order.sku: it is gone from the body'), found.join('\n'));
    assert.ok(found.includes('breaking Order.sku: it is gone from Order'), found.join('\n'));
  });
});

test('a difference in a version that stays is breaking, whatever the current one is', () => {
  const narrower: Edit = ['| 1 to 1000  ', '| 1 to 100   '];
  const found = told('orders', [
    narrower,
    ...bumped('none').map(([a, b]): Edit => [a, b.replaceAll('article', 'sku')]),
  ]);
  assert.deepEqual(verdicts(found.filter((one) => one.breaking)), [
    'breaking Order.quantity: fewer values are allowed: integer 1 to 100, and was integer 1 to 1000',
  ]);
});

test('what parameters of a path are called is told once, and stands in no request', () => {
  const text = example('orders');
  const next = text
    .replaceAll('/{id}', '/{order}')
    .replace('`id == path.id`', '`id == path.order`')
    .replace('| id        | path |', '| order     | path |');
  const [found, ...others] = compareCallers(planOf('orders', text), planOf('orders', next), NOTHING);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [found?.text, found?.breaking, found?.places.length],
    ['the name of a path parameter is order, and was id', false, 7],
  );
});

test('a resource of another name is no difference where no caller meets the name', () => {
  const text = example('orders');
  const next = text.replaceAll(/\bCustomer\b/g, 'Client');
  const renamed: Renamed = { fields: new Map(), resources: new Map([['Customer', 'Client']]) };
  const found = compareCallers(planOf('orders', text), planOf('orders', next), renamed);
  assert.deepEqual(verdicts(found.filter((one) => one.breaking)), []);
});

test('a sentence that stands at several endpoints is told once, with all of them', () => {
  const [one, ...others] = told('orders', [['- Unknown parameters: refused', '- Unknown parameters: ignored']]);
  assert.deepEqual(others, []);
  assert.equal(one?.places.length, 10);
});

test('a form is told once, with the endpoints and events at which callers meet it', () => {
  const [one, ...others] = told('orders', [['customer as id, sku, quantity, note', 'customer as id, sku, quantity']]);
  assert.deepEqual(others, []);
  assert.deepEqual(one?.met.slice(-4), [
    'POST /orders/{id}/deliver',
    'order.opened',
    'order.placed',
    'order.cancelled',
  ]);
});
