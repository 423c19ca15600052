import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from '../src/compile.ts';
import { comparePlans, UNTOLD } from '../src/diff/callers.ts';
import type { Difference } from '../src/diff/compare.ts';
import type { Plan } from '../src/plan/step.ts';
import { same, shapeOf } from '../src/store/shape.ts';
import { changed, contract, deletions, documents, type Edit, example, shortened, type Whole } from './fixtures.ts';
import { tablesOf } from './migration/tables.ts';
import { share } from './share.ts';

const NOTHING = { fields: new Map<string, string>(), resources: new Map<string, string>() };
const planOf = ({ name, text }: Whole): Plan | null => {
  const { plan, findings } = compile(name, text);
  return findings.length ? null : plan;
};

/** What will run, wherever it is written. */
const planText = (plan: Plan): string => JSON.stringify(plan, (key, part) => (key === 'line' ? undefined : part));

/** Words that have another in their place somewhere in the language, and what takes it. */
const OTHERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\brefused\b/, 'ignored'],
  [/\bignored\b/, 'refused'],
  [/\balways\b/, 'optional'],
  [/\boptional\b/, 'always'],
  [/\btrimmed\b/, 'as sent'],
  [/\bleft out\b/, 'null'],
  [/\blatest\b/, 'earliest'],
  [/\bnot served\b/, 'as GET'],
];

/** The document with one of its numbers, or one of its words, changed: each in turn. */
function variations({ name, text }: Whole): Whole[] {
  return contract(text).flatMap(({ from, to }) => {
    const part = text.slice(from, to);
    const numbers = [...part.matchAll(/\d+/g)].map((found): [number, string, string] => [
      found.index,
      found[0],
      String(Number(found[0]) + 1).padStart(found[0].length, '0'),
    ]);
    const words = OTHERS.flatMap(([word, other]): Array<[number, string, string]> => {
      const found = word.exec(part);
      return found ? [[found.index, found[0], other]] : [];
    });
    return [...numbers, ...words].map(([at, was, is]) => ({
      name,
      text: text.slice(0, from + at) + is + text.slice(from + at + was.length),
    }));
  });
}

for (const document of documents())
  test(`whatever is removed from or changed in ${document.name} is told, both ways, and its tables become the other’s`, (t) => {
    const whole = planOf(document)!;
    const all = [...deletions(document.text), ...shortened(document.text), ...variations(document)];
    const { cases, which } = share(all);
    const others = cases.map(({ text }) => ({ name: document.name, text }));
    const fresh = tablesOf(whole, null).schema;
    let [told, alike, shapes] = [0, 0, 0];
    for (const other of others) {
      const plan = planOf(other);
      if (!plan) continue;
      for (const found of [comparePlans(whole, plan, NOTHING), comparePlans(plan, whole, NOTHING)]) {
        assert.equal(
          found.length === 0,
          planText(whole) === planText(plan),
          firstDifference(document.text, other.text),
        );
        assert.ok(
          found.every((one) => one.text !== UNTOLD),
          firstDifference(document.text, other.text),
        );
        assert.ok(
          found.every((one) => !/undefined|\[object/.test(one.text)),
          JSON.stringify(found),
        );
      }
      if (!same(shapeOf(whole), shapeOf(plan))) {
        assert.deepEqual(tablesOf(plan, whole).schema, tablesOf(plan, null).schema, other.text);
        assert.deepEqual(tablesOf(whole, plan).schema, fresh, other.text);
        shapes++;
      }
      if (planText(whole) === planText(plan)) alike++;
      else told++;
    }
    assert.deepEqual(comparePlans(whole, whole, NOTHING), []);
    t.diagnostic(
      `${others.length} documents (${which}), ${told + alike} whole: ${told} told apart, ${alike} the same service; ${shapes} whose rows are others`,
    );
  });

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  return `${a.slice(Math.max(0, at - 60), at + 60)} | ${b.slice(at, at + 60)}`;
}

const ORDERS = example('orders');

/** What is told of an edit of the orders, without what isn't about the edit. */
function told(...edits: readonly Edit[]): Array<readonly [string, string]> {
  const next = changed(ORDERS, ...edits);
  const { findings } = compile('orders.md', next);
  assert.deepEqual(
    findings.map((one) => one.message),
    [],
  );
  return comparePlans(
    planOf({ name: 'orders.md', text: ORDERS })!,
    planOf({ name: 'orders.md', text: next })!,
    NOTHING,
  ).map((one) => [verdict(one), `${one.at}: ${one.text}`]);
}

const verdict = ({ breaking, covered }: Difference): string => (breaking ? (covered ?? 'breaking') : 'not');

