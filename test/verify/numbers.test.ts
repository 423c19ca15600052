import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { judged } from '../../src/verify/judge/judge.ts';
import { Oracle } from '../../src/verify/oracle/oracle.ts';
import type { Answer, Request } from '../../src/verify/target/exchange.ts';
import { example } from '../fixtures.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const WHEN = { earliest: NOW, latest: NOW };
const URL = 'http://127.0.0.1:1';

/** The to-dos, no two of which have one title, and which show their numbers. */
function document(): string {
  const [field, code] = [/(\| title .*\|) +\|$/m, /^\| not_found .*$/m];
  return example('todos')
    .replace(field, '$1 yes, else taken |')
    .replace(code, '$&\n| taken | 409 | a rule says so | Taken |')
    .replace('Shown: url', 'Shown: number, url');
}

const { plan, findings } = compile('todos.md', document());

const create = (title: string): Request => ({
  method: 'POST',
  target: '/',
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from(JSON.stringify({ title })),
});

function answerOf(oracle: Oracle, request: Request, name: string): Answer {
  const { status, headers, body } = oracle.handle(request, NOW, name).expected;
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** Whether it breaks the document that a service gives the last of the to-dos a number that is so much higher. */
function isBroken(titles: readonly string[], by: number): boolean {
  assert.ok(plan, JSON.stringify(findings));
  let known = Oracle.of(plan, URL);
  for (const [i, title] of titles.entries()) {
    const [request, name] = [create(title), `request${i}`];
    const service = known.copy();
    if (i === titles.length - 1) service.state.rows.leaveOut('Todo.number', by);
    const outcome = answerOf(service, request, name);
    const exchange = { request, outcome, sentAt: NOW, endedAt: NOW };
    const verdict = judged(known, exchange, outcome, WHEN, name);
    if (verdict.kind !== 'kept') return true;
    known = verdict.oracle;
  }
  return false;
}

test('a service may leave out the numbers of requests that it refused, and no others', () => {
  const refusedOnce = ['a', 'a', 'b'];
  const refusedTwice = ['a', 'a', 'a', 'b'];
  const cases: ReadonlyArray<readonly [titles: readonly string[], by: number, broken: boolean]> = [
    [refusedOnce, 0, false],
    [refusedOnce, 1, false],
    [refusedOnce, 2, true],
    [refusedTwice, 1, false],
    [refusedTwice, 2, false],
    [['a', 'b'], 1, true],
    // A row that was made since has taken the place of what was left out before it.
    [['a', 'a', 'b', 'c'], 1, true],
    [['a', 'b'], -1, true],
  ];
  for (const [titles, by, broken] of cases) assert.equal(isBroken(titles, by), broken, `${titles}, ${by} more`);
});
