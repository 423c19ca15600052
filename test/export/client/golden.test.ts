import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { example } from '../../fixtures.ts';
import { clientText } from './made.ts';

/** `UPDATE=1` writes the client anew, to be read before it is committed. */
const UPDATE = process.env.UPDATE === '1';

test('the client of the orders is the one that stands here, to the byte', () => {
  const golden = new URL('goldens/orders.ts', import.meta.url);
  const made = clientText('examples/orders.md', example('orders'));
  if (UPDATE) writeFileSync(golden, made);
  assert.equal(made, readFileSync(golden, 'utf8'));
});
