import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Shown } from './harness.test.ts';
import type { Activity, DocumentAnswer, RowAnswer, RowWritten, ServiceAnswer, StatesAnswer } from './protocol.ts';

const PARCELS = new URL('../compiler/states/cases/documents/parcels.md', import.meta.url);

let page: Shown;
before(async () => {
  page = await Shown.open(readFileSync(PARCELS, 'utf8'));
  for (const id of [1, 2])
    await page.post('/try', {
      method: 'POST',
      path: '/parcels',
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ id }),
      caller: null,
    });
});
after(() => page.stop());

test('each field has a drawing, with the number of rows in each of its states', async () => {
  const moved = await page.post<RowWritten>('/rows/Parcel/1/move', { transition: 'pay' });
  assert.deepEqual([moved.row.values.status, moved.row.values.payment], ['open', 'paid']);
  const { machines } = await page.get<StatesAnswer>('/states');
  assert.deepEqual(
    machines.map(({ resource, states, counts }) => [`${resource}.${states.field}`, { ...counts }]),
    [
      ['Parcel.status', { open: 2 }],
      ['Parcel.payment', { due: 1, paid: 1 }],
    ],
  );
  const { rows } = await page.get<Activity>('/activity');
  assert.deepEqual(
    machines.map(({ countedAs }) => rows[countedAs]),
    machines.map(({ counts }) => counts),
  );
});

test('a row has the moves of both fields, each legal by its own state', async () => {
  const { moves } = await page.get<RowAnswer>('/rows/Parcel/1');
  assert.deepEqual(
    moves.map(({ transition, legal }) => `${transition} ${legal}`),
    ['send true', 'stop true', 'expire false', 'pay false', 'refund true', 'abandon false'],
  );
  const other = await page.get<RowAnswer>('/rows/Parcel/2');
  assert.equal(
    other.moves.find(({ transition }) => transition === 'send')?.why,
    'not_sendable: the guard of send does not hold for this row.',
  );
});

test('the states of both fields are known as such, and lines of the document lead to the field', async () => {
  const { resources } = await page.get<ServiceAnswer>('/service');
  assert.deepEqual(
    resources[0]?.stateFields.map(({ name }) => name),
    ['status', 'payment'],
  );
  const { statements } = await page.get<DocumentAnswer>('/document');
  const views = statements.flatMap(({ what, view }) => (view?.kind === 'states' ? [`${what} at ${view.name}`] : []));
  assert.ok(views.includes('the transition refund of Parcel at Parcel.payment'));
  assert.ok(views.includes('the initial state of Parcel.status at Parcel.status'));
});
