import { idText } from '../../plan/lines.ts';
import type { MachinePlan, ResourcePlan } from '../../plan/rows.ts';
import { isSuccess } from '../../plan/status.ts';
import { duesOf } from '../oracle/dues.ts';
import { meets } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Known, KnownRow } from '../requests/known.ts';
import type { Session } from '../session/session.ts';
import { endsOfCrowded } from '../session/windows.ts';
import type { Statement } from '../statements/statement.ts';
import { AT_INSTANT, MOST_INSTANTS, TURNS_IN_STATE } from './bounds.ts';
import { rightRequests } from './candidates.ts';
import { chat, converse, lookThrough } from './conversations.ts';
import { reachEdges } from './edges.ts';
import type { Exploration } from './exploration.ts';
import type { LooksLeft } from './goal-requests.ts';
import { reachBounds, reachRefusals, reachRules } from './row-goals.ts';
import {
  concernedBy,
  inState,
  isNearer,
  type Nearness,
  nearest,
  nearnessOf,
  type StateGoal,
  stateGoals,
} from './state-goals.ts';
import { reachSteps, reachSuccess } from './step-goals.ts';
import type { TraceCoverage } from './trace-coverage.ts';
import { passTo } from './waiting.ts';

/** The largest number of requests for one goal, for all goals, and in a row without progress. */
const MOST_STEPS = 14;
const MOST_STEPS_OF_ALL = 160;
const MOST_IDLE = 4;
/** The number of attempts at all goals. */
const ROUNDS = 2;
/**
 * The number of candidates to each endpoint that are considered for a step: to an endpoint that brings a row nearer,
 * and to others.
 */
const LOOKED_AT = { leading: 80, before: 20 } as const;
/** The number of candidates that are considered for all goals together. */
const LOOKED_AT_OF_ALL = 15_000;
/** The number of candidates that are considered for refusals that depend on rows. */
const LOOKED_AT_ROWS = 30_000;

/** The next step towards a goal: a request, or an instant at which a timed transition happens. */
type NextStep = { readonly send: Candidate } | { readonly waitUntil: number };

/**
 * Brings rows into states in which transitions are untried, one transition after the other, and tries the transitions
 * there. Random requests rarely reach a state that takes many requests.
 */
export async function reachStates(
  run: Exploration,
  statements: readonly Statement[],
  coverage: TraceCoverage,
): Promise<void> {
  const session = await run.session();
  run.attempts.clear();
  const look = { left: LOOKED_AT_OF_ALL, steps: MOST_STEPS_OF_ALL };
  const [atRows, atEdges] = [{ left: LOOKED_AT_ROWS }, { left: LOOKED_AT_OF_ALL }];
  const tour = { run, session, coverage, look, visited: new Set<string>() };
  const whatRowsDecide = async (resource: string | null): Promise<void> => {
    await reachRules(run, statements, coverage, atRows);
    await reachRefusals(run, coverage, resource, atRows);
    await reachEdges(run, resource, atEdges);
  };
  await reachSuccess(run, look);
  await reachBounds(run, statements, { left: LOOKED_AT_OF_ALL });
  // Rows of one resource may wait for rows of another, so that the goals are walked several times.
  for (let round = 0; round < ROUNDS; round++) {
    const before = coverage.count;
    await goThrough(tour, stateGoals(run.subject.plan, statements, coverage), whatRowsDecide);
    if (run.isOver() || !run.isOn(session)) return;
    if (coverage.count === before) break;
  }
  await reachSteps(run, statements, coverage, { left: LOOKED_AT_OF_ALL });
  await whatRowsDecide(null);
  if (run.isOn(session)) await lookThrough(run, session);
}

/**
 * Makes the untried transitions, one after the other, and sends requests to endpoints in each state that a row reaches.
 */
export async function reachTransitions(
  run: Exploration,
  statements: readonly Statement[],
  coverage: TraceCoverage,
): Promise<void> {
  const session = await run.session();
  run.attempts.clear();
  const look = { left: LOOKED_AT_OF_ALL, steps: MOST_STEPS_OF_ALL };
  const tour = { run, session, coverage, look, visited: new Set<string>() };
  for (let round = 0; round < ROUNDS && !run.isOver() && run.isOn(session); round++) {
    const before = coverage.count;
    await goThrough(tour, stateGoals(run.subject.plan, statements, coverage), async () => {});
    if (coverage.count === before) return;
  }
}

