import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_SCOPES, edited, PATIENT, Workspace } from './harness.ts';

/** Each order costs its customer one credit. */
const PAID = edited(
  PATIENT,
  [
    '| email | string | email  | at most 254 characters | operator | yes      |',
    `| email | string | email  | at most 254 characters | operator | yes, else order_already_open |
| credits | integer | | -10 to 10 | operator; steps | |`,
  ],
  [
    '1. Create `order`: Order from `request`.',
    `1. Require \`caller.credits > 0\`, else order_not_open.
1. Find \`me\`: Customer where \`id == caller.id\`, else order_not_found.
1. Change \`me\` with credits \`me.credits - 1\`.
1. Create \`order\`: Order from \`request\`.`,
  ],
  ['- Shown: never', '- Visible: everyone\n- Shown: never'],
);

test('the caller is the row as the transaction sees it: a credit is spent once', async (t) => {
  await using workspace = new Workspace(PAID);
  const id = crypto.randomUUID();
  const fields = [`id=${id}`, 'name=Ada', 'email=ada@example.com', 'credits=3'];
  const added = await workspace.cli('rows', 'add', 'Customer', ...fields);
  assert.equal(added.code, 0, added.err);
  const key = await workspace.key(id, ALL_SCOPES);
  const service = await workspace.serveHere();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      service.request('POST', '/orders', {
        key,
        body: { sku: `ABC-${String(i).padStart(4, '0')}`, quantity: 1 },
        headers: { 'idempotency-key': `${i}` },
      }),
    ),
  );
  const made = answers.filter((answer) => answer.status === 201).length;
  const refused = answers.filter((answer) => (answer.body as { code?: string }).code === 'order_not_open').length;
  t.diagnostic(`20 orders at once with 3 credits: ${made} made, ${refused} refused`);
  assert.deepEqual([made, refused], [3, 17]);
  const [row] = JSON.parse((await workspace.cli('rows', 'list', 'Customer', '--json')).out) as Array<{
    credits: number;
  }>;
  assert.equal(row?.credits, 0);
});
