import { lineKey } from '../../plan/lines.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { requestsByChance } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { TraceCoverage } from './trace-coverage.ts';

/** The number of candidates to each endpoint that are considered for one timer. */
const LOOKED_AT = 240;

/**
 * For each timed transition that was not seen on both sides of its instant, and for which no row waits, a request that
 * makes a row wait for it.
 */
export function* starting(
  session: Session,
  now: number,
  coverage: TraceCoverage,
  random: Random,
): Generator<Candidate> {
  const { plan } = session.subject;
  for (const { name: resource, states } of plan.resources)
    for (const { name, timed } of states?.transitions ?? []) {
      const statement = lineKey.transition(resource, name);
      const isSeen = ['due', 'not due'].every((what) => coverage.has({ statement, what }));
      if (timed === null || isSeen) continue;
      const isAwaited = ({ state }: Oracle): boolean =>
        state.rows.all(resource).some((row) => (row.due.get(name) ?? 0) > now);
      if (isAwaited(session.oracle)) continue;
      for (const one of byChance(session, now, random))
        if (isAwaited(session.foresee(one.request, now, 'foreseen')?.oracle ?? session.oracle)) {
          yield one;
          break;
        }
    }
}

function* byChance(session: Session, now: number, random: Random): Generator<Candidate> {
  const { contract, plan } = session.subject;
  const [version] = contract.versions;
  const known = session.known(now);
  for (const endpoint of version?.endpoints ?? [])
    if (version && endpoint.writes)
      yield* requestsByChance({ contract, version, endpoint, known, random, plan }, LOOKED_AT);
}
