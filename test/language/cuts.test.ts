import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documents } from '../fixtures.ts';
import { share } from '../share.ts';
import { cutsOf } from './cuts.ts';

/**
 * A statement that ends too early says what may come: each statement of each document is cut behind each of its tokens,
 * and what stood there, or its kind, is among what is offered.
 */
for (const { name, text } of share(documents(), 1).cases)
  test(`every statement of ${name} that is cut off says what may come`, (t) => {
    const cuts = cutsOf(name, text, (statements) => share(statements, 8, 6).cases);
    const offered = cuts.filter((one) => one.offered !== null);
    const silent = offered.filter((one) => !one.helps);
    t.diagnostic(`${offered.length} cuts that are not understood, ${cuts.length - offered.length} that are`);
    assert.ok(offered.length > 5);
    assert.deepEqual(
      silent.map(({ at, before, next, offered: said }) => `${at} ${before} | ${next}: ${said}`),
      [],
    );
  });
