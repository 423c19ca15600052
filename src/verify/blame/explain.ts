import type { Expr } from '../../expression/tree/expression.ts';
import { eachOnce, isSameId, type StatementId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { Plan } from '../../plan/step.ts';
import { judged, type When } from '../judge/judge.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Exchange } from '../target/exchange.ts';
import { alterations } from './alterations.ts';

/** An exchange, its time by the service’s clock, and the name under which its random values are known. */
export interface Step {
  readonly exchange: Exchange;
  readonly when: When;
  readonly name: string;
}

/**
 * A session up to an answer that breaks the document: the predicted state before the first exchange, and all exchanges.
 */
export interface Course {
  readonly before: Oracle;
  readonly steps: readonly Step[];
  /**
   * The session from its start, if it is longer than `steps`: its exchanges distinguish statements that all explain the
   * last answer.
   */
  readonly whole?: Course | undefined;
}

/**
 * The largest number of exchanges that are judged again for all statements together: for the exchanges that show a
 * break, and for the whole session.
 */
const MOST_JUDGED = 1500;
const MOST_JUDGED_OF_WHOLE = 4000;
/**
 * The number of bytes of an answer that counts as one further exchange: judging them takes about as long as an
 * exchange.
 */
const BYTES_OF_ONE = 16_384;
/**
 * The largest number of statements that are compared with all earlier answers: each of them already explains the answer
 * that shows the break.
 */
const MOST_EXPLAINING = 8;

/**
 * Returns the statements whose omission or alteration explains all answers: for each altered document, the exchanges
 * are judged again. Statements that also explain all earlier answers come first.
 */
export function explaining(course: Course, statements: readonly StatementId[]): StatementId[] {
  const found: Array<{ statement: StatementId; plan: Plan }> = [];
  const { plan } = course.before.state;
  const first = new Judge(course, MOST_JUDGED);
  for (const statement of eachOnce(statements)) {
    const names = eachOnce(found.map((one) => one.statement));
    if (first.isOver || names.length >= MOST_EXPLAINING) break;
    for (const other of alterations(plan, statement)) if (first.fits(other)) found.push({ statement, plan: other });
  }
  const whole = course.whole ? new Judge(course.whole, MOST_JUDGED_OF_WHOLE) : null;
  const sure = found.length > 1 && whole ? found.filter((one) => whole.fits(one.plan)) : [];
  return eachOnce([...sure, ...found].map(({ statement }) => statement));
}

/** Judges the exchanges of a session by altered documents, until a number of exchanges is used up. */
class Judge {
  private readonly course: Course;
  private left: number;

  /** `most`: the largest number of exchanges to judge. */
  constructor(course: Course, most: number) {
    this.course = course;
    this.left = most;
  }

  get isOver(): boolean {
    return this.left <= 0;
  }

  /** Whether every answer of the session is the one that a document requires. */
  fits(plan: Plan): boolean {
    let oracle = this.course.before.under(plan);
    for (const { exchange, when, name } of this.course.steps) {
      if (this.isOver || 'failed' in exchange.outcome) return false;
      this.left -= 1 + Math.floor(exchange.outcome.body.length / BYTES_OF_ONE);
      try {
        const verdict = judged(oracle, exchange, exchange.outcome, when, name);
        if (verdict.kind !== 'kept') return false;
        oracle = verdict.oracle;
      } catch {
        // An altered document may lack a part that its other statements refer to; such a document explains nothing.
        return false;
      }
    }
    return true;
  }
}

/**
 * Adds the statements that decide the same outcome earlier: the condition around a step, and the visibility of the row
 * of a step. If either explains everything, the more general statement is the likelier cause.
 */
export function withDeciding({ endpoints, resources }: Plan, statements: readonly StatementId[]): StatementId[] {
  const all = endpoints.flatMap(({ inside }) => [...allNested(inside)]);
  return statements.flatMap((statement) => {
    const own = all.filter((step) => isSameId(statement, statementId.step(step)));
    const holding = all.filter((step) => step.do === 'if' && [...allNested([step])].some((one) => own.includes(one)));
    const sights = resources.filter(
      ({ name, visible }) =>
        visible !== null && own.some((step) => (step.do === 'find' || step.do === 'verify') && step.resource === name),
    );
    return [
      ...holding.map((step) => statementId.step(step)),
      ...sights.flatMap(({ name, visible }) => [...derivedAlone(visible), statementId.resource(name, 'visible')]),
      statement,
    ];
  });
}

/** The derived field of a condition that consists of that field alone: its expression is then the condition. */
function derivedAlone(condition: Expr | null): StatementId[] {
  if (condition?.op !== 'get' || !condition.derived || condition.of.type.kind !== 'row') return [];
  return [statementId.field(condition.of.type.resource, condition.member)];
}

/** The statements that may have decided in a course: the traces, the latest first, then those of its endpoints. */
export function* involved({ before, steps: taken }: Course): Generator<StatementId> {
  const { plan } = before.state;
  const traces: StatementId[][] = [];
  const endpoints = new Set<string>();
  let oracle = before;
  for (const { exchange, when, name } of taken) {
    const verdict = 'failed' in exchange.outcome ? null : judged(oracle, exchange, exchange.outcome, when, name);
    if (!verdict || verdict.kind === 'not judged') break;
    const { endpoint, trace } = verdict.prediction;
    if (endpoint) endpoints.add(endpoint.name);
    traces.push(trace.map(({ statement }) => statement).reverse());
    if (verdict.kind === 'kept') oracle = verdict.oracle;
  }
  yield* traces.at(-1) ?? [];
  for (const { name, derived } of plan.resources) {
    yield statementId.resource(name, 'visible');
    for (const one of derived) yield statementId.field(name, one.name);
  }
  yield* traces.slice(0, -1).reverse().flat();
  const steps = plan.endpoints.flatMap(({ name, inside }) => (endpoints.has(name) ? [...allNested(inside)] : []));
  for (const step of steps) yield statementId.step(step);
  // An Ensure step finds an existing row by a unique key.
  const written = new Set(steps.flatMap((step) => (step.do === 'ensure' ? [step.resource] : [])));
  for (const { name, uniques } of plan.resources)
    if (written.has(name)) for (const i of uniques.keys()) yield statementId.rule(name, 'unique', i);
  for (const { name, takes, clears, keptBy, machines } of plan.resources) {
    for (const one of [...takes, ...clears, ...keptBy]) yield statementId.reference(one.resource, one.field);
    for (const one of transitionsIn(machines)) {
      yield statementId.transition(name, one.name);
      for (const step of allNested(one.then)) yield statementId.step(step);
    }
  }
}