/** Brings a row into a state. Returns whether a row is in that state. */
export async function reachState(
  run: Exploration,
  resource: ResourcePlan,
  machine: MachinePlan,
  state: string,
): Promise<boolean> {
  const session = await run.session();
  const goal = inState(resource, machine, state);
  const look = { left: LOOKED_AT_OF_ALL };
  for (let step = 0; step < MOST_STEPS && run.isOn(session) && !run.isOver(); step++) {
    const now = await session.now();
    if (nearest(nearnessOf(session.oracle, goal, now).rows) === 0) return true;
    const next = await nextStep(run, session, goal, look);
    if (!next) return false;
    if ('send' in next) await run.dispatch(next.send);
    else await run.pass(session, next.waitUntil - now);
  }
  return false;
}

/** The context of a walk: a series of requests and pauses that brings rows from state to state. */
interface Tour {
  readonly run: Exploration;
  readonly session: Session;
  readonly coverage: TraceCoverage;
  readonly look: LooksLeft & { steps: number };
  /** The states in which conversations were held. */
  readonly visited: Set<string>;
}

/**
 * Walks to each goal, the nearest first. In each state that is reached for the first time, tries refusals that depend
 * on rows, and sends random requests (a conversation).
 */
async function goThrough(
  { run, session, coverage, look, visited }: Tour,
  goals: readonly StateGoal[],
  whatRowsDecide: (resource: string) => Promise<void>,
): Promise<void> {
  const now = await session.now();
  const far = (goal: StateGoal): number => nearest(nearnessOf(session.oracle, goal, now).rows);
  const sorted = goals.map((goal) => ({ goal, distance: far(goal) })).sort((a, b) => a.distance - b.distance);
  /** The positions from which no request brought a row nearer. */
  const dead = new Set<string>();
  for (const { goal } of sorted) {
    if (coverage.hasAny(goal.traces) || dead.has(await placeOf(session, goal))) continue;
    await walk(run, session, goal, coverage, look);
    if (run.isOver() || !run.isOn(session)) return;
    if (!coverage.hasAny(goal.traces)) dead.add(await placeOf(session, goal));
    const state = `${goal.resource.name}.${goal.machine.field} ${goal.state}`;
    if (visited.has(state) || nearest(nearnessOf(session.oracle, goal, await session.now()).rows) > 0) continue;
    visited.add(state);
    await reachSuccess(run, look);
    await whatRowsDecide(goal.resource.name);
    if (run.isOn(session)) await converse(run, TURNS_IN_STATE);
  }
}

/**
 * A text that identifies the position of a walk by the transitions that would bring the goal nearer. If one goal makes
 * no progress there, others with the same transitions make none either.
 */
async function placeOf(session: Session, goal: StateGoal): Promise<string> {
  const { rows, next } = nearnessOf(session.oracle, goal, await session.now());
  const least = nearest(rows);
  const step = goal.traces.find(({ statement }) => statement.kind === 'step')?.statement;
  // If no request reaches a step in one state, the step is not tried in other states.
  if (least === 0) return step ? idText(step) : JSON.stringify(goal.traces);
  const names = next.map(({ name }) => name).sort();
  return `${goal.resource.name}.${goal.machine.field} ${least === rows.length ? 'none' : names.join()}`;
}

async function walk(
  run: Exploration,
  session: Session,
  goal: StateGoal,
  coverage: TraceCoverage,
  look: LooksLeft & { steps: number },
): Promise<void> {
  let best = nearnessOf(session.oracle, goal, await session.now());
  let idle = 0;
  for (let step = 0; step < MOST_STEPS && idle < MOST_IDLE && !coverage.hasAny(goal.traces); step++) {
    if (run.isOver() || !run.isOn(session) || look.steps-- <= 0) return;
    await endWindows(run, session);
    const next = await nextStep(run, session, goal, look);
    if (!next) return;
    if ('send' in next) await run.dispatch(next.send);
    else {
      // Requests of other callers may decide which timed transition happens.
      await chat(run, AT_INSTANT);
      if (run.isOn(session)) await passTo(run, session, next.waitUntil, coverage);
    }
    const reached = nearnessOf(session.oracle, goal, await session.now());
    idle = isNearer(reached, best) ? 0 : idle + 1;
    if (idle === 0) best = reached;
  }
}

