import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, example } from '../../../test/fixtures.ts';
import { readMarkdown } from '../../syntax/markdown.ts';
import { Resolved } from '../document/resolve.ts';
import { reachable } from '../errors/reach.ts';
import { readModel } from '../read/read.ts';
import { checkInForce } from './check-effective-limits.ts';

/** How often the checks iterate over all limits, in a document that repeats one limit `count` times. */
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

/** How often the endpoints that a limit or a rate is for are looked at, in a document of so many of each. */
function looks(count: number): number {
  const each = Array.from({ length: count }, (_, i) => i + 1);
  const rows = each.flatMap((i) => [
    `| Time-out | ${i + 20} seconds | \`GET /x${i}\` |`,
    `| Rate | ${i} requests per minute | each address, before authentication, at \`GET /x${i}\` |`,
  ]);
  const size = '| Request size | 16 KiB                        | every endpoint    |';
  const endpoints = each.map((i) => `### \`GET /x${i}\`\n\n1. Answer 204.\n`).join('\n');
  const text = changed(example('todos'), [size, [size, ...rows].join('\n')]);
  const notes = { findings: [], marks: [] };
  const { model } = readModel(
    readMarkdown(changed(text, ['## Authentication', `${endpoints}\n## Authentication`]), []),
    notes,
  );
  let looks = 0;
  const seen = <T extends { readonly at: readonly object[] }>(row: T): T =>
    new Proxy(row, {
      get: (target, name) => {
        if (name === 'at') looks += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
  const limits = { ...model.limits, own: model.limits.own.map(seen), rates: model.limits.rates.map(seen) };
  assert.ok(limits.own.length >= count && limits.rates.length >= count);
  const r = new Resolved({ ...model, limits }, notes);
  checkInForce(r);
  for (const one of r.effective) reachable(r, one);
  assert.deepEqual(notes.findings, []);
  return looks;
}

test('as many limits and rates as endpoints are not looked at once for each endpoint', () => {
  assert.ok(looks(200) < looks(20) * 15, `${looks(20)} looks for 20 of each, ${looks(200)} for 200`);
});
