import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import type { Exchange, Request } from '../../src/verify/target/exchange.ts';
import { example } from '../fixtures.ts';
import { subjectOf } from '../subject.ts';

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
