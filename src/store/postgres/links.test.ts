import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Link } from './connections.ts';
import { Links } from './links.ts';

/** A connection without a server, as far as a pool looks at it. */
function newLink(): Link {
  const link = { broken: false, process: null, unansweredFor: () => 0, close: async () => {}, drop: () => {} };
  return link as unknown as Link;
}

/** A pool of one connection. */
const newPool = (): Links =>
  new Links({ open: async () => newLink(), isCurrent: () => true, working: async () => new Set() }, 1);

test('a connection that is opened for a waiter, in place of a broken one, is used by nobody once it is given back', async () => {
  const links = newPool();
  const first = await links.take('change');
  const second = links.take();
  (first as { broken: boolean }).broken = true;
  links.give(first, 'change');
  links.give(await second);
  assert.deepEqual(links.figures, { idle: 1, used: 0, most: 1, waiting: 0 });
  const begun = performance.now();
  await links.close(5000);
  assert.ok(performance.now() - begun < 1000, 'closing waits for connections in use alone');
});
