import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runHere } from '../cli/harness.test.ts';
import { ADA, ORDERS, Shown } from './harness.test.ts';
import type {
  Filter,
  Move,
  Problem,
  RowAnswer,
  RowsAnswer,
  RowsOfIdentities,
  RowWritten,
  StatesAnswer,
} from './protocol.ts';

/** The customers have a secret, too. */
const WITH_SECRETS = ORDERS.replace(
  /^\| email .*\n/m,
  '$&| pin | string | webhook secret | | on create `secret()` | |\n',
);

let page: Shown;
let orders: string[];
before(async () => {
  page = await Shown.open(WITH_SECRETS);
  await page.customer();
  orders = [];
  for (const [i, quantity] of [5, 1, 200, 3].entries()) orders.push(await page.order(`ABC-000${i}`, quantity));
});
after(() => page.stop());

const skus = async (query: string): Promise<string> => {
  const { rows, total } = await page.get<RowsAnswer>(`/rows/Order?${query}`);
  return `${rows.map((row) => String(row.values.sku).slice(-1)).join('')} of ${total}`;
};
const kept = (...filters: Filter[]): Promise<string> =>
  skus(`sort=sku&filter=${encodeURIComponent(JSON.stringify(filters))}`);
const movesOf = async (id: string): Promise<Map<string, Move>> => {
  const { moves } = await page.get<RowAnswer>(`/rows/Order/${id}`);
  return new Map(moves.map((one) => [one.transition, one]));
};

test('a part of them, in the order of any field', async () => {
  assert.equal(await skus(''), '3210 of 4', 'the newest first');
  assert.equal(await skus('sort=id'), '0123 of 4', 'by their identities');
  assert.equal(await skus('sort=sku&search=bc-0002'), '2 of 1', 'a part of a text, whatever its case');
  assert.equal(await skus('sort=sku&search=200'), '2 of 1', 'a number as a whole');
  assert.equal(await skus('search=nothing'), ' of 0');
  assert.equal(await skus("search=%25'"), ' of 0', 'no character stands for others');
  assert.equal(await skus('sort=-sku'), '3210 of 4');
  assert.equal(await skus('sort=quantity'), '1302 of 4');
  assert.equal(await skus('sort=quantity&offset=1&limit=2'), '30 of 4');
  assert.equal(await skus('sort=-id&limit=1'), '3 of 4');
  assert.equal(await skus('offset=9'), ' of 4');
  for (const query of [
    'sort=nothing',
    'limit=0',
    'limit=201',
    'limit=x',
    'offset=-1',
    'filter=x',
    'filter=[{}]',
    'search=a%00',
  ])
    assert.equal((await page.get<Problem>(`/rows/Order?${query}`)).kind, 'wrong use', query);
  assert.equal((await page.get<Problem>('/rows/Nothing')).kind, 'not found');
});

test('no comparison tells a secret that no list shows', async () => {
  const { row } = await page.get<RowAnswer>(`/rows/Customer/${ADA}`);
  const pin = String(row.values.pin);
  assert.match(pin, /^whsec_/, 'the row itself has it');
  const { rows: whole } = await page.post<RowsOfIdentities>('/identities/Customer', { ids: [ADA] });
  for (const [one] of [whole, (await page.get<RowsAnswer>('/rows/Customer')).rows]) assert.equal(one?.values.pin, null);
  assert.equal((await page.get<RowsAnswer>(`/rows/Customer?search=${encodeURIComponent(pin)}`)).total, 0);
  const filter = encodeURIComponent(JSON.stringify([{ field: 'pin', is: 'contains', value: 'whsec_' }]));
  for (const query of [`filter=${filter}`, 'sort=pin'])
    assert.equal((await page.get<Problem>(`/rows/Customer?${query}`)).kind, 'wrong use', query);
});

test('only those that all conditions hold for', async () => {
  assert.equal(await kept({ field: 'sku', is: 'equal', value: 'ABC-0001' }), '1 of 1');
  assert.equal(await kept({ field: 'sku', is: 'not equal', value: 'ABC-0001' }), '023 of 3');
  assert.equal(await kept({ field: 'sku', is: 'contains', value: 'bc-0' }), '0123 of 4', 'whatever the case');
  assert.equal(await kept({ field: 'sku', is: 'contains', value: '%' }), ' of 0', 'no character stands for others');
  assert.equal(await kept({ field: 'sku', is: 'contains', value: "'" }), ' of 0');
  assert.equal(
    await kept({ field: 'quantity', is: 'from', value: '3' }, { field: 'quantity', is: 'to', value: '5' }),
    '03 of 2',
  );
  assert.equal(await kept({ field: 'note', is: 'absent', value: null }), '0123 of 4');
  assert.equal(await kept({ field: 'note', is: 'present', value: null }), ' of 0');
  assert.equal(await kept({ field: 'note', is: 'not equal', value: 'x' }), '0123 of 4', 'what is absent is not x');
  assert.equal(await kept({ field: 'customer', is: 'equal', value: ADA.toUpperCase() }), '0123 of 4');
  assert.equal(await kept({ field: 'created', is: 'to', value: '2020-01-01T00:00:00Z' }), ' of 0');
  const five: Filter[] = Array.from({ length: 5 }, () => ({ field: 'sku', is: 'present', value: null }));
  const asked = encodeURIComponent(JSON.stringify(five));
  assert.equal((await page.get<Problem>(`/rows/Order?filter=${asked}`)).kind, 'wrong use');
});

