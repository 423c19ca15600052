import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, example } from '../../../test/fixtures.ts';
import { readModel } from '../../model/read.ts';
import { Resolved } from '../../model/resolve.ts';
import { readMarkdown } from '../../source/markdown.ts';
import { checkInForce } from './checkinforce.ts';

/** How often all limits are gone through to find those in force, in a document that repeats one of them so often. */
function rounds(count: number): number {
  const row = '| Request size | 16 KiB                        | every endpoint    |';
  const more = Array.from({ length: count }, (_, i) => `| Request size | ${i + 1} KiB | \`POST /\` |`);
  const notes = { findings: [], marks: [] };
  const { model } = readModel(readMarkdown(changed(example('todos'), [row, [...more, row].join('\n')]), []), notes);
  assert.equal(model.limits.own.length, count);
  let rounds = 0;
  const own = new Proxy(model.limits.own, {
    get: (target, name) => {
      if (name === Symbol.iterator) rounds += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  checkInForce(new Resolved({ ...model, limits: { ...model.limits, own } }, notes));
  assert.equal(notes.findings.length, count - 1, 'all but the first are in force nowhere');
  return rounds;
}

test('limits are gone through once for each endpoint, and not once more for each limit', () => {
  assert.equal(rounds(200), rounds(20));
});
