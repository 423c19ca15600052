import { type Expr, some } from '../../expression/tree/expression.ts';
import { lineKey } from '../../plan/lines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { ResourcePlan, TransitionPlan } from '../../plan/rows.ts';
import type { Plan } from '../../plan/step.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { stepKey } from '../oracle/run.ts';
import { type Trace, traceKey } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import { requestsByChance } from '../requests/candidates.ts';
import { duesOf } from '../session/dues.ts';
import type { Session } from '../session/session.ts';
import { endsOfCrowded } from '../session/windows.ts';
import type { Statement } from '../statements/statement.ts';
import { slackOf } from './bounds.ts';
import { lookThrough } from './conversations.ts';
import type { Exploration } from './exploration.ts';
import type { TraceCoverage } from './trace-coverage.ts';

/** How many requests may lead to one goal, and to all of them. */
const MOST_STEPS = 14;
const MOST_STEPS_OF_ALL = 120;
/** How many requests to each endpoint are looked at for a step, and how many for all goals. */
const LOOKED_AT = 20;
const LOOKED_AT_OF_ALL = 15_000;

/** Of more rows than these in one state, no goal is nearer. */
const FEW = 2;

/** Something of a transition that was not tried yet, and the state that a row has to be in for it. */
interface StateGoal {
  readonly resource: string;
  /** From how many transitions away a row of each state comes to the state of the goal; 0 in that state. */
  readonly distances: ReadonlyMap<string, number>;
  /** One of these has to be met. */
  readonly traces: readonly Trace[];
}

/** What comes next on the way to a goal: a request, or an instant at which time moves a row. */
type NextStep = { readonly send: Candidate } | { readonly waitUntil: number };

/**
 * Brings rows into the states in which transitions were not tried yet, one transition after the other, and tries them
 * there: a state that is many requests away is rarely met by chance.
 */
export async function reachStates(
  run: Exploration,
  statements: readonly Statement[],
  coverage: TraceCoverage,
): Promise<void> {
  const session = await run.session();
  const look = { left: LOOKED_AT_OF_ALL };
  let steps = 0;
  for (const goal of stateGoals(run.subject.plan, statements, coverage))
    for (let step = 0; step < MOST_STEPS && !coverage.hasAny(goal.traces); step++) {
      if (run.isOver() || !run.isOn(session)) return;
      if (++steps > MOST_STEPS_OF_ALL) break;
      await endWindows(run, session);
      const next = await nextStep(run, session, goal, look);
      if (!next) break;
      if ('send' in next) await run.dispatch(next.send);
      else await run.pass(session, next.waitUntil - (await session.now()) + slackOf(session));
    }
  if (steps > 0) await lookThrough(run, session);
}

/** Has rates begin anew of which much is used up: what they refuse leads nowhere. */
async function endWindows(run: Exploration, session: Session): Promise<void> {
  const now = await session.now();
  for (const end of endsOfCrowded(session.oracle.state, now)) await run.pass(session, end - now);
}

function stateGoals(plan: Plan, statements: readonly Statement[], coverage: TraceCoverage): StateGoal[] {
  const goals = plan.resources.flatMap((resource) => [
    ...ofTransitions(resource, statements),
    ...ofConditions(plan, resource, statements),
  ]);
  return goals.filter(({ traces }) => !coverage.hasAny(traces));
}

function ofTransitions({ name: resource, states }: ResourcePlan, statements: readonly Statement[]): StateGoal[] {
  return (states?.transitions ?? []).flatMap((transition) => {
    const key = lineKey.transition(resource, transition.name);
    const needs = statements.filter((one) => one.key === key).flatMap((one) => one.needs);
    return needs.flatMap(({ traces }): StateGoal[] => {
      const at = stateOf(traces.find(({ statement }) => statement === key)?.what ?? '', transition);
      return at === null ? [] : [{ resource, distances: distancesTo(at, states?.transitions ?? []), traces }];
    });
  });
}

/** Steps that require something of a row’s state are tried in each state. */
function ofConditions(
  plan: Plan,
  { name: resource, states }: ResourcePlan,
  statements: readonly Statement[],
): StateGoal[] {
  if (!states) return [];
  const { initial, transitions, field } = states;
  const all = [...new Set([initial, ...transitions.flatMap(({ from, to }) => [...from, to])])];
  const isAbout = (part: Expr): boolean =>
    part.op === 'get' && part.member === field && part.of.type.kind === 'row' && part.of.type.resource === resource;
  return plan.endpoints.flatMap(({ inside }) =>
    [...allNested(inside)].flatMap((step): StateGoal[] => {
      if (step.do !== 'require' || !some(step.test, isAbout)) return [];
      const statement = stepKey(step);
      if (!statements.some(({ key }) => key === statement)) return [];
      return all.map((state) => ({
        resource,
        distances: distancesTo(state, transitions),
        traces: ['done', 'refused'].map((how) => ({ statement, what: `${how} in ${state}` })),
      }));
    }),
  );
}

