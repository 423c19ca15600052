import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { CARELESS_FORM } from './careless.form.ts';
import { CARELESS } from './careless.ts';
import { changed, example, findings } from './fixtures.ts';
import { share } from './share.ts';

const orders = example('orders');

for (const [what, finding, edits] of [...CARELESS, ...CARELESS_FORM])
  test(`a careless document: ${what}`, () => {
    const found = findings(changed(orders, ...edits));
    assert.ok(found.includes(finding), found.join('\n'));
  });

/** The same document, written in ways that mean the same. */
const ALIKE: ReadonlyArray<readonly [what: string, text: string]> = [
  ['lines that end with CRLF', orders.replaceAll('\n', '\r\n')],
  ['lines that end with CR', orders.replaceAll('\n', '\r')],
  ['a byte order mark', `\ufeff${orders}`],
  ['tabs around bars', orders.replaceAll(' | ', '\t|\t')],
  ['tables without outer bars', orders.replace(/^\| (.*) \|$/gm, '$1')],
  ['spaces at the ends of lines', orders.replaceAll('\n', '  \n')],
  ['non-breaking spaces between words', orders.replace('Unread bodies', 'Unread\u00a0bodies')],
];

for (const [what, text] of ALIKE)
  test(`the same document with ${what} means the same`, () => {
    const { findings: found, plan } = compile('orders.md', text);
    assert.deepEqual(found, []);
    assert.deepEqual(plan, compile('orders.md', orders).plan);
  });

const MANY = 500_000;

/** A condition of so many terms. */
const terms = (count: number): string => `\`${Array(count).fill('sku == query.sku').join(' && ')}\``;

/** Endpoints with long expressions, one of which the document doesn’t understand. */
const sums = (count: number): string =>
  `${Array.from({ length: count }, (_, i) => {
    const sum = `Order.filter(o, o.quantity == ${i}).size()${' + 1'.repeat(200)}`;
    return `### \`GET /sum${i}\`\n\n- Access: orders:read\n\n1. Answer 200 with a: \`${sum}${i ? '' : ' + x'}\`.\n\n`;
  }).join('')}### \`GET /summary\``;

/** Resources each of which refers to the next one, and the last to the first. */
const circles = (count: number): string => {
  const one = (i: number): string => `### Link${i}

| Field | Type | Given by | Unique |
| --- | --- | --- | --- |
| id | integer | operator | identity |
| next | Link${(i + 1) % count} | request | |

- Shown: id, next as id
`;
  return orders.replace(
    '## States and',
    `${Array.from({ length: count }, (_, i) => one(i)).join('\n')}\n## States and`,
  );
};

/** Derived fields each of which reads the next one, or the one before. */
const derived = (count: number, of: (i: number) => number): string =>
  orders.replace(
    '- Shown: id, customer',
    `${Array.from({ length: count }, (_, i) => `- Derived d${i}: integer, \`${of(i) >= 0 && of(i) < count ? `d${of(i)} + 1` : 'quantity'}\``).join('\n')}\n- Shown: d0, id, customer`,
  );

/** Forms each of which shows the next one. */
const forms = (count: number): string => {
  const one = (i: number): string => `### Link${i}

| Field | Type | Allowed values | Given by | Unique |
| --- | --- | --- | --- | --- |
| id | integer | 1 to 9 | operator | identity |
| next | Link${Math.min(count - 1, i + 1)} | | operator | |

- Visible: everyone
- Keeps: next
- Shown: id, next as Link${i + 1}
`;
  return orders.replace(
    '## States and',
    `${Array.from({ length: count }, (_, i) => one(i)).join('\n')}\n## States and`,
  );
};

/** Steps that refuse with codes, and a table of codes that are all spelt otherwise. */
const misspelt = (count: number): string => {
  const rows = Array.from({ length: count }, (_, i) => `| some_code_${i} | 409 | a step says so | Some |\n`).join('');
  const endpoints = Array.from(
    { length: count },
    (_, i) => `### \`POST /other${i}\`\n\n1. Require \`1 == 2\`, else sume_code_${i}.\n2. Answer 204.\n\n`,
  ).join('');
  return changed(
    orders,
    ['| version_retired', `${rows}| version_retired`],
    ['## Authentication', `${endpoints}## Authentication`],
  );
};

