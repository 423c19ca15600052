import type { ResourcePlan } from '../../plan/rows.ts';
import { meets } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Known, KnownRow } from '../requests/known.ts';
import { duesOf } from '../session/dues.ts';
import type { Session } from '../session/session.ts';
import { endsOfCrowded } from '../session/windows.ts';
import type { Statement } from '../statements/statement.ts';
import { AT_INSTANT, MOST_INSTANTS, TURNS_IN_STATE } from './bounds.ts';
import { chat, converse, lookThrough } from './conversations.ts';
import { reachEdges } from './edges.ts';
import type { Exploration } from './exploration.ts';
import type { LooksLeft } from './goal-requests.ts';
import { rightRequests } from './right-requests.ts';
import { reachRefusals, reachRules } from './row-goals.ts';
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

/** How many requests may lead to one goal, and to all of them, and how many in a row that lead no nearer. */
const MOST_STEPS = 14;
const MOST_STEPS_OF_ALL = 160;
const MOST_IDLE = 4;
/** How often goals that were not reached are tried again. */
const ROUNDS = 2;
/** How many requests to each endpoint are looked at for a step: to one that leads on by itself, and to others. */
const LOOKED_AT = { leading: 80, before: 20 } as const;
/** How many are looked at for all goals. */
const LOOKED_AT_OF_ALL = 15_000;
/** How many are looked at for what rows decide. */
const LOOKED_AT_ROWS = 30_000;

/** The next step towards a goal: a request, or an instant at which time moves a row. */
type NextStep = { readonly send: Candidate } | { readonly waitUntil: number };

/**
 * Brings rows into the states in which transitions were not tried yet, one transition after the other, and tries them
 * there: random requests rarely reach a state that is many requests away.
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
 * Makes transitions that were not made yet, one after the other, and sends requests to endpoints in each state that is
 * reached.
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

/** Brings a row into a state; gives whether one is there. */
export async function reachState(run: Exploration, resource: ResourcePlan, state: string): Promise<boolean> {
  const session = await run.session();
  const goal = inState(resource, state);
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

/** The context of a walk through states. */
interface Tour {
  readonly run: Exploration;
  readonly session: Session;
  readonly coverage: TraceCoverage;
  readonly look: LooksLeft & { steps: number };
  /** The states in which conversations were held. */
  readonly visited: Set<string>;
}

/**
 * Walks to each of some goals, the nearest first. In each state that is reached for the first time, tries refusals that
 * depend on rows, and holds conversations.
 */
async function goThrough(
  { run, session, coverage, look, visited }: Tour,
  goals: readonly StateGoal[],
  whatRowsDecide: (resource: string) => Promise<void>,
): Promise<void> {
  const now = await session.now();
  const far = (goal: StateGoal): number => nearest(nearnessOf(session.oracle, goal, now).rows);
  const sorted = goals.map((goal) => ({ goal, distance: far(goal) })).sort((a, b) => a.distance - b.distance);
  /** The places from which no row could move on. */
  const dead = new Set<string>();
  for (const { goal } of sorted) {
    if (coverage.hasAny(goal.traces) || dead.has(await placeOf(session, goal))) continue;
    await walk(run, session, goal, coverage, look);
    if (run.isOver() || !run.isOn(session)) return;
    if (!coverage.hasAny(goal.traces)) dead.add(await placeOf(session, goal));
    const state = `${goal.resource.name} ${goal.state}`;
    if (visited.has(state) || nearest(nearnessOf(session.oracle, goal, await session.now()).rows) > 0) continue;
    visited.add(state);
    await reachSuccess(run, look);
    await whatRowsDecide(goal.resource.name);
    if (run.isOn(session)) await converse(run, TURNS_IN_STATE);
  }
}

/** The transitions by which a goal would come nearer: from there, other goals come no further either. */
async function placeOf(session: Session, goal: StateGoal): Promise<string> {
  const { rows, next } = nearnessOf(session.oracle, goal, await session.now());
  const least = nearest(rows);
  const step = goal.traces.find(({ statement }) => statement.startsWith('step '))?.statement;
  // A step that no request reaches in one state is not tried in another.
  if (least === 0) return step ?? JSON.stringify(goal.traces);
  const names = next.map(({ name }) => name).sort();
  return `${goal.resource.name} ${least === rows.length ? 'none' : names.join()}`;
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
      // Requests of other callers decide how time moves a row.
      await chat(run, AT_INSTANT);
      if (run.isOn(session)) await passTo(run, session, next.waitUntil, coverage);
    }
    const reached = nearnessOf(session.oracle, goal, await session.now());
    idle = isNearer(reached, best) ? 0 : idle + 1;
    if (idle === 0) best = reached;
  }
}

/** Has rates begin anew of which much is used up: what they refuse leads nowhere. */
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
 * A request that reaches the goal; else the request that brings a row nearest to it; else the instant at which time
 * does; else a request with another effect, which a condition may need. Null where no request is accepted. The walk
 * tries the endpoints of the goal first, and the others only where none of those accepts a request.
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

/**
 * The knowledge of a session without the rows that are further from the goal than the nearest, which are to move on.
 */
function aboutNearest({ session, goal, nearness }: Position, known: Known): Known {
  const nearest = new Set(nearness.nearest.map((row) => String(session.oracle.state.rows.identity(row))));
  if (nearest.size === 0) return known;
  const isNear = ({ resource, identity }: KnownRow): boolean =>
    resource !== goal.resource.name || nearest.has(identity);
  return { ...known, rows: (resource) => known.rows(resource).filter(isNear) };
}

/** Of some valid requests, the one that leads nearest to a goal, and a random one with another effect. */
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
    // No row that is removed comes into another state.
    if (expected.status >= 300 || !endpoint?.writes || endpoint.inside.some((step) => step.do === 'remove')) continue;
    const nearness = nearnessOf(foreseen.oracle, goal, now);
    // No other step is better than one that brings the nearest row nearer.
    if (nearest(nearness.rows) < nearest(before.rows)) return { leading: one, other };
    if (isNearer(nearness, best?.nearness ?? before)) best = { one, nearness };
    else if (!isNearer(before, nearness) && run.random.chance(1 / ++others)) other = one;
  }
  return { leading: best?.one ?? null, other };
}

/** The next instant at which time brings a row nearer to the goal; null where it brings none. */
function nextMove({ session, goal, now, nearness }: Position): number | null {
  for (const { at } of duesOf(session.oracle, now).slice(0, MOST_INSTANTS)) {
    const later = session.oracle.copy();
    later.passTime(at, 'later');
    if (isNearer(nearnessOf(later, goal, at), nearness)) return at;
  }
  return null;
}