/** The state in which a row is for a trace of a transition: of one that time makes, the state after it. */
function stateOf(what: string, { from, to, timed }: TransitionPlan): string | null {
  if (timed) return to;
  if (what.startsWith('guard ')) return from[0] ?? null;
  return /^(?:refused )?from (.*)$/s.exec(what)?.[1] ?? null;
}

function distancesTo(state: string, transitions: readonly TransitionPlan[]): Map<string, number> {
  const distances = new Map([[state, 0]]);
  // A map takes in what is added while it is gone through: nearer states first.
  for (const [to, distance] of distances)
    for (const one of transitions)
      if (one.to === to) for (const from of one.from) if (!distances.has(from)) distances.set(from, distance + 1);
  return distances;
}

/**
 * A request that reaches the goal; else the one that brings a row nearest to it; else the instant at which time does; else
 * a request that changes anything else, since a condition may ask for that. Null where none is accepted.
 */
async function nextStep(
  run: Exploration,
  session: Session,
  goal: StateGoal,
  look: { left: number },
): Promise<NextStep | null> {
  const resource = run.subject.plan.resources.find(({ name }) => name === goal.resource);
  if (!resource) return null;
  const wanted = new Set(goal.traces.map(traceKey));
  let best: { readonly one: Candidate; readonly rows: readonly number[] } | null = null;
  let other: Candidate | null = null;
  const before = rowsByDistance(session.oracle, resource, goal);
  const now = await session.now();
  for (const { one, changes } of options(run, session, now)) {
    if (look.left-- <= 0) break;
    const foreseen = session.foresee(one.request, now, 'foreseen');
    if (!foreseen) continue;
    const { trace, expected } = foreseen.prediction;
    if (trace.some((each) => wanted.has(traceKey(each)))) return { send: one };
    if (expected.status >= 300 || !changes) continue;
    const rows = rowsByDistance(foreseen.oracle, resource, goal);
    // Where the row that is nearest comes nearer, no other step is better.
    if (nearest(rows) < nearest(before)) return { send: one };
    if (isNearer(rows, best?.rows ?? before)) best = { one, rows };
    else if (!isNearer(before, rows)) other ??= one;
  }
  if (best) return { send: best.one };
  const waitUntil = run.subject.setup.clock ? nextMove(session.oracle, resource, goal, now) : null;
  if (waitUntil !== null) return { waitUntil };
  return other && { send: other };
}

/** When time next moves a row nearer to the goal; null where it moves none. */
function nextMove(
  oracle: Oracle,
  { name, states }: ResourcePlan,
  { distances }: StateGoal,
  now: number,
): number | null {
  if (!states) return null;
  const far = (state: unknown): number => distances.get(String(state)) ?? Number.POSITIVE_INFINITY;
  const next = duesOf(oracle, now).find((due) => {
    const move = due.row.resource === name && states.transitions.find((one) => one.name === due.name);
    return move && far(move.to) < far(due.row.get(states.field));
  });
  return next?.at ?? null;
}

/** Some right requests to each endpoint, and whether a row may be in another state after one: none that is removed is. */
function* options(
  { subject: { contract, plan }, random }: Exploration,
  session: Session,
  now: number,
): Generator<{ readonly one: Candidate; readonly changes: boolean }> {
  const [version] = contract.versions;
  const known = session.known(now);
  for (const endpoint of random.shuffled(version?.endpoints ?? [])) {
    const changes = endpoint.writes && !endpoint.steps.some((step) => step.do === 'remove');
    if (version)
      for (const one of requestsByChance({ contract, version, endpoint, known, random, plan }, LOOKED_AT))
        yield { one, changes };
  }
}

/** How many rows are how far away, the nearest first; more than a few are no nearer. */
function rowsByDistance({ state }: Oracle, { name, states }: ResourcePlan, { distances }: StateGoal): number[] {
  const counts = Array.from(distances, () => 0);
  for (const row of state.rows.all(name)) {
    const distance = distances.get(String(states ? row.get(states.field) : ''));
    if (distance !== undefined) counts[distance] = Math.min(FEW, (counts[distance] ?? 0) + 1);
  }
  return counts;
}

/** How far away the nearest row is. */
const nearest = (rows: readonly number[]): number => {
  const at = rows.findIndex((count) => count > 0);
  return at < 0 ? rows.length : at;
};

/** Whether more rows are near. */
function isNearer(rows: readonly number[], others: readonly number[]): boolean {
  const at = rows.findIndex((count, i) => count !== others[i]);
  return at >= 0 && (rows[at] ?? 0) > (others[at] ?? 0);
}