describe('what is breaking', () => {
  const cases: ReadonlyArray<
    readonly [what: string, edits: readonly Edit[], told: ReadonlyArray<readonly [string, string]>]
  > = [
    [
      'a lower limit',
      [['600 requests per minute', '500 requests per minute']],
      [['breaking', 'rate caller: how many requests is 500, and was 600']],
    ],
    [
      'a higher limit',
      [['600 requests per minute', '700 requests per minute']],
      [['not', 'rate caller: how many requests is 700, and was 600']],
    ],
    [
      'another scope',
      [['### `GET /summary`\n\n- Access: orders:read', '### `GET /summary`\n\n- Access: orders:fulfil']],
      [
        ['breaking', 'GET /summary: access is orders:fulfil, and was orders:read'],
        ['breaking', 'GET /summary: the scope is orders:fulfil, and was orders:read'],
      ],
    ],
    [
      'another status',
      [['| scope_missing       | 403 ', '| scope_missing       | 404 ']],
      [['breaking', 'scope_missing: the status is 404, and was 403']],
    ],
    [
      'another title',
      [['Send an API key', 'An API key, please']],
      [['not', 'key_missing: the title is An API key, please, and was Send an API key']],
    ],
    [
      'fewer values',
      [['| 1 to 1000  ', '| 1 to 100   ']],
      [['breaking', 'Order.quantity: fewer values are allowed: integer 1 to 100, and was integer 1 to 1000']],
    ],
    [
      'more values',
      [['| 1 to 1000  ', '| 1 to 9000  ']],
      [['breaking', 'Order.quantity: more values are allowed: integer 1 to 9000, and was integer 1 to 1000']],
    ],
    [
      'more values of a parameter, which nothing answers',
      [
        [
          '| status    | query | Order.status |',
          '| least | query | integer | 1 to 9 | optional | `quantity >= query.least` |\n| status    | query | Order.status |',
        ],
      ],
      [
        ['not', 'GET /orders: the query parameter least is new'],
        ['not', 'GET /orders: a filter is new: least keeps this.quantity >= query.least'],
      ],
    ],
    [
      'a new state, which answers may hold',
      [
        [
          'one of draft, placed, shipped, delivered, cancelled',
          'one of draft, placed, shipped, delivered, cancelled, lost',
        ],
        ['- Final: delivered, cancelled', '- Final: delivered, cancelled, lost'],
        ['| deliver    ', '| lose | shipped | lost | always | order_not_shipped |\n| deliver    '],
        [
          '### `DELETE /orders/{id}`',
          '### `POST /orders/{id}/lose`\n\n- Access: orders:fulfil\n\n1. Move `order` by lose.\n2. Answer 200 with `order`.\n\n### `DELETE /orders/{id}`',
        ],
      ],
      [
        [
          'breaking',
          'Order.status: more values are allowed: text one of draft, placed, shipped, delivered, cancelled, lost, and was text one of draft, placed, shipped, delivered, cancelled',
        ],
        ['not', 'Order.lose: transition lose is new'],
        [
          'not',
          'GET /orders: parameter status: more values are allowed: text one of draft, placed, shipped, delivered, cancelled, lost, and was text one of draft, placed, shipped, delivered, cancelled',
        ],
        ['not', 'POST /orders/{id}/lose: the endpoint POST /orders/{id}/lose is new'],
      ],
    ],
    [
      'another member of pages',
      [['next `page.next`', 'next `page.next`, more `page.more`']],
      [['not', 'GET /orders: the page’s member more is new']],
    ],
    [
      'a guard',
      [['`quantity <= 100 \\|\\| note != null` | order', '`quantity <= 50 \\|\\| note != null` | order']],
      [
        [
          'breaking',
          'Order.place: its guard is `this.quantity <= 50 || this.note != null`, and was `this.quantity <= 100 || this.note != null`',
        ],
      ],
    ],
  ];
  for (const [what, edits, expected] of cases)
    test(what, () => {
      assert.deepEqual(told(...edits), expected);
    });

  test('a field of another name is covered by the version that states the old one', () => {
    const rename: Edit[] = [
      ['| sku      | string ', '| article  | string '],
      ['- Unique: customer and sku while', '- Unique: customer and article while'],
      ['customer as id, sku, quantity', 'customer as id, article, quantity'],
      ['- Request: Order with sku, quantity, note', '- Request: Order with article, quantity, note'],
      [
        '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |',
        '| article   | query | Order.article | any | optional | `article == query.article` |',
      ],
      ['- Current version: 2026-11-01', '- Current version: 2027-01-01'],
    ];
    const older = (differs: string): Edit => [
      '| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 | Order.sku is `product`; Order.note absent |',
      `| 2026-11-01 | deprecated | 2027-01-01 | 2028-01-01 | ${differs} |\n| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 | Order.article is \`product\`; Order.note absent |`,
    ];
    const stated = told(...rename, older('Order.article is `sku`'));
    assert.deepEqual(stated[0], ['2026-11-01', 'Order.article: Order.sku is called article']);
    assert.deepEqual(
      stated.filter(([how]) => how === 'breaking'),
      [],
    );
    const unstated = told(...rename, older('none'));
    assert.ok(
      unstated.some(([how, text]) => how === 'breaking' && text === 'POST /orders: the body’s field sku is gone'),
    );
  });
});