/** Waits for new windows of rates that are nearly used up: a request that a rate refuses makes no progress. */
async function endWindows(run: Exploration, session: Session): Promise<void> {
  const now = await session.now();
  for (const end of endsOfCrowded(session.oracle.state, now)) await run.pass(session, end - now);
}

/** The position of a walk: its goal, and the distance of the rows at an instant. */
interface Position {
  readonly run: Exploration;
  readonly session: Session;
  readonly goal: StateGoal;
  readonly look: LooksLeft;
  readonly now: number;
  readonly nearness: Nearness;
}

/**
 * Returns the first of these that exists: a request that reaches the goal; the request that brings a row nearest to it;
 * the instant of a timed transition that brings a row nearer; an accepted request with another effect, since a
 * condition may need that effect. Returns null if no request is accepted. Endpoints that lead to the goal are tried
 * first, and others only if none of those accepts a request.
 */
async function nextStep(
  run: Exploration,
  session: Session,
  goal: StateGoal,
  look: LooksLeft,
): Promise<NextStep | null> {
  const now = await session.now();
  const at = { run, session, goal, look, now, nearness: nearnessOf(session.oracle, goal, now) };
  const { leading: first, before: second } = concernedBy(run.subject.plan, goal, at.nearness.next);
  const known = session.known(now);
  const near = aboutNearest(at, known);
  const led = bestOf(
    at,
    rightRequests(run, near, { most: LOOKED_AT.leading }, (name) => first.has(name)),
  );
  if (led.leading) return { send: led.leading };
  const isBefore = (name: string): boolean => second.has(name) && !first.has(name);
  const before = bestOf(at, rightRequests(run, near, { most: LOOKED_AT.before }, isBefore));
  if (before.leading) return { send: before.leading };
  const waitUntil = run.subject.setup.clock ? nextMove(at) : null;
  if (waitUntil !== null) return { waitUntil };
  const other = before.other ?? led.other;
  if (other) return { send: other };
  const isFar = (name: string): boolean => !first.has(name) && !second.has(name);
  const far = bestOf(at, rightRequests(run, known, { most: LOOKED_AT.before }, isFar));
  const send = far.leading ?? far.other;
  return send && { send };
}

/** The known rows without those that are further from the goal than the nearest: the nearest rows should move on. */
function aboutNearest({ session, goal, nearness }: Position, known: Known): Known {
  const nearest = new Set(nearness.nearest.map((row) => String(session.oracle.state.rows.identity(row))));
  if (nearest.size === 0) return known;
  const isNear = ({ resource, identity }: KnownRow): boolean =>
    resource !== goal.resource.name || nearest.has(identity);
  return { ...known, rows: (resource) => known.rows(resource).filter(isNear) };
}

/** Of some valid requests, the one that brings a row nearest to the goal, and a random one with another effect. */
function bestOf(
  { run, session, goal, look, now, nearness: before }: Position,
  requests: Iterable<Candidate>,
): { readonly leading: Candidate | null; readonly other: Candidate | null } {
  let best: { readonly one: Candidate; readonly nearness: Nearness } | null = null;
  let other: Candidate | null = null;
  let others = 0;
  for (const one of requests) {
    if (look.left-- <= 0) break;
    const foreseen = session.foresee(one.request, now, 'foreseen');
    if (!foreseen) continue;
    const { trace, expected, endpoint } = foreseen.prediction;
    if (meets(trace, goal.traces)) return { leading: one, other };
    // A request that removes rows brings no row into another state.
    if (!isSuccess(expected.status) || !endpoint?.writes || endpoint.inside.some((step) => step.do === 'remove'))
      continue;
    const nearness = nearnessOf(foreseen.oracle, goal, now);
    // A request that brings the nearest row nearer is good enough: the search ends here.
    if (nearest(nearness.rows) < nearest(before.rows)) return { leading: one, other };
    if (isNearer(nearness, best?.nearness ?? before)) best = { one, nearness };
    else if (!isNearer(before, nearness) && run.random.chance(1 / ++others)) other = one;
  }
  return { leading: best?.one ?? null, other };
}

/** The next instant at which a timed transition brings a row nearer to the goal; null if there is none. */
function nextMove({ session, goal, now, nearness }: Position): number | null {
  for (const { at } of duesOf(session.oracle, now).slice(0, MOST_INSTANTS)) {
    const later = session.oracle.copy();
    later.passTime(at, 'later');
    if (isNearer(nearnessOf(later, goal, at), nearness)) return at;
  }
  return null;
}