test('a legal move is made, and what follows from it is there', async () => {
  const [id = ''] = orders;
  const before = await movesOf(id);
  assert.deepEqual(
    [...before.values()].map((one) => `${one.transition} ${one.legal}`),
    ['place true', 'ship false', 'deliver false', 'cancel true', 'expire false'],
  );
  assert.equal(before.get('ship')?.why, 'order_not_shippable: ship leads from placed, and this row is draft.');
  assert.equal(before.get('expire')?.timed, true);
  assert.match(before.get('expire')?.due ?? '', /^\d{4}-.*Z$/);
  const moved = await page.post<RowWritten>(`/rows/Order/${id}/move`, { transition: 'place' });
  assert.equal(moved.row.values.status, 'placed');
  assert.equal((await movesOf(id)).get('ship')?.legal, true);
  const { machines } = await page.get<StatesAnswer>('/states');
  assert.deepEqual(machines[0]?.states.values, ['draft', 'placed', 'shipped', 'delivered', 'cancelled']);
});

test('an illegal move is refused by the line that states it', async () => {
  const [, , id = ''] = orders;
  const place = (await movesOf(id)).get('place');
  assert.equal(place?.legal, false);
  assert.equal(place?.guard, 'this.quantity <= 100 || this.note != null');
  assert.equal(place?.why, 'order_not_placeable: the guard of place does not hold for this row.');
  const refused = await page.post<Problem>(`/rows/Order/${id}/move`, { transition: 'place' });
  assert.equal(refused.http, 409);
  assert.equal(refused.refusal?.code, 'order_not_placeable');
  assert.match(refused.refusal?.lines[0]?.text ?? '', /^\| place .*order_not_placeable/);
  const expire = await page.post<Problem>(`/rows/Order/${id}/move`, { transition: 'expire' });
  assert.equal(expire.http, 409, 'what happens by itself');
  assert.equal((await page.post<Problem>(`/rows/Order/${id}/move`, { transition: 'x' })).http, 400);
  assert.equal((await page.post<Problem>('/rows/Order/x/move', { transition: 'place' })).http, 404);
  const { row } = await page.get<RowAnswer>(`/rows/Order/${id}`);
  assert.equal(row.values.status, 'draft');
});

test('nothing is changed that `rows change` could not change, and a rule says where it stands', async () => {
  const [id = ''] = orders;
  const given = await page.post<Problem>(`/rows/Order/${id}/change`, { fields: { sku: 'ABC-9999' } });
  assert.equal(given.http, 409);
  assert.match(given.error, /cannot be given by the operator/);
  const kept = await page.post<Problem>(`/rows/Customer/${ADA}/remove`, {});
  assert.equal(kept.refusal?.code, 'customer_has_orders');
  assert.match(kept.refusal?.lines[0]?.text ?? '', /^- Keeps: customer, else customer_has_orders/);
  const other = { id: '0195c2a0-0000-7000-8000-000000000002', name: 'Eve', email: `${ADA}@example.com` };
  const taken = await page.post<Problem>('/rows/Customer', { fields: other });
  assert.equal(taken.http, 409);
  assert.match(taken.refusal?.lines[0]?.text ?? '', /^\| email /);
  const none = await page.post<Problem>(`/rows/Customer/${ADA}/change`, { fields: {} });
  assert.deepEqual([none.kind, none.error], ['wrong use', `No field of Customer “${ADA}” is to change.`]);
  const changed = await page.post<RowWritten>(`/rows/Customer/${ADA}/change`, { fields: { name: 'Ada L.' } });
  assert.equal(changed.row.values.name, 'Ada L.');
  const { referredBy } = await page.get<RowAnswer>(`/rows/Customer/${ADA}`);
  assert.deepEqual(referredBy, [{ resource: 'Order', field: 'customer', rows: 4 }]);
});

test('the command line shows the same rows, and its changes are seen', async () => {
  const place = ['--data', `${page.folder}/data`];
  const { out } = await runHere('rows', page.file, 'list', 'Order', '--json', ...place);
  const { rows } = await page.get<RowsAnswer>('/rows/Order?sort=id');
  assert.deepEqual(
    rows.map((row) => row.values),
    JSON.parse(out),
  );
  const id = orders[3] ?? '';
  const { code } = await runHere('rows', page.file, 'move', 'Order', id, 'cancel', ...place);
  assert.equal(code ?? 0, 0);
  assert.equal((await page.get<RowAnswer>(`/rows/Order/${id}`)).row.values.status, 'cancelled');
});

test('references are told by their labels', async () => {
  const { rows, labels } = await page.get<RowsAnswer>('/rows/Order?limit=1');
  assert.equal(rows[0]?.values.customer, ADA);
  assert.deepEqual(labels, { Customer: { [ADA]: `${ADA}@example.com` } });
  const { label } = await page.get<RowAnswer>(`/rows/Customer/${ADA}`);
  assert.equal(label, `${ADA}@example.com`);
});
