import { type Expr, some } from '../../expression/tree/expression.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import type { MachinePlan, ResourcePlan, TransitionPlan } from '../../plan/rows.ts';
import { makesTransition } from '../../plan/slots.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import { CALENDAR_CASES, calendarOf, changesClocks } from '../oracle/calendar.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Reach } from './reach.ts';
import { type Draft, type Need, need, needAny, type SetupMember, those } from './statement.ts';

/** The statements of the part States. */
export function stateDrafts(plan: Plan, reach: Reach): Draft[] {
  return plan.resources.flatMap((resource) =>
    resource.machines.flatMap((machine) => machineDrafts(plan, resource, machine, reach)),
  );
}

function machineDrafts(plan: Plan, { name, columns }: ResourcePlan, machine: MachinePlan, reach: Reach): Draft[] {
  const { initial, transitions, field } = machine;
  const listed = columns.find((column) => column.name === field)?.rule.oneOf ?? [];
  const states = [...new Set([initial, ...listed, ...transitions.flatMap((one) => [...one.from, one.to])])];
  const setups = new StateSetups(machine, reach.rowSetup(name));
  const id = (fact: 'name' | 'initial' | 'final'): StatementId => statementId.states(name, field, fact);
  const from: Trace[] = transitions.flatMap((one) =>
    one.from.map((state) => ({ statement: statementId.transition(name, one.name), what: `from ${state}` })),
  );
  const final = states.filter((state) => !transitions.some((one) => one.from.includes(state)));
  return [
    {
      id: id('name'),
      item: 'states/states',
      needs: [needAny('a row is moved', [...from, ...timedTraces(name, machine)], setups.of(initial))],
    },
    {
      id: id('initial'),
      item: 'states/states',
      needs: [need(`a new row is ${initial}`, id('initial'), 'done', setups.of(initial))],
    },
    {
      id: id('final'),
      item: 'states/states',
      needs: final.flatMap((state) => finalNeeds(name, state, machine, setups, reach)),
    },
    ...transitions.map((one) =>
      transitionDraft(name, one, states, setups, {
        asked: reach.moves(name, one.name),
        checks: stateChecks(plan, name, one.name, field),
      }),
    ),
  ];
}

const timedTraces = (resource: string, { transitions }: MachinePlan): Trace[] =>
  transitions
    .filter((one) => one.timed)
    .map((one) => ({ statement: statementId.transition(resource, one.name), what: 'due' }));

/**
 * The need that no transition leads out of a final state: a transition is refused from it, where callers can request
 * one.
 */
function finalNeeds(resource: string, state: string, machine: MachinePlan, setups: StateSetups, reach: Reach): Need[] {
  const asked = machine.transitions.filter((one) => reach.moves(resource, one.name));
  if (asked.length === 0) return [];
  const traces = asked.map((one) => ({
    statement: statementId.transition(resource, one.name),
    what: `refused from ${state}`,
  }));
  return [needAny(`no transition leads out of ${state}`, traces, setups.of(state))];
}

function transitionDraft(
  resource: string,
  { name, from, guard, timed }: TransitionPlan,
  states: readonly string[],
  setups: StateSetups,
  { asked, checks }: { readonly asked: boolean; readonly checks: readonly Trace[] },
): Draft {
  const id = statementId.transition(resource, name);
  const others = asked ? states.filter((state) => !from.includes(state)) : [];
  const first = from[0] ?? '';
  const clock = (state: string): readonly SetupMember[] => [...new Set([...setups.of(state), 'clock' as const])];
  const made = (name: string, what: string, state: string, condition: boolean): Need => ({
    ...need(name, id, what, setups.of(state)),
    row: { state, condition },
  });
  const refused = (state: string): Need => {
    const traces = [{ statement: id, what: `refused from ${state}` }, ...checks];
    return { ...needAny(`it is refused from ${state}`, traces, setups.of(state)), row: { state, condition: null } };
  };
  const needs = [
    ...(timed ? [] : from.map((state) => made(`it is made from ${state}`, `from ${state}`, state, true))),
    ...others.map(refused),
    ...those(
      guard && made('it is made where its condition is true', 'guard true', first, true),
      guard && made('it is not made where its condition is false', 'guard false', first, false),
      timed && need('it is made once its instant has come', id, 'due', clock(first)),
      timed && need('it is not made before its instant', id, 'not due', clock(first)),
    ),
    ...calendarNeeds(id, timed?.instant ?? null, clock(first)),
  ];
  return { id, item: 'states/transitions', needs };
}

/** The cases of a time by the calendar that have to be tried. */
function calendarNeeds(id: StatementId, instant: Expr | null, setup: readonly SetupMember[]): Need[] {
  const months = calendarOf(instant);
  if (!months) return [];
  return Object.entries(CALENDAR_CASES).flatMap(([what, words]) =>
    what === 'due over a change of clocks' && !changesClocks(months) ? [] : [need(words, id, what, setup)],
  );
}

/** The setup members that are needed for a row to reach a state: a clock, where only a timed transition leads there. */
class StateSetups {
  private readonly rows: readonly SetupMember[];
  private readonly timely: ReadonlySet<string>;

  constructor({ initial, transitions }: MachinePlan, rows: readonly SetupMember[]) {
    this.rows = rows;
    const reached = new Set([initial]);
    const untimed = transitions.filter((one) => !one.timed);
    // Each round reaches at least one state more, or ends.
    for (let before = 0; before < reached.size; ) {
      before = reached.size;
      for (const one of untimed) if (one.from.some((state) => reached.has(state))) reached.add(one.to);
    }
    this.timely = reached;
  }

  of(state: string): readonly SetupMember[] {
    return this.timely.has(state) ? this.rows : [...this.rows, 'clock'];
  }
}

/**
 * The traces of steps that refuse a request before it can make a transition: steps before or around the transition
 * whose condition reads the state. With such a step, no request attempts the transition from a wrong state.
 */
function stateChecks(plan: Plan, resource: string, transition: string, field: string): Trace[] {
  const found: Trace[] = [];
  const isAbout = (expr: Expr | null): boolean =>
    expr !== null && some(expr, (part) => part.op === 'get' && part.member === field);
  const at = (step: InsideStep, what: string): Trace => ({ statement: statementId.step(step), what });
  const visit = (steps: readonly InsideStep[], before: readonly Trace[]): void => {
    let checks = before;
    for (const step of steps) {
      if (step.do === 'require' && isAbout(step.test)) checks = [...checks, at(step, 'refused')];
      if (step.do === 'find' && isAbout(step.where)) checks = [...checks, at(step, 'none')];
      if (step.do === 'if') {
        const about = isAbout(step.test);
        visit(step.then, about ? [...checks, at(step, 'else')] : checks);
        visit(step.else, about ? [...checks, at(step, 'then')] : checks);
      }
      if (step.do === 'for each') {
        const about = step.over.kind === 'rows' && isAbout(step.over.where);
        visit(step.steps, about ? [...checks, at(step, 'rounds 0')] : checks);
      }
      if (makesTransition(step, resource, transition)) found.push(...checks);
    }
  };
  for (const endpoint of plan.endpoints) visit(endpoint.inside, []);
  for (const { machines } of plan.resources) for (const one of transitionsIn(machines)) visit(one.then, []);
  return found;
}
