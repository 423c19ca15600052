import { type Expr, parts, some } from '../../expression/tree/expression.ts';
import { isSameId, statementId } from '../../plan/lines.ts';
import { allNested, endpointsWith } from '../../plan/nested-steps.ts';
import type { MachinePlan, ResourcePlan, TransitionPlan } from '../../plan/rows.ts';
import { makesTransition } from '../../plan/slots.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import { evaluate } from '../oracle/evaluate.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { Unknown } from '../oracle/refusal.ts';
import type { OracleRow } from '../oracle/rows.ts';
import { scopeOfRow } from '../oracle/scope.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Statement } from '../statements/statement.ts';
import { endpointsWriting, resourcesOf } from './deciding.ts';
import type { TraceCoverage } from './trace-coverage.ts';

/** The number of rows at one distance that count: more rows in a state bring no goal nearer. */
const FEW = 2;

/** An untried aspect of a transition or condition, and the state in which a row has to be to try it. */
export interface StateGoal {
  readonly resource: ResourcePlan;
  /** The field with the state. */
  readonly machine: MachinePlan;
  readonly state: string;
  /** The number of transitions from each state to the state of the goal; 0 for that state. */
  readonly distances: ReadonlyMap<string, number>;
  /** The traces of the goal. The goal is reached when one of them is met. */
  readonly traces: readonly Trace[];
  /** The condition on a row in the state of the goal; null where there is none. */
  readonly condition: { readonly test: Expr; readonly holds: boolean } | null;
}

/** The distance of rows from a goal. */
export interface Nearness {
  /** The number of rows at each distance, the nearest first, capped at a small number. */
  readonly rows: readonly number[];
  /** The largest share of the conditions of the next transition that one of the nearest rows meets, from 0 to 1. */
  readonly met: number;
  /** The nearest rows, and the transitions that bring them nearer. */
  readonly nearest: readonly OracleRow[];
  readonly next: readonly TransitionPlan[];
}

/** All untried aspects of transitions, and of conditions on states. */
export function stateGoals(plan: Plan, statements: readonly Statement[], coverage: TraceCoverage): StateGoal[] {
  const goals = plan.resources.flatMap((resource) => [
    ...resource.machines.flatMap((machine) => ofTransitions(plan, resource, machine, statements)),
    ...resource.machines.flatMap((machine) => ofConditions(plan, resource, machine, statements)),
  ]);
  return goals.filter(({ traces }) => !coverage.hasAny(traces));
}

/** The goal that a row is in a state. */
export const inState = (resource: ResourcePlan, machine: MachinePlan, state: string): StateGoal => ({
  resource,
  machine,
  state,
  distances: distancesTo(state, machine.transitions),
  traces: [],
  condition: null,
});

function ofTransitions(
  plan: Plan,
  resource: ResourcePlan,
  machine: MachinePlan,
  statements: readonly Statement[],
): StateGoal[] {
  const { name } = resource;
  const { transitions } = machine;
  return transitions.flatMap((transition) => {
    if (!transition.timed && !isAskedFor(plan, name, transition.name)) return [];
    const id = statementId.transition(name, transition.name);
    const needs = statements.filter((one) => isSameId(one.id, id)).flatMap((one) => one.needs);
    const { guard, timed, to } = transition;
    return needs.flatMap(({ traces, row }): StateGoal[] => {
      // A timed transition is tried once a row is in the state after it.
      const at = timed ? to : row?.state;
      if (at === undefined) return [];
      const condition =
        guard === null || row?.condition === null ? null : { test: guard, holds: row?.condition !== false };
      return [{ resource, machine, state: at, distances: distancesTo(at, transitions), traces, condition }];
    });
  });
}

/**
 * Whether the steps of an endpoint make a transition. A transition that only follows from another one is no goal, since
 * no request makes it directly.
 */
const isAskedFor = (plan: Plan, resource: string, transition: string): boolean =>
  endpointsWith(plan, (step) => makesTransition(step, resource, transition)).size > 0;

/** Goals for steps whose condition reads a row’s state: such steps are tried in each state. */
function ofConditions(
  plan: Plan,
  resource: ResourcePlan,
  machine: MachinePlan,
  statements: readonly Statement[],
): StateGoal[] {
  const { name } = resource;
  const { initial, transitions, field } = machine;
  const all = [...new Set([initial, ...transitions.flatMap(({ from, to }) => [...from, to])])];
  const isAbout = (part: Expr): boolean =>
    part.op === 'get' && part.member === field && part.of.type.kind === 'row' && part.of.type.resource === name;
  return plan.endpoints.flatMap(({ inside }) =>
    [...allNested(inside)].flatMap((step): StateGoal[] => {
      if (step.do !== 'require' || !some(step.test, isAbout)) return [];
      const statement = statementId.step(step);
      if (!statements.some(({ id }) => isSameId(id, statement))) return [];
      return all.map((state) => ({
        resource,
        machine,
        state,
        distances: distancesTo(state, transitions),
        traces: ['done', 'refused'].map((how) => ({ statement, what: `${how} in ${state}` })),
        condition: null,
      }));
    }),
  );
}

