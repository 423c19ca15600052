import { isSafe } from '../../plan/callers.ts';
import { isSameId, statementId } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { Drive, type Option } from './drive.ts';
import { type Count, Filling } from './filling.ts';
import { Findings } from './findings.ts';
import type { Probe, ProbeResult } from './probe.ts';

/** The largest limit of a list that is tested: to fill longer lists would take too many requests. */
const MOST_ROWS = 1000;

/** A list without pages, or a list of groups, and its largest number of items. */
interface Whole {
  readonly endpoint: EndpointPlan;
  readonly most: number;
  readonly isGrouped: boolean;
}

/** Fills each list without pages until it has one row more than its limit. */
export const wholeLists: Probe = {
  name: 'whole lists',
  needs: () => [],
  applies: (plan: Plan): boolean => wholeOf(plan).length > 0,
  tries: (id) => id.kind === 'endpoint' && id.fact === 'Whole list',
  run: async (session: Session, random: Random, isLate?: () => boolean): Promise<ProbeResult> => {
    const findings = new Findings(session.subject.plan);
    const drive = new Drive(session, findings, random, isLate);
    const shortest = random.shuffled(wholeOf(session.subject.plan)).sort((a, b) => a.most - b.most);
    for (const one of shortest) {
      if (findings.isBroken || drive.isLate) break;
      drive.renew();
      await overfill(drive, one, random);
    }
    return findings.result();
  },
};

function wholeOf({ endpoints }: Plan): Whole[] {
  return endpoints.flatMap((endpoint) => {
    const list = endpoint.inside.find((step) => step.do === 'list' || step.do === 'group');
    const all = isSafe(endpoint.method) ? list?.all : null;
    return all && all.most <= MOST_ROWS ? [{ endpoint, most: all.most, isGrouped: list?.do === 'group' }] : [];
  });
}

/**
 * Creates rows until the list has reached its limit, then one more. Requests the list before and after the last row.
 */
async function overfill(drive: Drive, { endpoint, most, isGrouped }: Whole, random: Random): Promise<void> {
  const { session } = drive;
  const contract = session.subject.contract.versions[0]?.endpoints.find(({ name }) => name === endpoint.name);
  if (!contract) return;
  const count: Count = (oracle, list, now) =>
    rowsOf(endpoint, session.foreseeBy(oracle, list, now, 'list')?.prediction);
  const filling = new Filling(drive, contract, random, count);
  const begun = await filling.begin();
  if (!begun?.adding) return;
  const { list, adding } = begun;
  let rows = count(session.oracle, list, await session.now());
  let last: Option = adding;
  while (rows <= most && !drive.isLate) {
    if (rows === most && !(await drive.send(list))) return;
    await drive.makeRoom();
    // A row with the same values again is in a group that exists.
    const next = (isGrouped ? null : await filling.again(last)) ?? (await filling.makers(list, 1, adding, true))[0];
    if (!next || (await drive.send(next.request)) === null) return;
    last = next;
    rows += 1;
  }
  if (rows > most) await drive.send(list);
}

/** The number of rows of a predicted list: one more than the limit where the list is cut or refused. */
function rowsOf({ name }: EndpointPlan, prediction: Prediction | undefined): number {
  const limit = statementId.endpoint(name, 'Whole list');
  const all = prediction?.expected.body ?? null;
  const items = Array.isArray(all) ? all : Object.values(all ?? {}).find(Array.isArray);
  const isBeyond = prediction?.trace.some(({ statement, what }) => isSameId(statement, limit) && what !== 'most');
  return (items?.length ?? 0) + (isBeyond ? 1 : 0);
}
