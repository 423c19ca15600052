import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Candidate } from '../requests/candidate.ts';
import { candidatesFor } from '../requests/candidates.ts';
import { elsewhere } from '../requests/elsewhere.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Request } from '../target/exchange.ts';

/** The lowest status of a request that is not accepted. */
const REFUSED = 300;

/**
 * The candidates for an endpoint of a version, or for no endpoint, from the present knowledge of a session. `name`: the
 * name of the next request.
 */
export async function candidatesAt(
  session: Session,
  version: VersionContract,
  endpoint: EndpointContract | null,
  random: Random,
  name: () => string,
): Promise<Iterable<Candidate>> {
  const { contract, plan } = session.subject;
  const now = await session.now();
  const known = session.known(now);
  if (!endpoint) return elsewhere(contract, version, known, random);
  const isTaken = (request: Request): boolean =>
    (session.predict(request, now, name())?.expected.status ?? REFUSED) < REFUSED;
  return candidatesFor(contract, version, endpoint, known, random, plan, isTaken);
}