function distancesTo(state: string, transitions: readonly TransitionPlan[]): Map<string, number> {
  const distances = new Map([[state, 0]]);
  // Iteration over a Map also visits entries that are added during the iteration, so this is a breadth-first search.
  for (const [to, distance] of distances)
    for (const one of transitions)
      if (one.to === to) for (const from of one.from) if (!distances.has(from)) distances.set(from, distance + 1);
  return distances;
}

/** The names of the endpoints that a goal concerns. */
interface ConcernedEndpoints {
  /** Endpoints whose steps the goal tests, or that make one of the next transitions. */
  readonly leading: ReadonlySet<string>;
  /**
   * Endpoints that create or change rows of the goal's resource, or of the resources that its transitions read. They
   * may have to come before.
   */
  readonly before: ReadonlySet<string>;
}

/** `next`: the transitions that bring the nearest rows nearer. */
export function concernedBy(
  plan: Plan,
  { resource, traces, condition }: StateGoal,
  next: readonly TransitionPlan[],
): ConcernedEndpoints {
  const lines = new Set(traces.flatMap(({ statement }) => (statement.kind === 'step' ? [statement.line] : [])));
  const isNext = (step: InsideStep): boolean => next.some(({ name }) => makesTransition(step, resource.name, name));
  const tests = [...next.flatMap(({ guard }) => guard ?? []), ...(condition ? [condition.test] : [])];
  const asked = new Set([resource.name, ...tests.flatMap(resourcesOf)]);
  return {
    leading: endpointsWith(plan, (step) => lines.has(step.line ?? 0) || isNext(step)),
    before: endpointsWriting(plan, asked),
  };
}

/** The distances of the known rows from a goal, at an instant. */
export function nearnessOf(oracle: Oracle, goal: StateGoal, now: number): Nearness {
  const { resource, distances } = goal;
  const counts = Array.from(distances, () => 0);
  const all = oracle.state.rows.all(resource.name).map((row) => ({ row, distance: distanceOf(goal, row) }));
  for (const { distance } of all)
    if (distance !== undefined) counts[distance] = Math.min(FEW, (counts[distance] ?? 0) + 1);
  const least = nearest(counts);
  const rows = all.flatMap(({ row, distance }) => (distance === least ? [row] : []));
  const next = [...new Set(rows.flatMap((row) => leading(goal, row)))];
  return { rows: counts, met: Math.max(0, ...rows.map((row) => metOf(oracle, goal, row, now))), nearest: rows, next };
}

const stateOf = ({ machine }: StateGoal, row: OracleRow): string => String(row.get(machine.field));

const distanceOf = (goal: StateGoal, row: OracleRow): number | undefined => goal.distances.get(stateOf(goal, row));

/** The transitions that lead a row nearer to a goal. */
function leading(goal: StateGoal, row: OracleRow): readonly TransitionPlan[] {
  const { machine, distances } = goal;
  const far = distanceOf(goal, row);
  const state = stateOf(goal, row);
  if (far === undefined) return [];
  const isNearer = ({ from, to }: TransitionPlan): boolean =>
    from.includes(state) && (distances.get(to) ?? Number.POSITIVE_INFINITY) < far;
  return machine.transitions.filter(isNearer);
}

function metOf(oracle: Oracle, goal: StateGoal, row: OracleRow, now: number): number {
  const { condition } = goal;
  const tests =
    distanceOf(goal, row) === 0
      ? condition && [condition]
      : leading(goal, row).map(({ guard }) => guard && { test: guard, holds: true });
  if (!tests || tests.length === 0) return 1;
  const work = oracle.begin(now, { version: oracle.state.plan.versions?.current ?? '', name: 'nearness' }, false);
  const isTrue = (test: Expr): boolean => {
    try {
      return evaluate(test, scopeOfRow(work, row)) === true;
    } catch (error) {
      if (error instanceof Unknown) return false;
      throw error;
    }
  };
  const shares = tests.map((one) => {
    if (one === null) return 1;
    if (!one.holds) return isTrue(one.test) ? 0 : 1;
    const all = conjuncts(one.test);
    return all.filter(isTrue).length / all.length;
  });
  return Math.max(...shares);
}

/** The operands of a conjunction. */
const conjuncts = (test: Expr): readonly Expr[] =>
  test.op === 'call' && test.fn === 'and' ? parts(test).flatMap(conjuncts) : [test];

/** The distance of the nearest row from the goal; beyond the largest distance if there is no row. */
export function nearest(rows: readonly number[]): number {
  const at = rows.findIndex((count) => count > 0);
  return at < 0 ? rows.length : at;
}

/** Whether a row is nearer, more rows are near, or more conditions of the next transition are met. */
export function isNearer(one: Nearness, other: Nearness): boolean {
  const at = one.rows.findIndex((count, i) => count !== other.rows[i]);
  const least = Math.min(nearest(one.rows), nearest(other.rows));
  // A further row at the least distance counts less than a further condition that the nearest row meets.
  if (at < 0 || (at === least && nearest(one.rows) === nearest(other.rows))) {
    if (one.met !== other.met) return one.met > other.met;
  }
  return at >= 0 && (one.rows[at] ?? 0) > (other.rows[at] ?? 0);
}
