import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startOwnService } from '../../src/cli/testing/own-service.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { AnswerContract } from '../../src/contract/endpoint.ts';
import type { MemberContract } from '../../src/contract/types.ts';
import { textReport } from '../../src/verify/report/text.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { subjectAt } from '../../src/verify/session/subject.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { HttpTarget } from '../../src/verify/target/http-target.ts';
import { placeOf } from '../../src/verify/target/loopback.ts';
import { SEED, share } from '../share.ts';
import { planOf } from '../subject.ts';

// A mistake that the compiler makes twice, in the plan and so in the oracle, shows where the contract says it otherwise.

const TEXT = readFileSync('src/compiler/endpoints/cases/documents/library.md', 'utf8');
const plan = planOf(TEXT);

/** What `ninefold test` says of the service of a document whose contract is another one. */
async function report(contract: Contract): Promise<string> {
  const own = await startOwnService(plan);
  try {
    const target = new HttpTarget(await placeOf(own.url, false));
    const found = await verify({
      subject: subjectAt({ plan, contract }, target, own),
      url: own.url,
      statements: statementsOf(plan, contract, TEXT),
      only: null,
      seed: SEED,
      budget: 600_000,
      mostRequests: 60,
      mostBreaks: 1,
      version: '0',
    });
    return textReport(found);
  } finally {
    await own.stop();
  }
}

/** The contract with each of its parts of a kind changed. */
function altered(change: (part: Record<string, unknown>) => unknown): Contract {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk).filter((one) => one !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const own = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one)]));
    return change(own);
  };
  return walk(contractOf(plan)) as Contract;
}

const member = (name: string, change: Partial<MemberContract>): Contract =>
  altered((part) => ('presence' in part && part.field === name ? { ...part, ...change } : part));
const answers = (change: (answer: AnswerContract) => AnswerContract | undefined): Contract =>
  altered((part) => ('because' in part ? change(part as unknown as AnswerContract) : part));

const TEXT_TYPE = { kind: 'text', min: null, max: null, pattern: null, format: null, oneOf: null } as const;

const LIES: ReadonlyArray<readonly [kind: string, contract: Contract, says: RegExp]> = [
  [
    'null',
    member('Book.author', { nullable: false }),
    /\/author: the contract declares Author, never null\n {2}actual: .*: null/,
  ],
  ['a type', member('Book.id', { type: TEXT_TYPE }), /\/id: the contract declares text\n {2}actual: .*: \d/],
  [
    'a bound',
    member('Book.id', { type: { kind: 'integer', min: 1000, max: null } }),
    /\/id: the contract declares integer at least 1000\n/,
  ],
  ['presence', member('Book.id', { name: 'key' }), /\/key: the contract declares integer 1 to 99, always present/],
  [
    'a header',
    answers((one) => ({ ...one, headers: one.headers.map((each) => ({ ...each, name: 'ETag' })) })),
    /header ETag: the contract declares Accept, X-Key\n/,
  ],
  ['a status', answers((one) => (one.status === 401 ? undefined : one)), /status: the contract declares one of 200, /],
  [
    'a title',
    answers((one) => (one.title === null ? one : { ...one, title: 'Oops' })),
    /body \/title: the contract declares "Oops"/,
  ],
];

for (const [kind, contract, says] of share(LIES, 2).cases)
  test(`a contract that lies about ${kind} is told`, async () => {
    const text = await report(contract);
    assert.match(text, says);
    assert.match(
      text,
      /the contract, which `ninefold contract` and the exports tell callers, declares another answer\./,
    );
  });

test('the contract of the document itself is kept', async () => {
  assert.match(await report(contractOf(plan)), /\(0 breaks, /);
});
