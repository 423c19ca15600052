import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhooks } from '../src/verify/probes/webhooks.ts';
import { Random } from '../src/verify/requests/random.ts';
import { Session } from '../src/verify/run/session.ts';
import { documentText, subjectOf } from './subject.ts';

const SEED = 21;

for (const name of ['orders', 'bookings', 'payments', 'issues', 'apiary'])
  test(`what a service sends receivers is what its document says: ${name}.md`, async (t) => {
    const subject = await subjectOf(t, documentText(`examples/${name}.md`));
    assert.ok(webhooks.applies(subject.plan));
    const random = new Random(SEED);
    const { breaks, untested, traces } = await webhooks.run(await Session.begin(subject, random), random);
    assert.deepEqual(breaks, []);
    t.diagnostic(
      `${untested.map(({ because }) => because).join(' ')} ${[...new Set(traces.filter((one) => /^event|^Webhook|webhook/i.test(one.statement)).map((one) => `${one.statement} ${one.what}`))].join('; ')}`,
    );
  });
