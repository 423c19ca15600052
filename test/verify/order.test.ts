import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { judged } from '../../src/verify/judge/judge.ts';
import { Oracle } from '../../src/verify/oracle/oracle.ts';
import type { Answer, Request } from '../../src/verify/target/exchange.ts';
import { planOf } from '../subject.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const URL = 'http://127.0.0.1:1';

/** Notes that are listed by the time at which they were made, and whose times are shown in seconds. */
const text = readFileSync(join(import.meta.dirname, 'hidden-times.md'), 'utf8')
  .replace('UTC, milliseconds', 'UTC, seconds')
  .replace('with id: `note.id`', 'with `note`')
  .replace(/^1\. List `notes`: .*$/m, '1. List `notes`: Note, latest `created` first, in pages.');

const create = (note: string): Request => ({
  method: 'POST',
  target: '/notes',
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from(JSON.stringify({ text: note })),
});
const LIST: Request = { method: 'GET', target: '/notes', headers: [], body: null };

test('where the clock runs, a request after another has come later, however long each has taken', () => {
  const plan = planOf(text);
  // When each request came by the service’s clock, and between which instants that was for all that the test knows.
  const course = [
    { request: create('first'), came: 1004, earliest: 960, latest: 1010 },
    { request: create('second'), came: 1008, earliest: 970, latest: 1020 },
    { request: create('third'), came: 1012, earliest: 980, latest: 1022 },
    { request: LIST, came: 1016, earliest: 1000, latest: 1040 },
  ];
  const ids = new Map<string, string>();
  // What the oracle has drawn stands for an identity.
  const uuidOf = (mark: string): string => {
    const id = ids.get(mark) ?? `0190a000-0000-7000-8000-${String(ids.size).padStart(12, '0')}`;
    ids.set(mark, id);
    return id;
  };
  const service = Oracle.of(plan, URL);
  let known = Oracle.of(plan, URL);
  for (const [i, { request, came, earliest, latest }] of course.entries()) {
    const { status, headers, body } = service.handle(request, NOW + came, `request${i}`).expected;
    const told = JSON.stringify(body).replace(/\p{Co}[^"]*/gu, (mark) => uuidOf(mark));
    const outcome: Answer = { status, headers, body: Buffer.from(told) };
    const exchange = { request, outcome, sentAt: 0, endedAt: 0 };
    const when = { earliest: NOW + earliest, latest: NOW + latest };
    const verdict = judged(known, exchange, outcome, when, `request${i}`);
    assert.equal(verdict.kind, 'kept', JSON.stringify(verdict));
    if (verdict.kind === 'kept') known = verdict.oracle;
  }
});

test('of rows that requests at the same time have made nobody knows which comes first', () => {
  const plan = planOf(text);
  const oracle = Oracle.of(plan, URL);
  oracle.handle(create('first'), NOW + 1, 'request1');
  oracle.handle(create('second'), NOW + 2, 'request2');
  const outcome: Answer = { status: 200, headers: [], body: Buffer.from('[]') };
  const exchange = { request: LIST, outcome, sentAt: 0, endedAt: 0 };
  const kindOf = (): string => judged(oracle, exchange, outcome, { earliest: NOW + 9, latest: NOW + 9 }, 'list').kind;
  assert.equal(kindOf(), 'broken');
  for (const at of [NOW + 1, NOW + 2]) oracle.state.rows.raced.add(at);
  assert.equal(kindOf(), 'not judged');
});
