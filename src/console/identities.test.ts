import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edited } from '../../test/harness.ts';
import { pathSegment } from '../text/path-segment.ts';
import { ORDERS, Shown } from './harness.test.ts';
import type { ActsAnswer, RowAnswer } from './protocol.ts';

/** The identities of customers are texts. */
const NAMED = edited(ORDERS, [
  '| id    | string | uuid   |                        | operator | identity |\n| name ',
  '| id    | string |        | at most 20 characters  | operator | identity |\n| name ',
]);

test('rows whose identities are no segments of a path have addresses, too', async () => {
  const page = await Shown.open(NAMED);
  try {
    for (const id of ['.', '..', '~', '~.', 'a/b', '', '<b>']) {
      const path = `/rows/Customer/${pathSegment(id)}`;
      const added = await page.post('/rows/Customer', { fields: { id, name: 'Ada', email: 'ada@example.com' } });
      assert.equal(added.http, 200, JSON.stringify(added));
      assert.equal((await page.get<RowAnswer>(path)).row?.id, id);
      assert.equal((await page.post(`${path}/change`, { fields: { name: 'Eve' } })).http, 200, id);
      assert.equal((await page.post(`${path}/remove`, {})).http, 200, id);
      assert.equal((await page.get(path)).http, 404, id);
    }
    const { acts } = await page.get<ActsAnswer>('/acts');
    assert.ok(acts.some(({ what }) => what === '/rows/Customer <b>'));
  } finally {
    await page.stop();
  }
});
