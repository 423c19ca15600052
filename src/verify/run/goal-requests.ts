import type { EndpointContract } from '../../contract/endpoint.ts';
import { isSameId, statementId } from '../../plan/lines.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Plan } from '../../plan/step.ts';
import { duesOf } from '../oracle/dues.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { latestOf } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Known, KnownRow } from '../requests/known.ts';
import { renewed } from '../requests/renewed.ts';
import type { Session } from '../session/session.ts';
import { MOST_INSTANTS, slackOf } from './bounds.ts';
import { rightRequests } from './candidates.ts';
import { askedIn, endpointsWriting, stepsAt } from './deciding.ts';
import type { Exploration } from './exploration.ts';

/** The number of attempts of a pass at a goal from positions with the same progress. */
const MOST_ATTEMPTS = 2;
/** The largest number of requests that lead to one goal. */
const MOST_STEPS = 8;
/**
 * The number of candidates to the goal's endpoint from which the one with the most progress is chosen, and of
 * candidates to each endpoint that may have to come before.
 */
const LOOKED_AT = 60;
const LOOKED_AT_BEFORE = 40;
/**
 * The number of candidates to each endpoint if rows decide on a goal: candidates about the rows of a request, and about
 * any rows. For a read there are more, since it changes no rows itself.
 */
const LOOKED_AT_FOR_ROWS = 12;
const LOOKED_AT_FOR_READ = 60;
/** The largest number of repetitions of a request, and the number of alternatives that are considered for each. */
const MOST_REPEATED = 12;
const OTHERS_OF_REPEATED = 8;
/** The number of requests with equal progress for which waiting is tried. */
const MOST_EQUAL = 6;

/** The number of candidates that may still be considered for the goals of a session. */
export interface LooksLeft {
  left: number;
}

/** An outcome that requests to an endpoint can have and that none has had yet. */
export interface RequestGoal {
  /** The name by which attempts at a goal are counted; null for a goal that may be attempted without limit. */
  readonly name: string | null;
  readonly endpoint: EndpointContract;
  /** How far a request gets: the larger, the further; infinity where it reaches the goal. */
  readonly progress: (prediction: Prediction) => number;
  readonly isReached: () => boolean;
  /** The resources whose rows decide; null where the step that a request reaches names them. */
  readonly decidedBy: ReadonlySet<string> | null;
}

/** A request to the endpoint of a goal, and its progress: the number of steps that it passes. */
interface Attempt {
  readonly one: Candidate;
  readonly prediction: Prediction;
  readonly progress: number;
}

/**
 * Leads to a goal, request by request: chooses the valid request that gets furthest, then creates or changes rows that
 * decide, as long as the request gets further. Returns the request that reached the goal; null where none did.
 */
export async function reach(run: Exploration, goal: RequestGoal, look: LooksLeft): Promise<Candidate | null> {
  const session = await run.session();
  let before: Candidate | null = null;
  for (let step = 0; step < MOST_STEPS; step++) {
    if (goal.isReached()) return before;
    if (run.isOver() || !run.isOn(session) || look.left <= 0) return null;
    before = await leadOn(run, session, goal, before, look);
    if (!before) return null;
  }
  return null;
}

/** Whether a pass may attempt a goal once more, by its name; counts the attempt. */
export function mayTry({ attempts }: Pick<Exploration, 'attempts'>, name: string): boolean {
  const count = attempts.get(name) ?? 0;
  attempts.set(name, count + 1);
  return count < MOST_ATTEMPTS;
}

/**
 * One step towards a goal, where there is any; returns the request that gets further after it, or that reaches the
 * goal.
 */
async function leadOn(
  run: Exploration,
  session: Session,
  goal: RequestGoal,
  before: Candidate | null,
  look: LooksLeft,
): Promise<Candidate | null> {
  const now = await session.now();
  const all = furthestOf(run, session, goal, before, now);
  look.left -= LOOKED_AT;
  const [first] = all;
  if (!first) return null;
  const { one, prediction, progress } = first;
  if (progress === Number.POSITIVE_INFINITY) {
    await run.dispatch(one);
    return one;
  }
  if (goal.name !== null && !mayTry(run, `${goal.name} from ${progress}`)) return null;
  const isFurther = (later: Prediction | null | undefined): boolean => !!later && goal.progress(later) > progress;
  const deciding = goal.decidedBy ?? askedBy(run.subject.plan, prediction);
  const repeated = isSuccess(prediction.expected.status) ? repetition(run, session, goal, one, now) : [];
  look.left -= repeated.length * OTHERS_OF_REPEATED;
  for (const each of repeated) if (run.isOn(session) && !run.isOver()) await run.dispatch(each);
  const last = repeated.at(-1);
  if (last) return last;
  const again = renewed(one, goal.endpoint, run.random);
  const most = goal.endpoint.writes ? LOOKED_AT_FOR_ROWS : LOOKED_AT_FOR_READ;
  for (const change of changes(run, session.known(now), deciding, goal.decidedBy && one, most)) {
    if (look.left-- <= 0 || run.isOver()) return null;
    const foreseen = session.foresee(change.request, now, 'before');
    if (!foreseen || !isSuccess(foreseen.prediction.expected.status)) continue;
    if (!isFurther(session.foreseeBy(foreseen.oracle, again.request, now, 'after')?.prediction)) continue;
    await run.dispatch(change);
    return again;
  }
  if (!run.subject.setup.clock) return null;
  for (const { at } of duesOf(session.oracle, now).slice(0, MOST_INSTANTS)) {
    const later = at + slackOf(session);
    const further = all.find((each) => isFurther(session.predict(each.one.request, later, 'after')));
    if (!further) continue;
    await run.pass(session, later - now);
    return further.one;
  }
  return null;
}

