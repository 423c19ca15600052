import type { Contract } from '../../contract/contract.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Plan } from '../../plan/step.ts';
import { duesOf } from '../oracle/dues.ts';
import { anyBase, callersOf } from '../requests/bases.ts';
import { randomCandidate } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import { changed, situationOf } from '../requests/candidates.ts';
import { Focus } from '../requests/focus.ts';
import type { Known } from '../requests/known.ts';
import { ofFewValues, parameterMutations } from '../requests/parameter-mutations.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Subject } from '../session/subject.ts';
import { CHOICES, LOOKS, slackOf, TURNS } from './bounds.ts';
import type { Exploration } from './exploration.ts';

/** The probability that a request of a conversation is invalid: refusals of invalid requests are tested elsewhere. */
const WRONG = 0.1;
/** The probability that the clock is moved to the next timed change before a request. */
const WAITS = 0.06;

/**
 * A conversation: random requests about a few callers, rows and endpoints, and then reads of the lists that show their
 * effects.
 */
export async function converse(run: Exploration, turns = TURNS): Promise<void> {
  const session = await run.session();
  const { contract } = run.subject;
  const known = session.known(await session.now());
  const focus = Focus.of(contract, known, run.random, (endpoint) => run.openAt(endpoint));
  const isOver = (): boolean => run.isOver() || !run.isOn(session);
  for (let turn = 0; turn < turns && !isOver(); turn++) {
    if (run.random.chance(WAITS)) await waitForRow(run, session);
    await takeTurn(run, session, focus.endpoints(run.random), (known) => focus.narrow(known), WRONG);
  }
  if (!isOver()) await lookThrough(run, session);
  const reading = {
    ...contract,
    versions: contract.versions.map((one) => ({ ...one, endpoints: one.endpoints.filter(({ writes }) => !writes) })),
  };
  for (let look = 0; look < Math.min(LOOKS, turns / 2) && !isOver(); look++)
    await takeTurn(run, session, reading, (known) => known, 0);
}

/** Requests lists with each value of their filters, where that shows anything new. */
export async function lookThrough(run: Exploration, session: Session): Promise<void> {
  const { contract, plan } = run.subject;
  const known = session.known(await session.now());
  let sent = 0;
  for (const one of listsByValue(contract, known, run.random, plan)) {
    if (run.isOver() || !run.isOn(session) || sent >= LOOKS) return;
    const prediction = await run.predicted(one);
    if (!prediction || !(await run.tells(one, prediction))) continue;
    sent += 1;
    await run.dispatch(one);
  }
}

/** Some random requests about any rows. */
export async function chat(run: Exploration, turns: number): Promise<void> {
  const session = await run.session();
  for (let i = 0; i < turns && !run.isOver() && run.isOn(session); i++)
    await takeTurn(run, session, run.subject.contract, (known) => known);
}

/** Sends one of a few random requests: one that tries something new, or else one that changes something. */
async function takeTurn(
  run: Exploration,
  session: Session,
  contract: Subject['contract'],
  narrow: (known: Known) => Known,
  wrong?: number,
): Promise<void> {
  const known = narrow(session.known(await session.now()));
  let best: Candidate | null = null;
  let isChange = false;
  for (let left = CHOICES; left > 0; left--) {
    const one = randomCandidate(contract, known, run.random, run.subject.plan, wrong);
    const prediction = one && (await run.predicted(one));
    if (!run.isOn(session)) return;
    if (!one || !prediction) continue;
    if (await run.tells(one, prediction)) return run.dispatch(one);
    const changes = (prediction.endpoint?.writes ?? false) && isSuccess(prediction.expected.status);
    if (!best || (changes && !isChange)) [best, isChange] = [one, changes];
  }
  if (best) await run.dispatch(best);
}

/** Moves the clock to the next timed change of a row, or to just before it. */
async function waitForRow(run: Exploration, session: Session): Promise<void> {
  if (!session.subject.setup.clock) return;
  const now = await session.now();
  const [next] = duesOf(session.oracle, now);
  if (!next) return;
  const slack = slackOf(session);
  const past = run.random.chance(0.5);
  await run.pass(session, next.at - now + (past ? slack : -Math.max(1, slack)));
}

/** The number of other parameter values with which a list is requested. */
const VALUES_OF_LIST = 8;

/**
 * Each list of the current version for each caller, with each value of parameters that have few values, and some values
 * of others.
 */
function* listsByValue(contract: Contract, known: Known, random: Random, plan: Plan): Generator<Candidate> {
  const [version] = contract.versions;
  for (const endpoint of version?.endpoints ?? []) {
    if (!version || endpoint.writes) continue;
    const situation = situationOf({ contract, version, endpoint, known, random, plan });
    for (const caller of callersOf(situation)) {
      const base = anyBase(situation, caller, 'none');
      const others = parameterMutations(situation, base).filter(
        ({ aspect, valid }) => valid && aspect.startsWith('parameter '),
      );
      for (const one of [...ofFewValues(endpoint), ...random.some(others, VALUES_OF_LIST)])
        yield changed(situation, base, [one]);
    }
  }
}
