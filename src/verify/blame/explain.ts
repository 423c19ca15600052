import { everyInside } from '../../plan/inside.ts';
import { lineKey } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { judged, type When } from '../judge/judge.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Exchange } from '../target/exchange.ts';
import { alterations } from './alterations.ts';

/** An exchange, when it was by the service’s clock, and the name of what is drawn for it. */
export interface Step {
  readonly exchange: Exchange;
  readonly when: When;
  readonly name: string;
}

/** A session up to an answer that breaks the document: what was known before the first exchange, and all of them. */
export interface Course {
  readonly before: Oracle;
  readonly steps: readonly Step[];
}

/** How many exchanges are judged again at most, for all statements together. */
const MOST_JUDGED = 1500;

/**
 * Of statements, those without which, or with another form of which, the document would say all that was answered: the
 * exchanges are judged again by each such document.
 */
export function explaining({ before, steps }: Course, statements: Iterable<string>, enough: number): string[] {
  const found: string[] = [];
  let left = MOST_JUDGED;
  const fits = (plan: Plan): boolean => {
    let oracle = before.under(plan);
    for (const { exchange, when, name } of steps) {
      left -= 1;
      if ('failed' in exchange.outcome) return false;
      try {
        const verdict = judged(oracle, exchange, exchange.outcome, when, name);
        if (verdict.kind !== 'kept') return false;
        oracle = verdict.oracle;
      } catch {
        // A document may lack what its other statements name; then it says nothing.
        return false;
      }
    }
    return true;
  };
  for (const statement of new Set(statements)) {
    if (left <= 0 || found.length >= enough) break;
    for (const plan of alterations(before.state.plan, statement)) {
      if (left <= 0) break;
      if (!fits(plan)) continue;
      found.push(statement);
      break;
    }
  }
  return found;
}

/** The statements that a course may have gone by: those that were met last first, then whatever its endpoints state. */
export function* involved({ before, steps }: Course): Generator<string> {
  const { plan } = before.state;
  const traces: string[][] = [];
  const endpoints = new Set<string>();
  let oracle = before;
  for (const { exchange, when, name } of steps) {
    const verdict = 'failed' in exchange.outcome ? null : judged(oracle, exchange, exchange.outcome, when, name);
    if (!verdict || verdict.kind === 'not judged') break;
    const { endpoint, trace } = verdict.prediction;
    if (endpoint) endpoints.add(endpoint.name);
    traces.push(trace.map(({ statement }) => statement).reverse());
    if (verdict.kind === 'kept') oracle = verdict.oracle;
  }
  yield* traces.at(-1) ?? [];
  for (const { name, derived } of plan.resources) {
    yield lineKey.resource(name, 'visible');
    for (const one of derived) yield lineKey.field(name, one.name);
  }
  yield* traces.slice(0, -1).reverse().flat();
  for (const { name, inside } of plan.endpoints)
    if (endpoints.has(name)) for (const step of everyInside(inside)) yield `step ${step.line ?? 0}`;
  for (const { name, takes, clears, keptBy, states } of plan.resources) {
    for (const one of [...takes, ...clears, ...keptBy]) yield lineKey.reference(one.resource, one.field);
    for (const one of states?.transitions ?? []) yield lineKey.transition(name, one.name);
  }
}
