import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PagePlan } from '../../plan/step.ts';
import type { RequestedPage } from '../context/request-context.ts';
import { before } from './answer.ts';

const pageBefore = (by: 'offset' | 'number', here: Partial<RequestedPage>, total: number): number | null =>
  before({ limit: 3, offset: 0, number: 1, ...here } as RequestedPage, { by } as PagePlan, total);

test('before a page past the end stands the last, wherever that page begins', () => {
  const byOffset = (offset: number, total: number): number | null => pageBefore('offset', { offset }, total);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 99].map((offset) => byOffset(offset, 4)),
    [null, 0, 0, 0, 3, 3, 3, 3, 3],
  );
  assert.deepEqual(
    [5, 6, 7].map((offset) => byOffset(offset, 6)),
    [2, 3, 3],
  );
  assert.equal(byOffset(2, 0), 0);
  const byNumber = (number: number, total: number): number | null =>
    pageBefore('number', { number, offset: (number - 1) * 3 }, total);
  assert.deepEqual(
    [1, 2, 3, 9].map((number) => byNumber(number, 4)),
    [null, 1, 2, 2],
  );
});
