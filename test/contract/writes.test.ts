import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { changed, type Edit, example } from '../fixtures.ts';

/** The endpoints of a document that a code may answer since a rule says so. */
function refusedBy(code: string, name: string, ...edits: readonly Edit[]): string[] {
  const { plan, findings } = compile(`${name}.md`, changed(example(name), ...edits));
  assert.deepEqual(
    findings.map(({ message }) => message),
    [],
  );
  assert.ok(plan);
  const endpoints = contractOf(plan).versions[0]?.endpoints ?? [];
  return endpoints.flatMap((one) =>
    one.answers.some((answer) => answer.code === code && answer.because.kind === 'rule') ? [one.name] : [],
  );
}

describe('which endpoints a rule may refuse', () => {
  test('a unique key under a condition: who makes such a row, and not who changes other fields or leads out of the state', () => {
    assert.deepEqual(refusedBy('order_already_open', 'orders'), ['POST /orders']);
  });

  test('who changes a field of the key', () => {
    const edit: Edit = [
      '- Request: Order with quantity, note, each optional',
      '- Request: Order with sku, quantity, each optional',
    ];
    assert.deepEqual(refusedBy('order_already_open', 'orders', edit), ['POST /orders', 'PATCH /orders/{id}']);
  });

  test('who leads into the state of the condition', () => {
    const back: readonly Edit[] = [
      [
        '| cancel     | draft, placed |',
        '| reopen | placed | draft | always | order_not_open |\n| cancel     | draft, placed |',
      ],
      [
        '### `POST /orders/{id}/ship`',
        '### `POST /orders/{id}/reopen`\n\n1. Move `order` by reopen.\n2. Answer 200 with `order`.\n\n### `POST /orders/{id}/ship`',
      ],
    ];
    assert.deepEqual(refusedBy('order_already_open', 'orders', ...back), ['POST /orders', 'POST /orders/{id}/reopen']);
  });

  test('a key without a condition: who makes a row, and who changes it', () => {
    assert.deepEqual(refusedBy('room_exists', 'bookings'), ['POST /rooms', 'PATCH /rooms/{room}']);
  });

  test('what no two rows may cover: who makes a row, and who leads into the state', () => {
    const endpoints = refusedBy('room_taken', 'bookings');
    assert.ok(endpoints.includes('POST /bookings'), String(endpoints));
    assert.ok(!endpoints.includes('DELETE /rooms/{room}'), String(endpoints));
    assert.ok(!endpoints.includes('POST /bookings/{booking}/seats'), String(endpoints));
  });

  test('what holds of a row and of the one that it refers to: who changes what it reads of that', () => {
    const reads: Edit = [
      '- Request: Room with name, capacity, notice, each optional',
      '- Request: Room with name, opens, notice, each optional',
    ];
    assert.ok(!refusedBy('room_closed', 'bookings').includes('PATCH /rooms/{room}'));
    assert.ok(refusedBy('room_closed', 'bookings', reads).includes('PATCH /rooms/{room}'));
  });

  test('what holds of all rows of another resource: who makes, changes and removes those', () => {
    const endpoints = refusedBy('room_full', 'bookings');
    for (const one of ['POST /bookings/{booking}/seats', 'DELETE /bookings/{booking}/seats', 'PATCH /rooms/{room}'])
      assert.ok(endpoints.includes(one), `${one}: ${endpoints}`);
    assert.ok(!endpoints.includes('POST /rooms'), String(endpoints));
  });

  test('a derived field: who changes what it is computed from', () => {
    assert.deepEqual(refusedBy('refund_too_large', 'payments'), [
      'POST /intents',
      'PATCH /intents/{intent}',
      'POST /refunds',
    ]);
  });
});
