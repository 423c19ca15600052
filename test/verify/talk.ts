import type { EndpointContract } from '../../src/contract/endpoint.ts';
import type { Difference } from '../../src/verify/judge/compare.ts';
import type { When } from '../../src/verify/judge/judge.ts';
import type { Oracle } from '../../src/verify/oracle/oracle.ts';
import type { Candidate } from '../../src/verify/requests/candidate.ts';
import { candidatesFor } from '../../src/verify/requests/candidates.ts';
import { elsewhere } from '../../src/verify/requests/elsewhere.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { byRemoval } from '../../src/verify/run/candidates.ts';
import { Session } from '../../src/verify/session/session.ts';
import type { Subject } from '../../src/verify/session/subject.ts';
import type { Exchange, Request } from '../../src/verify/target/exchange.ts';

/** A request that was sent to a service, and what came of it. */
export interface Turn {
  /** What it tries, in words; for one that was changed, of that which it was made from. */
  readonly what: string;
  readonly name: string;
  readonly exchange: Exchange;
  readonly when: When;
  /** What was known before it. */
  readonly known: Oracle;
  readonly differences: readonly Difference[];
}

/** Longer than any rate of a document that is talked to counts, in milliseconds. */
const RATES_OVER = 3_600_000;

/** What is made of a request before it is sent. */
type Change = (request: Request, random: Random) => Request;

/**
 * Sends a service the requests that `ninefold test` makes: of those to each endpoint in each version, and of those to no
 * endpoint, each `every`th. Each answer is held to the oracle. Streams are left out: their answers have no end.
 */
export async function* talk(
  subject: Subject,
  seed: number,
  every: number,
  change: Change = (request) => request,
): AsyncGenerator<Turn> {
  const { contract, plan } = subject;
  const random = new Random(seed);
  const session = await Session.begin(subject, random);
  const known = async () => session.known(await session.now());
  let made = 0;
  let sent = 0;
  async function* say(candidates: Iterable<Candidate>): AsyncGenerator<Turn> {
    for (const { request, what } of candidates) {
      if (made++ % every > 0) continue;
      const { oracle } = session;
      const name = `${++sent}`;
      const { exchange, verdict, when } = await session.send(change(request, random), name);
      const differences = verdict.kind === 'broken' ? verdict.differences : [];
      yield { what, name, exchange, when, known: oracle, differences };
      if ('status' in exchange.outcome && exchange.outcome.status === 429) await session.pass(RATES_OVER);
    }
  }
  for (const version of contract.versions) {
    for (const endpoint of random.shuffled(version.endpoints.filter((one) => !isStream(one))).sort(byRemoval(plan)))
      yield* say(candidatesFor(contract, version, endpoint, await known(), random, plan));
    yield* say(elsewhere(contract, version, await known(), random));
  }
}

const isStream = ({ answers }: EndpointContract): boolean =>
  answers.some(({ body }) => body?.mediaType === 'text/event-stream');
