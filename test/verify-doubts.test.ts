import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOwnService } from '../src/cli/testing/own-service.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import type { Report } from '../src/verify/report/report.ts';
import { Random } from '../src/verify/requests/random.ts';
import { Doubt, LeftBehind } from '../src/verify/run/doubt.ts';
import { verify } from '../src/verify/run/verify.ts';
import { Session } from '../src/verify/session/session.ts';
import { subjectAt } from '../src/verify/session/subject.ts';
import { SetupError } from '../src/verify/setup/failures.ts';
import type { Setup } from '../src/verify/setup/setup.ts';
import { statementsOf } from '../src/verify/statements/statements.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';
import { example } from './fixtures.ts';
import { subjectOf } from './subject.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

/** Holds the service of the orders to their document, with a setup that a test has changed. */
async function run(change: (setup: Setup) => Partial<Setup>, most: number, text = example('orders')): Promise<Report> {
  const { plan } = compile('orders.md', text);
  const { plan: served } = compile('orders.md', example('orders'));
  assert.ok(plan && served);
  const contract = contractOf(plan);
  const own = await startOwnService(served);
  const setup = { ...own.setup, ...change(own.setup) };
  try {
    const target = new HttpTarget(await placeOf(own.url, false));
    return await verify({
      subject: subjectAt({ plan, contract }, target, { serviceUrl: own.serviceUrl, setup }),
      url: own.url,
      statements: statementsOf(plan, contract, text),
      only: null,
      seed: 1,
      budget: PATIENCE_MS,
      mostRequests: most,
      mostBreaks: 1,
      version: '0',
    });
  } finally {
    await own.stop();
  }
}

test('where no credentials of the setup are accepted, a break says so', async () => {
  let count = 0;
  const { breaks } = await run(() => ({ caller: async () => `made-up-${++count}` }), 20);
  assert.match(
    breaks[0]?.why ?? '',
    /The service has accepted no credentials of the setup so far. Check that `caller`/,
  );
});

test('where credentials are accepted elsewhere, a refusal is the service’s alone', async () => {
  const other = example('orders').replace('### `GET /orders/{id}`\n\n- Access: orders:read', '### `GET /orders/{id}`');
  const { breaks } = await run(() => ({}), 200, other);
  assert.match(breaks[0]?.actual ?? '', /status: 403/);
  assert.doesNotMatch(breaks[0]?.why ?? '', /setup/);
});

test('a row that the document does not allow is a failure of the setup', async () => {
  const giving = (fields: object) => (): Partial<Setup> => ({
    row: async (_, asked) => ({ ...asked, ...fields }),
  });
  const told = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => assert.fail('It was taken.'),
      (error: Error) => {
        assert.ok(error instanceof SetupError, `${error}`);
        return error.message;
      },
    );
  assert.equal(
    await told(run(giving({ name: 17 }), 5)),
    'The setup gave a Customer whose name is 17, which the document does not allow (not_text).',
  );
  assert.match(await told(run(giving({ email: null }), 5)), /^The setup gave a Customer without email\. A row has all/);
});

test('a setup that fails on the way ends the run, and what was found is reported', async () => {
  let passed = 0;
  const { stopped, results, requests } = await run(
    ({ clock }) => ({
      clock: clock && {
        now: clock.now,
        pass: async (milliseconds) => {
          if (++passed > 10) throw new SetupError('`clock.pass` of setup.mjs failed: stuck.');
          await clock.pass(milliseconds);
        },
      },
    }),
    50,
  );
  assert.equal(stopped, '`clock.pass` of setup.mjs failed: stuck.');
  assert.ok(requests > 0 && results.some(({ outcome }) => outcome === 'kept'));
});

test('an answer that contains what was there before `reset` is the fault of the setup', async (t) => {
  const subject = await subjectOf(t, example('orders'));
  const before = await Session.begin(subject, Random.of(1, 0));
  const identityOf = ({ oracle }: Session): string => String(oracle.state.rows.all('Customer')[0]?.get('id'));
  const doubt = new Doubt();
  doubt.over(before);
  // A service may give the same identities again.
  doubt.over(await Session.begin(subject, Random.of(2, 0)));
  const after = await Session.begin(subject, Random.of(2, 0));
  const told = (look: () => unknown): string | null => {
    try {
      look();
      return null;
    } catch (error) {
      assert.ok(error instanceof LeftBehind);
      return error.message;
    }
  };
  const about = (body: string, requestTarget = '/orders'): string | null => {
    const request = { method: 'GET', target: requestTarget, headers: [], body: null };
    const prediction = after.predict(request, Date.now(), 'one');
    assert.ok(prediction);
    const answer = { status: 200, headers: [], body: Buffer.from(body) };
    const exchange = { request, outcome: answer, sentAt: 0, endedAt: 0 };
    return told(() => doubt.mustBeNew(after, { exchange, answer, prediction, differences: [] }));
  };
  const ofProbe = (body: string): string | null => {
    const request = { method: 'GET', target: '/orders', headers: [], body: null };
    const prediction = after.predict(request, Date.now(), 'one');
    assert.ok(prediction);
    const outcome = { status: 200, headers: [], body: Buffer.from(body) };
    const exchange = { request, outcome, sentAt: 0, endedAt: 0 };
    const difference = { why: 'Differs.', statement: null, line: null, endpoint: null, expected: '', actual: '' };
    const found = {
      ...difference,
      sequence: [],
      wrong: { exchange, verdict: { kind: 'broken' as const, prediction, differences: [] } },
    };
    return told(() => doubt.ofProbe({ ...difference, standard: null, sequence: [], seed: 1 }, found, after));
  };
  assert.match(
    about(identityOf(before)) ?? '',
    /which existed before `reset`\. Check that `reset` of the setup removes all/,
  );
  assert.match(
    ofProbe(identityOf(before)) ?? '',
    /^The answer to GET \/orders contains .* which existed before `reset`/,
  );
  assert.equal(about(identityOf(after)), null);
  assert.equal(
    about(identityOf(before), `/orders/${identityOf(before)}`),
    null,
    'whoever asks for it may be told of it',
  );
});
