import type { EndpointContract } from '../../contract/endpoint.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { stepKey } from '../oracle/run.ts';
import { meets } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import { duesOf } from '../session/dues.ts';
import type { Session } from '../session/session.ts';
import type { Statement } from '../statements/statement.ts';
import { MOST_INSTANTS, slackOf } from './bounds.ts';
import type { Exploration } from './exploration.ts';
import { endpointsWith, isWriting, resourcesOf, rightRequests } from './right-requests.ts';
import type { TraceCoverage } from './trace-coverage.ts';

/** How many requests may lead to one goal. */
const MOST_STEPS = 8;
/** How many requests to the endpoint are looked at for the one that comes furthest, and to each that may have to come before. */
const LOOKED_AT = 60;
const LOOKED_AT_BEFORE = 40;
/** How many requests that come equally far are looked at for whether time helps. */
const MOST_EQUAL = 6;

/** How many more requests are looked at for goals of a session. */
export interface LooksLeft {
  left: number;
}

/** Something that a request to an endpoint may come to, and that none has come to yet. */
interface StepGoal {
  readonly endpoint: string;
  /** How far a request comes: the more, the further; infinity where it reaches the goal. */
  readonly progress: (prediction: Prediction) => number;
}

/** A request to the endpoint of a goal, and how far it comes. */
interface Attempt {
  readonly one: Candidate;
  readonly prediction: Prediction;
  readonly progress: number;
}

/** Brings endpoints that have taken no request of this session yet to take one: others wait for what comes of it. */
export async function reachSuccess(run: Exploration, look: LooksLeft): Promise<void> {
  for (const { name } of endpointsOf(run)) {
    const progress = (prediction: Prediction): number =>
      prediction.expected.status < 300 ? Number.POSITIVE_INFINITY : stepsOf(prediction).size;
    await reach(run, { endpoint: name, progress }, () => run.hasSucceeded(name), look);
  }
}

/** Brings steps to come to whatever they have not come to yet, of what statements need. */
export async function reachSteps(
  run: Exploration,
  statements: readonly Statement[],
  coverage: TraceCoverage,
  look: LooksLeft,
): Promise<void> {
  for (const { name } of endpointsOf(run)) {
    const own = run.subject.plan.endpoints.find((one) => one.name === name)?.inside ?? [];
    const keys = [...allNested(own)].map(stepKey);
    for (const { key, needs } of statements.filter((one) => keys.includes(one.key)))
      for (const { traces } of needs) {
        const before = new Set(keys.slice(0, keys.indexOf(key) + 1));
        const progress = (prediction: Prediction): number =>
          meets(prediction.trace, traces)
            ? Number.POSITIVE_INFINITY
            : [...stepsOf(prediction)].filter((one) => before.has(one)).length;
        await reach(run, { endpoint: name, progress }, () => coverage.hasAny(traces), look);
      }
  }
}

function endpointsOf(run: Exploration): readonly EndpointContract[] {
  const [version] = run.subject.contract.versions;
  // Streams are opened by their probe.
  const streams = run.subject.plan.endpoints.filter(({ after }) => after.body?.kind === 'stream');
  const isStream = ({ name }: EndpointContract): boolean => streams.some((one) => one.name === name);
  return version?.endpoints.filter((one) => run.concerns(one) && !isStream(one)) ?? [];
}

/** The steps that a request comes to, by their keys. */
const stepsOf = ({ trace }: Prediction): Set<string> =>
  new Set(trace.flatMap(({ statement }) => (statement.startsWith('step ') ? [statement] : [])));

/**
 * Leads to a goal, request by request: of many right requests the one is chosen that comes furthest; then what the step that
 * it comes to asks for is changed, as long as it comes further.
 */
async function reach(run: Exploration, goal: StepGoal, isReached: () => boolean, look: LooksLeft): Promise<void> {
  const session = await run.session();
  for (let step = 0; step < MOST_STEPS; step++)
    if (
      isReached() ||
      run.isOver() ||
      !run.isOn(session) ||
      look.left <= 0 ||
      !(await leadOn(run, session, goal, look))
    )
      return;
}

/** One step towards a goal; gives whether there was any. */
async function leadOn(run: Exploration, session: Session, goal: StepGoal, look: LooksLeft): Promise<boolean> {
  const now = await session.now();
  const all = furthestOf(run, session, goal, now);
  look.left -= LOOKED_AT;
  const [first] = all;
  if (!first) return false;
  const { one, prediction, progress } = first;
  if (progress === Number.POSITIVE_INFINITY) {
    await run.dispatch(one);
    return true;
  }
  const isFurther = (later: Prediction | null | undefined): boolean => !!later && goal.progress(later) > progress;
  const asked = askedBy(run.subject.plan, prediction);
  const changing = endpointsWith(run.subject.plan, (step) => isWriting(step, asked));
  for (const before of rightRequests(run, session.known(now), LOOKED_AT_BEFORE, (name) => changing.has(name))) {
    if (look.left-- <= 0) return false;
    const foreseen = session.foresee(before.request, now, 'before');
    if (!foreseen || foreseen.prediction.expected.status >= 300) continue;
    if (!isFurther(session.foreseeBy(foreseen.oracle, one.request, now, 'after')?.prediction)) continue;
    await run.dispatch(before);
    return true;
  }
  if (!run.subject.setup.clock) return false;
  for (const { at } of duesOf(session.oracle, now).slice(0, MOST_INSTANTS)) {
    const later = at + slackOf(session);
    if (!all.some((each) => isFurther(session.predict(each.one.request, later, 'after')))) continue;
    await run.pass(session, later - now);
    return true;
  }
  return false;
}

/** Of right requests by chance those that come furthest. */
function furthestOf(run: Exploration, session: Session, goal: StepGoal, now: number): readonly Attempt[] {
  let furthest: Attempt[] = [];
  for (const one of rightRequests(run, session.known(now), LOOKED_AT, (name) => name === goal.endpoint)) {
    const prediction = session.predict(one.request, now, 'attempt');
    if (!prediction) continue;
    const progress = goal.progress(prediction);
    const most = furthest[0]?.progress ?? -1;
    if (progress > most) furthest = [];
    if (progress >= most && furthest.length < MOST_EQUAL) furthest.push({ one, prediction, progress });
    if (progress === Number.POSITIVE_INFINITY) break;
  }
  return furthest;
}

/** The resources whose rows the step that refuses a request asks for; none where that is not known. */
function askedBy(plan: Plan, { endpoint, trace }: Prediction): ReadonlySet<string> {
  const last = trace.findLast(({ statement }) => statement.startsWith('step '))?.statement;
  const own = plan.endpoints.find(({ name }) => name === endpoint?.name)?.inside ?? [];
  const step = [...allNested(own)].find((one) => stepKey(one) === last);
  return new Set(step ? askedIn(step) : []);
}

function askedIn(step: InsideStep): string[] {
  const own = 'resource' in step ? [step.resource] : [];
  const tests = [...('test' in step ? [step.test] : []), ...('where' in step && step.where ? [step.where] : [])];
  return [...own, ...tests.flatMap(resourcesOf)];
}
