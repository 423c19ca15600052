import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { actOf } from './page/activity/act-words.ts';
import { classOf, quantile, ratesOf } from './page/activity/figures.ts';
import { blocksOf, linesOf, piecesOf } from './page/document/lines.ts';
import { counted, fileName, grouped, shortTime } from './page/parts/words.ts';
import type { Activity } from './protocol/activity.ts';

// Tests of the page's functions on data; its appearance is tested in a browser (test/console/).

const ORDERS = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'orders.md'), 'utf8');

test('each line of a document is one line of the page, under its number', () => {
  const lines = linesOf(ORDERS);
  const text = ORDERS.trimEnd().split('\n');
  assert.equal(lines.length, text.length);
  for (const [i, line] of lines.entries()) {
    assert.equal(line.number, i + 1);
    if (line.kind === 'text' || line.kind === 'code' || line.kind === 'table') assert.equal(line.text, text[i]);
    else assert.ok((text[i] ?? '').includes(line.text), `${line.text} is in line ${line.number}`);
  }
});

test('a line is what Markdown says that it is', () => {
  const lines = linesOf(
    '# Notes\r\n\r\nProse with <b>HTML</b>\r\n- Bullet\r\n  - Inner\r\n10. Step\r\n```\n# no heading\n| no | table |\n```\n## After',
  );
  assert.deepEqual(
    lines.map(({ kind, level, mark, text }) => [kind, level, mark, text]),
    [
      ['heading', 1, '', 'Notes'],
      ['blank', 0, '', ''],
      ['text', 0, '', 'Prose with <b>HTML</b>'],
      ['bullet', 0, '–', 'Bullet'],
      ['bullet', 1, '–', 'Inner'],
      ['step', 0, '10.', 'Step'],
      ['code', 0, '', '```'],
      ['code', 0, '', '# no heading'],
      ['code', 0, '', '| no | table |'],
      ['code', 0, '', '```'],
      ['heading', 2, '', 'After'],
    ],
  );
});

test('the cells of a table are its own, with the bars that stand in code', () => {
  const [head, rule, row] = linesOf('| When | Else |\n| :--- | ---: |\n| `a \\|\\| b` |  |');
  assert.deepEqual(head?.cells, ['When', 'Else']);
  assert.deepEqual(rule?.cells, []);
  assert.deepEqual(row?.cells, ['`a || b`', '']);
});

test('blocks hold each line once, are short, and keep tables whole', () => {
  const lines = linesOf(`${ORDERS}\n${'prose\n'.repeat(200)}| a | b |\n${'| 1 | 2 |\n'.repeat(100)}`);
  const blocks = blocksOf(lines);
  assert.deepEqual(
    blocks.flatMap((block) => block.lines),
    lines,
  );
  for (const block of blocks) {
    assert.equal(block.first, block.lines[0]?.number);
    const apart = block.lines.filter((line, i) => line.kind !== 'table' || block.lines[i - 1]?.kind !== 'table');
    assert.ok(apart.length <= 60, `${apart.length} lines and tables`);
  }
  const last = blocks.at(-1)?.lines.filter((line) => line.kind === 'table') ?? [];
  assert.equal(last.length, 101, 'the table is in one block');
});

test('code and emphasis are pieces of their own, and all else is text as it is written', () => {
  assert.deepEqual(piecesOf('when `a == "**b**"` holds, **never** `` ` `` <i>'), [
    { kind: 'text', text: 'when ' },
    { kind: 'code', text: 'a == "**b**"' },
    { kind: 'text', text: ' holds, ' },
    { kind: 'bold', text: 'never' },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: '`' },
    { kind: 'text', text: ' <i>' },
  ]);
  assert.deepEqual(piecesOf('an `open end'), [{ kind: 'text', text: 'an `open end' }]);
});

test('times are read off the buckets that answers are counted in', () => {
  const buckets = [0.001, 0.01, 0.1];
  assert.equal(quantile([0, 0, 0, 0], buckets, 0.5), null);
  assert.equal(quantile([10, 0, 0, 0], buckets, 0.5), 0.5);
  assert.equal(Math.round(quantile([0, 10, 0, 0], buckets, 1) ?? 0), 10);
  // Times above the last bucket count as its upper bound.
  assert.equal(quantile([0, 0, 0, 4], buckets, 0.95), 100);
});

const activity = (second: number, requests: Activity['requests']): Activity => ({
  at: new Date(second * 1000).toISOString(),
  since: new Date(0).toISOString(),
  requests,
  deliveries: {},
  timedMoves: 0,
  rows: {},
  notReady: null,
  changedOnDisk: false,
  served: 1,
  memory: 0,
  processor: 0,
});

test('rates are what came between two messages', () => {
  const answered = (took: readonly number[], statuses: Readonly<Record<string, number>>) => [
    { endpoint: 'GET /notes', statuses, took, seconds: 0 },
  ];
  const messages = [
    activity(1, []),
    activity(3, answered([4, 0], { 200: 3, 404: 1 })),
    activity(4, answered([4, 0], { 200: 3, 404: 1 })),
  ];
  const [first, second] = ratesOf(messages, [0.01]);
  assert.deepEqual(first, { requests: 2, median: 5, slow: 9.5 });
  assert.deepEqual(second, { requests: 0, median: null, slow: null });
  const [one] = messages[1]?.requests ?? [];
  assert.deepEqual(one && [classOf(one, '2'), classOf(one, '4'), classOf(one, '5')], [3, 1, 0]);
});

test('numbers and names are written as people read them', () => {
  assert.deepEqual([counted(1, 'row'), counted(2, 'key'), counted(3, 'delivery')], ['1 row', '2 keys', '3 deliveries']);
  assert.equal(grouped(1_234_567), '1\u202f234\u202f567');
  assert.deepEqual([0.25, 4.04, 900, 1500, 7_200_000].map(shortTime), ['under 1 ms', '4 ms', '900 ms', '1.5 s', '2 h']);
  assert.deepEqual(['/a/b/orders.md', 'C:\\a\\orders.md', 'orders.md'].map(fileName), Array(3).fill('orders.md'));
});

test('the words of a change in the console', () => {
  const id = '01a22a0e-6058-7075-9fe7-cd230712fb97';
  const row = { resource: 'Ticket', id };
  const of = 'Ticket 01a22a0e…fb97';
  assert.deepEqual(actOf(`/rows/Ticket/${id}/move solve`), { verb: 'move solve', of, row });
  assert.deepEqual(actOf(`/rows/Ticket/${id}/remove`), { verb: 'remove', of, row: null });
  assert.deepEqual(actOf(`/rows/Ticket ${id}`), { verb: 'add', of, row });
  assert.equal(actOf('/rows/Tag red…').row, null, 'a cut identity');
  assert.deepEqual(actOf('/rows/Tag red wine').row, { resource: 'Tag', id: 'red wine' });
  assert.deepEqual(actOf('/rows/Tag/~./change').row, { resource: 'Tag', id: '.' });
  assert.deepEqual(actOf(`/rows/Tag/${encodeURIComponent('客'.repeat(9))}…/change`).row, null, 'a cut identity');
  assert.deepEqual(actOf('/rows/Ticket'), { verb: 'add', of: 'Ticket', row: null });
  assert.deepEqual(actOf('/receivers/Hook%201/test a.b'), { verb: 'test', of: 'receiver Hook 1 a.b', row: null });
  assert.deepEqual(actOf('/keys 7'), { verb: 'issue', of: 'key 7', row: null });
  assert.deepEqual(actOf('/edit/save'), { verb: 'save', of: 'document', row: null });
});