/**
 * An accepted request and similar ones by the same caller, which together reach the goal: many limits concern the
 * number of rows. Empty if no such series is found.
 */
function repetition(run: Exploration, session: Session, goal: RequestGoal, first: Candidate, now: number): Candidate[] {
  if (!goal.endpoint.writes || goal.decidedBy === null) return [];
  const likeFirst = ({ request }: Candidate): boolean => senderOf(request, goal) === senderOf(first.request, goal);
  let known = session.oracle;
  const sent: Candidate[] = [];
  while (sent.length < MOST_REPEATED && !run.isOver()) {
    const same = renewed(first, goal.endpoint, run.random);
    const others = { most: OTHERS_OF_REPEATED };
    const chosen = rightRequests(run, session.known(now), others, (name) => name === goal.endpoint.name);
    const all = [same, ...[...chosen].filter(likeFirst)].flatMap((one) => {
      const foreseen = session.foreseeBy(known, one.request, now, `repeated ${sent.length}`);
      return foreseen ? [{ one, ...foreseen }] : [];
    });
    const last = all.find(({ prediction }) => goal.progress(prediction) === Number.POSITIVE_INFINITY);
    if (last) return [...sent, last.one];
    const next = all.find(({ prediction }) => isSuccess(prediction.expected.status));
    if (!next) return [];
    sent.push(next.one);
    known = next.oracle;
  }
  return [];
}

/** The caller and the address of a request: everything besides its body and its idempotency key. */
function senderOf({ target, headers }: Candidate['request'], { endpoint: { idempotency } }: RequestGoal): string {
  const key = idempotency?.header.toLowerCase();
  return JSON.stringify([target, headers.filter(([name]) => name.toLowerCase() !== key)]);
}

/**
 * Valid requests that create or change rows of some resources. With a request `beside`: that request, then up to `most`
 * to each endpoint about its rows, and as many about any rows.
 */
export function* changes(
  run: Exploration,
  known: Known,
  resources: ReadonlySet<string>,
  beside: Candidate | null,
  most = LOOKED_AT_FOR_ROWS,
): Generator<Candidate> {
  const changing = endpointsWriting(run.subject.plan, resources);
  const isChanging = (name: string): boolean => changing.has(name);
  if (!beside) return yield* rightRequests(run, known, { most: LOOKED_AT_BEFORE }, isChanging);
  yield beside;
  const requests = { most, echoed: known };
  yield* rightRequests(run, aboutSame(known, beside), requests, isChanging);
  yield* rightRequests(run, known, requests, isChanging);
}

/** The known rows, reduced to those that a request names, for each resource of which it names any row. */
export function aboutSame(known: Known, { request: { target, body } }: Candidate): Known {
  const words = new Set(`${target} ${body ?? ''}`.split(/[^\w-]+/));
  const rows = (resource: string): readonly KnownRow[] => {
    const all = known.rows(resource);
    const own = all.filter(({ identity }) => words.has(identity));
    return own.length > 0 ? own : all;
  };
  return { ...known, rows };
}

/** Of random valid requests, and of the one before, those that get furthest. */
function furthestOf(
  run: Exploration,
  session: Session,
  goal: RequestGoal,
  before: Candidate | null,
  now: number,
): readonly Attempt[] {
  let furthest: Attempt[] = [];
  const known = session.known(now);
  const requests = { most: LOOKED_AT, echoed: goal.decidedBy && known };
  const chosen = rightRequests(run, known, requests, (name) => name === goal.endpoint.name);
  for (const one of before ? [before, ...chosen] : chosen) {
    const prediction = session.predict(one.request, now, 'attempt');
    if (run.isOver()) break;
    if (!prediction) continue;
    const progress = goal.progress(prediction);
    const most = furthest[0]?.progress ?? -1;
    if (progress > most) furthest = [];
    if (progress >= most && furthest.length < MOST_EQUAL) furthest.push({ one, prediction, progress });
    if (progress === Number.POSITIVE_INFINITY) break;
  }
  return furthest;
}

/** The lines of the steps that a request reaches. */
export const stepsOf = ({ trace }: Prediction): Set<number> =>
  new Set(trace.flatMap(({ statement }) => (statement.kind === 'step' ? [statement.line] : [])));

/** The progress of a request towards acceptance: the number of steps that it reaches, or infinity if it is accepted. */
export const progressToSuccess = (prediction: Prediction): number =>
  isSuccess(prediction.expected.status) ? Number.POSITIVE_INFINITY : stepsOf(prediction).size;

/** The resources whose rows the step that refuses a request asks for; none where that is not known. */
function askedBy(plan: Plan, { endpoint, trace }: Prediction): ReadonlySet<string> {
  const [last] = latestOf(trace, 'step');
  const step = last && stepsAt(plan, endpoint?.name).find((one) => isSameId(statementId.step(one), last));
  return new Set(step ? askedIn(step) : []);
}
