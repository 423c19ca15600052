import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { isSameId, statementId } from '../../src/plan/lines.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import type { Request } from '../../src/verify/target/exchange.ts';
import { IN_WHOLE } from '../share.ts';
import { documentText, planOf, subjectOf } from '../subject.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

test('an endpoint is sent null though null at another endpoint has tried the field', async (t) => {
  const text = documentText('examples/todos.md');
  const subject = await subjectOf(t, text);
  const sent: Request[] = [];
  const send = subject.target.send.bind(subject.target);
  subject.target.send = (request) => {
    sent.push(request);
    return send(request);
  };
  await verify({
    subject,
    url: subject.serviceUrl,
    statements: statementsOf(subject.plan, subject.contract, text),
    only: null,
    seed: 20261123,
    budget: PATIENCE_MS,
    mostRequests: 100,
    mostBreaks: 1,
    version: '0',
  });
  const withNull = sent.filter(({ body }) => body?.includes('"order":null')).map(({ method }) => method);
  assert.deepEqual([...new Set(withNull)].sort(), ['PATCH', 'POST']);
});

test('each endpoint is brought to refuse by the rules that other endpoints have met', IN_WHOLE, async (t) => {
  const text = documentText('test/verify/wards.md');
  const subject = await subjectOf(t, text);
  const BOTH = ['patients', 'return'];
  const refusing = new Set<string>();
  const send = subject.target.send.bind(subject.target);
  subject.target.send = async (request) => {
    const exchange = await send(request);
    const { outcome } = exchange;
    if ('body' in outcome && outcome.body.includes('code_taken')) refusing.add(request.target.split('/').at(-1) ?? '');
    return exchange;
  };
  const { requests } = await verify({
    subject,
    url: subject.serviceUrl,
    statements: statementsOf(subject.plan, subject.contract, text),
    only: null,
    seed: 20261126,
    budget: PATIENCE_MS,
    // The run ends with the last of the refusals that it is made for.
    get mostRequests() {
      return refusing.size === BOTH.length ? 0 : 1500;
    },
    mostBreaks: 1,
    version: '0',
  });
  t.diagnostic(`${requests} requests`);
  // Whoever returns may find the code taken, by somebody who came in after they had left.
  assert.deepEqual([...refusing].sort(), BOTH);
});

test('a unique rule is kept once its letters, its fields and what does not count were tried', () => {
  const needsOf = (name: string, resource: string): string[] => {
    const text = documentText(`test/verify/${name}.md`);
    const plan = planOf(text);
    const id = statementId.rule(resource, 'unique', 0);
    const found = statementsOf(plan, contractOf(plan), text).find((one) => isSameId(one.id, id));
    return (found?.needs ?? []).map((need) => need.name);
  };
  const always = ['a row that keeps the rule is accepted', 'a second row with the same values is refused'];
  assert.deepEqual(needsOf('auction', 'Lot'), [
    ...always,
    'a second row with the same text in other letters is refused',
    'a row with another sale is accepted',
    'a row with another title is accepted',
  ]);
  assert.deepEqual(needsOf('lending', 'Loan'), [
    ...always,
    'a row with the values of one that does not count is accepted',
  ]);
});
