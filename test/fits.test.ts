import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { changed, type Edit, example } from './fixtures.ts';
import { share } from './share.ts';

const orders = example('orders');
const SHOWN = '- Shown: id, customer as id, sku, quantity, note, status, created';

/** The document with derived fields, each made of the one before, of which the last is shown. */
const derived = (count: number, type: string, first: string, next: (before: string) => string, ...edits: Edit[]) =>
  changed(
    orders,
    [
      SHOWN,
      [
        `- Derived d0: ${type}, \`${first}\``,
        ...Array.from({ length: count }, (_, i) => `- Derived d${i + 1}: ${type}, \`${next(`d${i}`)}\``),
        SHOWN.replace('id,', `id, d${count},`),
      ].join('\n'),
    ],
    ...edits,
  );

/** Resources each of which points twice at the next; `line` says what one says of the next. */
const linked = (count: number, line: (next: number) => string) => {
  const one = (i: number): string => `### Link${i}

| Field | Type | Allowed values | Given by | Unique |
| --- | --- | --- | --- | --- |
| id | integer | 1 to 9 | operator | identity |
| public | boolean | | operator | |
| left | Link${i + 1} | | operator | |
| right | Link${i + 1} | | operator | |

- Keeps: left, right
${line(i)}
`;
  const last = `### Link${count}

| Field | Type | Allowed values | Given by | Unique |
| --- | --- | --- | --- | --- |
| id | integer | 1 to 9 | operator | identity |
| public | boolean | | operator | |

- Visible: everyone
- Derived seen: boolean, \`public\`
- Shown: id, public, seen
`;
  const endpoint = `### \`GET /links\`

- Access: orders:read

1. List \`links\`: Link0, latest \`id\` first, in pages.
2. Answer 200 with \`links\`.

`;
  const links = Array.from({ length: count }, (_, i) => one(i)).join('\n');
  return changed(
    orders,
    ['## States and transitions', `${links}\n${last}\n## States and transitions`],
    ['### `GET /summary`', `${endpoint}### \`GET /summary\``],
  );
};

/** Ways in which a short document comes to something large. */
const GROWING: ReadonlyArray<readonly [what: string, document: (count: number) => string]> = [
  ['derived fields that double', (n) => derived(n, 'integer', 'quantity', (d) => `${d} + ${d}`)],
  ['derived fields that branch', (n) => derived(n, 'integer', 'quantity', (d) => `${d} > 3 ? ${d} : 1`)],
  ['derived fields one in another', (n) => derived(n * 20, 'integer', 'quantity', (d) => `${d} + 1`)],
  ['aggregates one in another', (n) => derived(n, 'integer', 'quantity', (d) => `Order.map(o, o.${d}).sum()`)],
  [
    'texts that are joined one in another',
    (n) => derived(n, 'integer', 'quantity', (d) => `Order.map(o, string(o.${d})).join(",").size()`),
  ],
  [
    'aggregates that double',
    (n) => derived(n, 'integer', 'quantity', (d) => `Order.filter(o, o.${d} > ${d}).map(o, o.${d}).sum()`),
  ],
  [
    'texts that SQL writes three times',
    (n) => derived(n, 'boolean', 'sku.endsWith("a")', (d) => `sku.endsWith(${d} ? "a" : "b")`),
  ],
  [
    'lists whose item is compared with each',
    (n) => derived(n, 'boolean', 'quantity in [1]', (d) => `${d} in [${d}, true, false]`),
  ],
  [
    'forms that show two forms',
    (n) =>
      linked(
        n,
        (i) =>
          `- Visible: everyone\n- Derived seen: boolean, \`public\`\n- Shown: id, public, seen, left as Link${i + 1}, right as Link${i + 1}`,
      ),
  ],
  [
    'rows that are visible where two others are',
    (n) =>
      linked(
        n,
        () =>
          '- Derived seen: boolean, `public && left.seen == true && right.seen == true`\n- Visible: `seen`\n- Shown: id, public',
      ),
  ],
  [
    'a guard that reads what doubles',
    (n) =>
      derived(n, 'integer', 'quantity', (d) => `${d} + ${d}`, [
        '`quantity <= 100',
        `\`d${n} <= 100 && quantity <= 100`,
      ]),
  ],
];

const TOO_MUCH = /^(?:store\/(?:terms|depth)|resources\/derived-deep|expression\/too-much)$/;

