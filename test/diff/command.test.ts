import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runHere } from '../../src/cli/harness.test.ts';
import { edited, ORDERS } from '../harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'ninefold-diff-'));
after(() => rmSync(folder, { recursive: true }));

function written(name: string, document: string): string {
  const file = join(folder, name);
  writeFileSync(file, document);
  return file;
}

const OLD = written('old.md', ORDERS);

const NOTHING = `For callers: nothing.
For data: nothing.
0 differences for callers: 0 breaking, 0 covered by a version; 0 for data.
`;

test('edits of prose, Purpose and Domain alone are no difference', async () => {
  const next = edited(
    ORDERS,
    ['### `GET /summary`\n', '### `GET /summary`\n\nThe orders of the caller.\n'],
    ['### Order\n', '### Order\n\nOne product, in a quantity.\n'],
    ['- Purpose: ', '- Purpose: now '],
    ['- Domain: ', '- Domain: now '],
  );
  const { out, code } = await runHere('diff', OLD, written('next.md', next));
  assert.deepEqual([out, code], [NOTHING, 0]);
});

const GRADED = edited(
  ORDERS,
  ['| note     |', '| grade    | integer   |        | 1 to 5 | request |          |          |\n| note     |'],
  ['Order with sku, quantity, note', 'Order with sku, quantity, grade, note'],
);

test('of a new required field, diff says what migrate needs', async () => {
  const next = written('graded.md', GRADED);
  const { out } = await runHere('diff', OLD, next);
  assert.match(
    out,
    /\n {2}Order\.grade is added {2}\(migrate needs a value for stored rows: --fill Order\.grade=VALUE\)\n/,
  );
  const { data } = JSON.parse((await runHere('diff', OLD, next, '--json')).out);
  assert.deepEqual(data[0].fill, 'Order.grade');
  const filled = await runHere('diff', OLD, next, '--fill', 'Order.grade=3');
  assert.match(filled.out, /\n {2}Order\.grade is added, 3 in stored rows\n/);
});

test('of an optional field, and of one with a stated constant, it says nothing of that', async () => {
  const optional = edited(GRADED, ['1 to 5 | request |          |', '1 to 5 | request | optional |']);
  const stated = edited(GRADED, ['1 to 5 | request |', '1 to 5 | request, else `3` |']);
  for (const document of [optional, stated])
    assert.doesNotMatch((await runHere('diff', OLD, written('other.md', document))).out, /migrate needs/);
});
