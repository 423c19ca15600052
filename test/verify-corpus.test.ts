import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOwnService } from '../src/cli/testing/own-service.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import type { Plan } from '../src/plan/step.ts';
import { Random } from '../src/verify/requests/random.ts';
import { verify } from '../src/verify/run/verify.ts';
import { subjectAt } from '../src/verify/session/subject.ts';
import { statementsOf } from '../src/verify/statements/statements.ts';
import { hosted } from '../src/verify/target/hosted.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';
import { makeDocument } from './differential/document/make.ts';
import { corpus } from './frozen/corpus.ts';
import { SEED, share, times } from './share.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;
const RANDOM_DOCUMENTS = times(2, 12);
const REQUESTS = times(30, 100);

/** What a document’s own service is said to break, and how much was tried. */
async function toldOf(name: string, text: string, plan: Plan): Promise<{ told: string[]; requests: number }> {
  const contract = contractOf(plan);
  const own = await startOwnService(plan);
  try {
    const target = hosted(new HttpTarget(await placeOf(own.url, false)), plan, own.serviceUrl);
    const { breaks, stopped, requests } = await verify({
      subject: subjectAt({ plan, contract }, target, own),
      url: own.url,
      statements: statementsOf(plan, contract, text),
      only: null,
      seed: SEED,
      budget: PATIENCE_MS,
      mostRequests: REQUESTS,
      mostBreaks: 25,
      version: '0',
    });
    const told = breaks.map((one) => `line ${one.line}: ${one.why}\nexpected ${one.expected}\nactual ${one.actual}`);
    return { told: [...told, ...(stopped === null ? [] : [stopped])].map((one) => `${name}: ${one}`), requests };
  } finally {
    await own.stop();
  }
}

/** The documents of the cases that can be served alone: handlers are files, which cases do not have. */
function served(): Array<{ name: string; text: string; plan: Plan }> {
  const cases = [...corpus()].filter(({ name }) => name.includes('.md: '));
  return share(cases, 12, 20).cases.flatMap(({ name, text }) => {
    const { plan } = compile(name, text);
    return plan && plan.handlers.length === 0 ? [{ name, text, plan }] : [];
  });
}

test('no document of the cases is broken by its own service', async (t) => {
  let sent = 0;
  const documents = served();
  assert.ok(documents.length > 0);
  for (const { name, text, plan } of documents) {
    const { told, requests } = await toldOf(name, text, plan);
    assert.deepEqual(told, [], `seed ${SEED}`);
    sent += requests;
  }
  t.diagnostic(`seed ${SEED}: ${documents.length} documents, ${sent} requests`);
});

test('no random document is broken by its own service', async (t) => {
  let [sent, tried, refused] = [0, 0, 0];
  for (let i = 0; tried < RANDOM_DOCUMENTS; i++) {
    const text = makeDocument(Random.of(SEED, i));
    const { plan } = compile('random.md', text);
    if (!plan) {
      refused++;
      assert.ok(refused < 10 + tried / 4, `check refuses too many of the documents: ${refused}, beside ${tried}`);
      continue;
    }
    const { told, requests } = await toldOf(`document ${i}`, text, plan);
    assert.deepEqual(told, [], `seed ${SEED}`);
    tried += 1;
    sent += requests;
  }
  t.diagnostic(`seed ${SEED}: ${tried} documents, ${sent} requests; check refuses ${refused} more`);
});
