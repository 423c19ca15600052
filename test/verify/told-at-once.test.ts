import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Probe } from '../../src/verify/probes/probe.ts';
import { streams } from '../../src/verify/probes/streams.ts';
import { webhooks } from '../../src/verify/probes/webhooks.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { Session } from '../../src/verify/session/session.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { documentText, subjectOf } from '../subject.ts';

/** What each document tells of, and when it is hard to say what a reader is to hear. */
const DOCUMENTS: ReadonlyArray<readonly [path: string, probe: Probe, when: string]> = [
  ['due-at-once', webhooks, 'a row is moved at the instant at which it is made'],
  ['due-at-once', streams, 'a row is moved at the instant at which it is made'],
  ['bids', streams, 'a payload shows a row that not every reader sees, of a row that is gone'],
  ['ties', streams, 'a payload counts rows that change at the same instant'],
];

for (const [path, probe, when] of DOCUMENTS)
  test(`${probe.name} find nothing where ${when}`, async (t) => {
    const subject = await subjectOf(t, documentText(`test/verify/${path}.md`));
    const random = Random.of(1, 100);
    const { breaks, traces } = await probe.run(await Session.begin(subject, random), random);
    assert.deepEqual(
      breaks.map(({ statement, expected, actual }) => ({ statement, expected, actual })),
      [],
    );
    assert.ok(
      traces.some(({ statement }) => statement.kind === 'event'),
      'it has heard of an event',
    );
  });

test('a transition that could lead elsewhere ends no run', async (t) => {
  const text = documentText('test/verify/lamps.md');
  const subject = await subjectOf(t, text);
  const { breaks, stopped } = await verify({
    subject,
    url: subject.serviceUrl,
    statements: statementsOf(subject.plan, subject.contract, text),
    only: null,
    seed: 1,
    budget: 600_000,
    mostRequests: 300,
    mostBreaks: 1,
    version: '0',
  });
  assert.deepEqual([breaks, stopped], [[], null]);
});
