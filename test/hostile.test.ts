import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compile.ts';
import { CARELESS_FORM } from './careless.form.ts';
import { CARELESS } from './careless.ts';
import { changed, example, findings } from './fixtures.ts';

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
  ['a very wide table', `## Limits\n\n|${'a|'.repeat(MANY / 5)}\n|${'-|'.repeat(MANY / 5)}\n`],
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
  ['a lone surrogate', changed(orders, ['Unread bodies', 'Un\ud800read bodies'])],
  ['a null character', changed(orders, ['Unread bodies', 'Un\u0000read bodies'])],
];

for (const [what, text] of BOMBS)
  test(`a document of ${what} is refused in bounded time`, { timeout: 20_000 }, () => {
    const { findings: found, plan } = compile('bomb.md', text);
    assert.ok(found.length > 0);
    assert.equal(plan, null);
  });
