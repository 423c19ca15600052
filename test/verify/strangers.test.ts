import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { subjectAt } from '../../src/verify/session/subject.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { HttpTarget } from '../../src/verify/target/http-target.ts';
import { placeOf } from '../../src/verify/target/loopback.ts';
import { Workspace } from '../harness.ts';
import { SEED, share, times } from '../share.ts';
import { documentText, planOf } from '../subject.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

/** Documents whose services need nothing of the operator. */
const DOCUMENTS = ['test/verify/hidden-times.md', 'docs/documents/catalogue.md'];

for (const path of share(DOCUMENTS, 1, 2).cases)
  test(`nothing of ${path} is broken by a service whose clock runs, and that nothing sets up`, async () => {
    const text = documentText(path);
    const plan = planOf(text);
    const contract = contractOf(plan);
    await using space = new Workspace(text);
    const service = await space.serveHere();
    const { breaks, stopped } = await verify({
      subject: subjectAt({ plan, contract }, new HttpTarget(await placeOf(service.url, false)), {
        setup: {},
        serviceUrl: service.url,
      }),
      url: service.url,
      statements: statementsOf(plan, contract, text),
      only: null,
      seed: SEED,
      budget: PATIENCE_MS,
      mostRequests: times(250, 800),
      mostBreaks: 5,
      version: '0',
    });
    assert.deepEqual(
      breaks.map(({ line, why, expected, actual }) => ({ line, why, expected, actual })),
      [],
    );
    assert.equal(stopped, null);
  });
