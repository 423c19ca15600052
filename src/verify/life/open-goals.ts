import type { EndpointContract } from '../../contract/endpoint.ts';
import { lineKey } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import { isOfRows } from '../run/sought.ts';
import type { Statement } from '../statements/statement.ts';
import { type Goal, type GoalKind, goalKey } from './goals.ts';

/** The goals to which no request was found yet. */
export class OpenGoals {
  private readonly goals: readonly Goal[];
  private readonly keys: Set<string>;
  private readonly resources: Plan['resources'];
  /** The transitions, as goals call them, by the key of their statement. */
  private readonly transitions: ReadonlyMap<string, string>;

  constructor(goals: readonly Goal[], { resources }: Plan) {
    this.goals = goals;
    this.keys = new Set(goals.map(({ kind, name }) => goalKey(kind, name)));
    this.resources = resources;
    this.transitions = new Map(
      resources.flatMap(({ name: resource, states }) =>
        (states?.transitions ?? []).map(({ name }) => [lineKey.transition(resource, name), `${resource}.${name}`]),
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

  /** Whether an answer would be the first that leads to something. */
  isLedTo({ endpoint, expected, trace }: Prediction): boolean {
    if (expected.status < 300 && endpoint && this.has('endpoint', endpoint.name)) return true;
    if (expected.code !== null && this.has('code', expected.code)) return true;
    return trace.some((one) => {
      const made = this.madeBy(one);
      return made !== null && this.has('transition', made);
    });
  }

  /** Whether rows may have an endpoint refuse a request with a code that no answer has had yet. */
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
    return this.resources.flatMap(({ name: resource, states }) =>
      (states?.transitions ?? []).flatMap(({ name, from, timed }): Statement[] => {
        if (!this.has('transition', `${resource}.${name}`)) return [];
        const key = lineKey.transition(resource, name);
        const whats = timed ? ['due'] : from.map((state) => `from ${state}`);
        const traces = whats.map((what) => ({ statement: key, what }));
        const needs = traces.map((one) => ({
          name,
          traces: [one, ...traces.filter((other) => other !== one)],
          setup: [],
        }));
        return [{ key, line: 0, part: 'states', item: 'transitions', text: '', needs, untestable: null }];
      }),
    );
  }

  /** The transition that a trace says was made; null for any other trace. */
  private madeBy({ statement, what }: Trace): string | null {
    return what === 'due' || what.startsWith('from ') ? (this.transitions.get(statement) ?? null) : null;
  }
}
