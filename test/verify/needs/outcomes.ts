import type { TestContext } from 'node:test';
import { contractOf } from '../../../src/contract/contract-of.ts';
import { onlyOf } from '../../../src/verify/run/only.ts';
import { verify } from '../../../src/verify/run/verify.ts';
import { statementsOf } from '../../../src/verify/statements/statements.ts';
import type { Exchange, Request } from '../../../src/verify/target/exchange.ts';
import type { Target } from '../../../src/verify/target/target.ts';
import { SEED, times } from '../../share.ts';
import { planOf, subjectOf } from '../../subject.ts';
import type { Fault } from './fault.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

/** How many requests a test of one statement sends at most. */
const MOST_REQUESTS = times(150, 2500);

/** A service that takes each request for another one, and gives another answer. */
function takingFor(target: Target, { taken = (one) => one, given = (one) => one }: Fault): Target {
  const own = ({ outcome, ...sent }: Exchange, request: Request): Exchange => ({
    ...sent,
    request,
    outcome: 'failed' in outcome ? outcome : given(outcome),
  });
  return {
    send: async (request) => own(await target.send(taken(request)), request),
    race: async (requests) => {
      const all = await target.race(requests.map(taken));
      return all.map((one, i) => own(one, requests[i] ?? one.request));
    },
    follow: (request) => target.follow(taken(request)),
    reach: () => target.reach(),
    get sent() {
      return target.sent;
    },
    get gone() {
      return target.gone;
    },
    get silence() {
      return target.silence;
    },
  };
}

/** The outcomes of the statements of a key, where a service is tested that may keep less. */
export async function outcomesOf(t: TestContext, fault: Fault, mostRequests = MOST_REQUESTS) {
  const { stated, served = stated, key } = fault;
  const plan = planOf(stated);
  const contract = contractOf(plan);
  const statements = statementsOf(plan, contract, stated);
  const subject = await subjectOf(t, stated, served);
  const { results, breaks } = await verify({
    subject: { ...subject, target: takingFor(subject.target, fault) },
    url: subject.serviceUrl,
    statements,
    only: onlyOf(key, statements, plan),
    seed: SEED,
    budget: PATIENCE_MS,
    mostRequests,
    mostBreaks: 25,
    version: '0',
  });
  return { results: results.filter(({ statement }) => statement.key === key), breaks };
}
