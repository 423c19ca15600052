import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { Session } from '../../src/verify/session/session.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import type { Exchange, Request } from '../../src/verify/target/exchange.ts';
import { example } from '../fixtures.ts';
import { documentText, subjectOf } from '../subject.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

test('an entity tag that never changes is found', async (t) => {
  const text = example('orders');
  const subject = await subjectOf(t, text);
  const { target, plan } = subject;
  const told = new Set<string>();
  const send = async (request: Request): Promise<Exchange> => {
    // Of the tags that it has told so, the service takes each for the row's.
    const sent = request.headers.map(([name, value]) => [name, told.has(value) ? '*' : value] as const);
    const exchange = { ...(await target.send({ ...request, headers: sent })), request };
    const { outcome } = exchange;
    if ('failed' in outcome) return exchange;
    const headers = outcome.headers.map(
      ([name, value]) => [name, name.toLowerCase() === 'etag' ? '"v"' : value] as const,
    );
    for (const [name, value] of headers) if (name.toLowerCase() === 'etag') told.add(value);
    return { ...exchange, outcome: { ...outcome, headers } };
  };
  const { breaks } = await verify({
    subject: { ...subject, target: Object.create(target, { send: { value: send } }) },
    url: 'http://127.0.0.1:1',
    statements: statementsOf(plan, contractOf(plan), text),
    only: null,
    seed: 1,
    budget: PATIENCE_MS,
    mostRequests: 400,
    mostBreaks: 1,
    version: '0',
  });
  const [first] = breaks;
  assert.match(first?.expected ?? '', /a tag that this row has had in no other state and no other version/);
});

const TEXT = 'a note';

/** Preconditions about a tag that no answer has told, and how many rows a right service makes. */
const UNTOLD: ReadonlyArray<readonly [header: string, value: string, created: number]> = [
  ['If-None-Match', '"nothing"', 1],
  ['If-None-Match', 'W/"a", "b"', 1],
  ['If-None-Match', '*', 0],
  ['If-Match', '"nothing"', 0],
  ['If-Match', '*', 1],
];

for (const [header, value, created] of UNTOLD)
  test(`what a write makes is known where ${header}: ${value} is of a tag that no answer has told`, async (t) => {
    const session = await Session.begin(await subjectOf(t, documentText('docs/documents/notes.md')), new Random(1));
    const send = async (method: string, extra: ReadonlyArray<readonly [string, string]>, name: string) => {
      const body = method === 'GET' ? null : Buffer.from(JSON.stringify({ text: TEXT }));
      const type = body ? ([['Content-Type', 'application/json']] as const) : [];
      const { verdict } = await session.send({ method, target: '/notes', headers: [...type, ...extra], body }, name);
      assert.equal(verdict.kind, 'kept');
      return verdict.kind === 'kept' ? verdict.prediction.trace.map(({ what }) => what) : [];
    };
    const trace = await send('POST', [[header, value]], 'first');
    assert.equal(session.oracle.state.rows.all('Note').length, created);
    if (value !== '*') assert.ok(!trace.includes('held') && !trace.includes('refused precondition failed'));
    await send('POST', [], 'second');
    await send('GET', [['If-None-Match', '"nothing"']], 'third');
    await send('GET', [], 'fourth');
  });

test('a service that tells by its answer that a tag was the current one is taken at its word', async (t) => {
  const text = documentText('docs/documents/notes.md');
  const served = text.replace('Preconditions on writes: evaluated', 'Preconditions on writes: refused');
  const session = await Session.begin(await subjectOf(t, text, served), new Random(1));
  const headers = [
    ['Content-Type', 'application/json'],
    ['If-None-Match', '"nothing"'],
  ] as const;
  const body = Buffer.from(JSON.stringify({ text: TEXT }));
  const { verdict } = await session.send({ method: 'POST', target: '/notes', headers, body }, 'first');
  assert.equal(verdict.kind, 'kept');
  assert.equal(session.oracle.state.rows.all('Note').length, 0);
});