/** Documents made to take long, or to break what reads them. */
const BOMBS: ReadonlyArray<readonly [what: string, text: string]> = [
  ['nothing', ''],
  ['only a title', '# Orders\n'],
  ['a megabyte of quotations', '>'.repeat(1 << 20)],
  ['more than a megabyte', 'a '.repeat(MANY * 2)],
  ['a megabyte of backticks', `## Limits\n\n- A: ${'` '.repeat(MANY)}`],
  [
    'backticks in runs of every length',
    `## Limits\n\n- A: ${Array.from({ length: 1000 }, (_, i) => '`'.repeat(i)).join(' ')}`,
  ],
  ['brackets', `## Limits\n\n- A: ${'['.repeat(MANY)}`],
  ['a table of a hundred thousand columns', `## Limits\n\n|${'a|'.repeat(MANY / 5)}\n|${'-|'.repeat(MANY / 5)}\n`],
  [
    'a table that lacks its cells',
    `## Limits\n\n|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}\n${'|b|\n'.repeat(MANY / 5)}`,
  ],
  ['one line of eight megabytes', `## Limits\n\n- A: ${'x'.repeat((8 << 20) - 100)}`],
  ['emphasis in emphasis', `## Limits\n\n- A: ${'*a **b '.repeat(MANY)}`],
  ['more lines than are read', `## Limits\n\n${'- A: b\n'.repeat(MANY)}`],
  ['lists in lists on every line', `## Limits\n\n${`${'- '.repeat(20)}a\n`.repeat(MANY / 10)}`],
  ['quotations in quotations on every line', `## Limits\n\n${`${'> '.repeat(20)}a\n`.repeat(MANY / 10)}`],
  ['a path without an end', `## Endpoints\n\n### \`GET ${'/a'.repeat(MANY)}\``],
  [
    'headings of resources, and nothing under them',
    `## Resources and their fields\n\n${Array.from({ length: 20_000 }, (_, i) => `### Order${i}\n\n`).join('')}`,
  ],
  ['a very long table', `## Limits\n\n| Limit |\n| --- |\n${'| a |\n'.repeat(MANY / 10)}`],
  ['lists nested by indentation', Array.from({ length: 900 }, (_, i) => `${'  '.repeat(i)}- A: b`).join('\n')],
  ['colons', `## Limits\n\n${'a:'.repeat(MANY)}`],
  ['a paragraph without an end', `## Limits\n\n${'rate limits, '.repeat(MANY / 10)}: none.`],
  ['white space', `## Limits\n\nx${' '.repeat(MANY)}x`],
  [
    'parentheses',
    changed(orders, ['`sku == query.sku`', `\`${'('.repeat(1900)}sku${')'.repeat(1900)} == query.sku\``]),
  ],
  ['negations', changed(orders, ['`sku == query.sku`', `\`${'!'.repeat(3900)}true\``])],
  [
    'one field many times',
    changed(orders, [
      '| name  | string |',
      `${'| name  | string | | any | operator | |\n'.repeat(5000)}| name  | string |`,
    ]),
  ],
  ['an expression of a hundred thousand terms', changed(orders, ['`sku == query.sku`', terms(100_000)])],
  ['many expressions of many terms', orders.replace('### `GET /summary`', sums(2000))],
  [
    'an enumeration of a hundred thousand states',
    changed(orders, [
      'one of draft, ',
      `one of ${Array.from({ length: MANY / 5 }, (_, i) => `s${i}`).join(', ')}, draft, `,
    ]),
  ],
  ['references in circles that nothing can create', circles(300)],
  ['derived fields one behind the other', derived(20_000, (i) => i - 1)],
  ['derived fields one before the other', derived(20_000, (i) => i + 1)],
  ['forms one in another', forms(5000)],
  ['thousands of misspelt names', misspelt(3000)],
  [
    'patterns that are large once written out',
    changed(orders, ['`/^[A-Z]{3}-[0-9]{4}$/`', `\`/^${'(?:[a-z]{1000}|.{1000})'.repeat(1000)}$/\``]),
  ],
  [
    'lists in lists without an end',
    changed(orders, ['| sku      | string    |', `| sku      | ${'list of '.repeat(MANY / 10)}string |`]),
  ],
  [
    'items in items without an end',
    changed(orders, ['1 to 1000  ', `${'at most 9 items, each '.repeat(MANY / 10)}1 to 1000  `]),
  ],
  ['a name of a hundred thousand parts', changed(orders, ['| quantity |', `| quantity${'.a'.repeat(MANY / 5)} |`])],
  ['a value of a hundred thousand words', changed(orders, ['one of draft,', `one of ${'draft '.repeat(MANY / 5)},`])],
  ['a lone surrogate', changed(orders, ['Unread bodies', 'Un\ud800read bodies'])],
  ['a null character', changed(orders, ['Unread bodies', 'Un\u0000read bodies'])],
];

/** Of these a run takes a few: some take seconds to be refused. */
for (const [what, text] of share(BOMBS, 5).cases)
  test(`a document of ${what} is refused in bounded time`, { timeout: 20_000 }, () => {
    const { findings: found, plan } = compile('bomb.md', text);
    assert.ok(found.length > 0);
    assert.equal(plan, null);
  });
