import type { Contract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { idText, lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested, stepLists } from '../../plan/nested-steps.ts';
import { makesTransition } from '../../plan/slots.ts';
import { isSuccess } from '../../plan/status.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import { isOfRows } from '../run/trace-coverage.ts';
import type { Statement } from '../statements/statement.ts';

export const GOAL_KINDS = ['endpoint', 'transition', 'event', 'code'] as const;

export type GoalKind = (typeof GOAL_KINDS)[number];

/** Something of a document that a request has to lead to: an endpoint that answers, a transition, an event, a code. */
export interface Goal {
  readonly kind: GoalKind;
  /** As the document calls it; of a transition with its resource, as in `Order.place`. */
  readonly name: string;
  /** The line that states it; null for an endpoint, which begins at its heading. */
  readonly line: number | null;
}

/** The key of a goal. */
const goalKey = (kind: GoalKind, name: string): string => `${kind} ${name}`;

/**
 * All endpoints, transitions and events of a plan, and all codes with which steps, transitions and rules refuse a
 * request, in that order. The answer to a general condition is the same in all services.
 */
export function goalsOf(plan: Plan, { versions }: Contract): Goal[] {
  const { endpoints, resources, lines } = plan;
  const at = (id: StatementId): number | null => lineOf(lines, id) ?? null;
  const answers = versions[0]?.endpoints.flatMap((one) => one.answers.filter(isOfRows)) ?? [];
  const codes = new Set(answers.flatMap(({ code }) => code ?? []));
  const emitted = (plan.emitted ?? []).filter(({ name }) => isEmittedByRequests(plan, name));
  const events = new Set([...resources.flatMap((one) => one.events), ...emitted].map(({ name }) => name));
  return [
    ...endpoints.map(({ name }): Goal => ({ kind: 'endpoint', name, line: null })),
    ...resources.flatMap(({ name: resource, machines }) =>
      transitionsIn(machines).flatMap(({ name }): Goal[] => {
        const line = at(statementId.transition(resource, name));
        return isOfSchedules(plan, resource, name) ? [] : [{ kind: 'transition', name: `${resource}.${name}`, line }];
      }),
    ),
    ...[...events].map((name): Goal => ({ kind: 'event', name, line: at(statementId.event(name)) })),
    ...[...codes].map((name): Goal => ({ kind: 'code', name, line: at(statementId.code(name)) })),
  ];
}

/** Whether steps that a request leads to emit an event: those of schedules and handlers run by themselves. */
function isEmittedByRequests({ schedules: _, ...plan }: Plan, event: string): boolean {
  return stepLists(plan).some((steps) =>
    [...allNested(steps)].some((step) => step.do === 'emit' && step.event === event),
  );
}

/** Whether only schedules make a transition, so that no request leads to it. */
function isOfSchedules(plan: Plan, resource: string, transition: string): boolean {
  const { schedules = [], ...others } = plan;
  const makes = (steps: readonly InsideStep[]): boolean =>
    [...allNested(steps)].some((step) => makesTransition(step, resource, transition));
  return schedules.some(({ steps }) => makes(steps)) && !stepLists(others).some(makes);
}

/** The goals to which no request was found yet. */
export class OpenGoals {
  private readonly goals: readonly Goal[];
  private readonly keys: Set<string>;
  private readonly resources: Plan['resources'];
  /** The transitions, as goals call them, by the text of the id of their statement. */
  private readonly transitions: ReadonlyMap<string, string>;

  constructor(goals: readonly Goal[], { resources }: Plan) {
    this.goals = goals;
    this.keys = new Set(goals.map(({ kind, name }) => goalKey(kind, name)));
    this.resources = resources;
    this.transitions = new Map(
      resources.flatMap(({ name: resource, machines }) =>
        transitionsIn(machines).map(({ name }) => [
          idText(statementId.transition(resource, name)),
          `${resource}.${name}`,
        ]),
      ),
    );
  }

  get isEmpty(): boolean {
    return this.keys.size === 0;
  }

  /** The open goals, in the order of all goals. */
  get all(): readonly Goal[] {
    return this.goals.filter(({ kind, name }) => this.has(kind, name));
  }

  has(kind: GoalKind, name: string): boolean {
    return this.keys.has(goalKey(kind, name));
  }

  found(kind: GoalKind, name: string): void {
    this.keys.delete(goalKey(kind, name));
  }

  /** Records the transitions in a trace as reached goals. */
  takeIn(trace: readonly Trace[]): void {
    for (const one of trace) {
      const made = this.madeBy(one);
      if (made !== null) this.found('transition', made);
    }
  }

  /** Whether an answer would reach an open goal: an endpoint, a code or a transition. */
  isLedTo({ endpoint, expected, trace }: Prediction): boolean {
    if (isSuccess(expected.status) && endpoint && this.has('endpoint', endpoint.name)) return true;
    if (expected.code !== null && this.has('code', expected.code)) return true;
    return trace.some((one) => {
      const made = this.madeBy(one);
      return made !== null && this.has('transition', made);
    });
  }

  /** Whether an endpoint has a code that depends on rows and that no answer has had yet. */
  hasCodeAt({ answers }: EndpointContract): boolean {
    return answers.some((one) => one.code !== null && isOfRows(one) && this.has('code', one.code));
  }

  /** The number of open goals that requests to an endpoint may reach. */
  countAt({ name, answers }: EndpointContract): number {
    const codes = answers.filter(({ code }) => code !== null && this.has('code', code)).length;
    return codes + (this.has('endpoint', name) ? 1 : 0);
  }

  /** The transitions that nothing has made yet, as statements that need each once. */
  get statements(): readonly Statement[] {
    return this.resources.flatMap(({ name: resource, machines }) =>
      transitionsIn(machines).flatMap(({ name, from, timed }): Statement[] => {
        if (!this.has('transition', `${resource}.${name}`)) return [];
        const id = statementId.transition(resource, name);
        const made = timed
          ? [{ trace: { statement: id, what: 'due' } }]
          : from.map((state) => ({ trace: { statement: id, what: `from ${state}` }, row: { state, condition: true } }));
        const traces = made.map(({ trace }) => trace);
        // Each state is a goal, which a transition from another state reaches as well.
        const needs = made.map(({ trace, ...row }) => ({
          name,
          traces: [trace, ...traces.filter((other) => other !== trace)],
          setup: [],
          ...row,
        }));
        return [
          { id, key: idText(id), line: 0, part: 'states', item: 'transitions', text: '', needs, untestable: null },
        ];
      }),
    );
  }

  /** The transition that a trace says was made; null for any other trace. */
  private madeBy({ statement, what }: Trace): string | null {
    return what === 'due' || what.startsWith('from ') ? (this.transitions.get(idText(statement)) ?? null) : null;
  }
}