test('what comes to too much once it is written out is refused, and what is accepted starts', async (t) => {
  for (const [what, document] of share(GROWING, 5).cases)
    await t.test(what, { timeout: 120_000 }, async () => {
      const { findings, plan } = compile('bomb.md', document(60));
      assert.equal(plan, null);
      assert.match(findings[0]!.code, TOO_MUCH, findings.map((one) => one.message).join('\n'));
      assert.ok(findings[0]!.span, 'it says where');
      let most = 0;
      while (compile('bomb.md', document(most + 1)).findings.every(({ code }) => !TOO_MUCH.test(code))) most++;
      const largest = compile('bomb.md', document(most));
      assert.deepEqual(
        largest.findings.map((one) => one.message),
        [],
      );
      const store = new SqliteStore(':memory:', largest.plan!);
      await Engine.start(largest.plan!, store, 'https://api.example.com');
      await store.close();
      t.diagnostic(`${what}: ${most} are accepted`);
    });
});

const field = (name: string, type = 'integer', allowed = '1 to 5'): string =>
  `| ${name} | ${type} |        | ${allowed} | operator | optional | |`;

/** The document with further fields. */
const fields = (...more: string[]): Edit => [
  '| created  | timestamp |',
  `${more.join('\n')}\n| created  | timestamp |`,
];

const many = <T>(count: number, one: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));

/** What one of the stores doesn’t take. */
const UNFIT: ReadonlyArray<readonly [what: string, code: string, edits: readonly Edit[], renamed?: string]> = [
  ['a resource that SQLite would keep for itself', 'store/reserved', [], 'SqliteThing'],
  ['a resource called as one that PostgreSQL has', 'store/reserved', [], 'PgClass'],
  ...['ctid', 'xmin', 'cmin', 'xmax', 'cmax', 'tableoid', 'Ninefold_Revision', 'NINEFOLD_SHOWN'].map(
    (name) => [`a field called ${name}`, 'store/reserved', [fields(field(name))]] as const,
  ),
  [
    'names alike in their first 63 bytes',
    'store/long-name',
    [fields(field(`${'a'.repeat(63)}b`), field(`${'a'.repeat(63)}c`))],
  ],
  ['a dotted name that is long', 'store/long-name', [fields(field(`${'a'.repeat(40)}.${'b'.repeat(40)}`))]],
  ['two thousand fields', 'store/columns', [fields(...many(2000, (i) => field(`f${i}`)))]],
  [
    'rows that are wider than a page',
    'store/row-size',
    [fields(...many(400, (i) => field(`f${i}`, 'string', '1 to 80 characters')))],
  ],
  [
    'a unique rule of forty fields',
    'store/index',
    [
      fields(...many(40, (i) => field(`f${i}`))),
      [SHOWN, `- Unique: ${many(40, (i) => `f${i}`).join(' and ')}, else order_already_open\n${SHOWN}`],
    ],
  ],
  [
    'an identity that is too long for an index',
    'store/identity-size',
    [['| id    | string | uuid   |                        |', '| id    | string |        | 1 to 5000 characters   |']],
  ],
  [
    'a constant of more than a mebibyte',
    'store/constant',
    [
      [
        SHOWN,
        `- Derived long: string, \`sku + "${'a'.repeat(100)}".replace("a", "${'b'.repeat(100)}").replace("b", "${'c'.repeat(200)}")\`\n${SHOWN.replace('id,', 'id, long,')}`,
      ],
    ],
  ],
];

for (const [what, code, edits, renamed] of UNFIT)
  test(`${what} is refused, whichever store is used`, () => {
    const document = changed(orders, ...edits);
    const { findings, plan } = compile('unfit.md', renamed ? document.replaceAll('Customer', renamed) : document);
    assert.equal(plan, null);
    assert.deepEqual(
      [...new Set(findings.map((one) => one.code))],
      [code],
      findings.map((one) => one.message).join('\n'),
    );
    assert.ok(findings.every((one) => one.span));
  });

test('as many fields as are taken are stored', async () => {
  const { plan, findings } = compile('wide.md', changed(orders, fields(...many(780, (i) => field(`f${i}`)))));
  assert.deepEqual(findings, []);
  const store = new SqliteStore(':memory:', plan!);
  await Engine.start(plan!, store, 'https://api.example.com');
  await store.close();
});
