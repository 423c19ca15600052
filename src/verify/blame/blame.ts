import { answersOf } from '../../plan/answered.ts';
import type { Condition } from '../../plan/conditions.ts';
import { keyHeaderOf } from '../../plan/idempotency-key.ts';
import { eachOnce, isSameId, lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { isReplay } from '../oracle/trace.ts';
import { conditionOf } from '../statements/tried.ts';
import { headerOf } from '../target/exchange.ts';
import { ofBody } from './bodies.ts';
import { type Course, explaining, involved, withDeciding } from './explain.ts';
import { ofHeader } from './headers.ts';
import { withNearby, written } from './nearby.ts';
import { codeId, columnsOf, type Outcomes, outcomesOf } from './outcomes.ts';
import { mayRefuseLater, ofDigits, ofOtherRefusal } from './refusals.ts';
import { ofPlace, ofUnknown, refusing } from './refusing.ts';
import { endpointsAt, type WrongAnswer } from './wrong-answer.ts';

/** The largest number of statements that a break names: the broken one, and others that it may break instead. */
const MOST = 3;

/**
 * The statements that an answer may break, the likeliest first: the most specific statement about a difference, by the
 * difference itself and by the trace of the prediction. None where the document states nothing about it.
 */
export function blamed(plan: Plan, wrong: WrongAnswer): readonly StatementId[] {
  const all = [...candidates(plan, wrong), ...wrong.prediction.expected.statements];
  const stated = eachOnce(all).filter((id) => isStated(plan, id));
  // A condition of the list that the document adopts has no line of its own.
  const adopted = all.filter(({ kind }) => kind === 'condition').slice(0, 1);
  return stated.length > 0 ? stated.slice(0, MOST) : adopted;
}

/**
 * The statements to blame, by the requests that led to the answer: where a condition decides, statements come first
 * whose alteration explains all answers.
 */
export function blamedIn(plan: Plan, wrong: WrongAnswer, course: Course): readonly StatementId[] {
  const likely = possible(plan, blamed(plan, wrong), wrong, course);
  const named =
    isAnsweredAgain(wrong, course) || isReplay(wrong.prediction.trace) ? withKeys(plan, wrong, likely) : likely;
  const [first] = named;
  const found =
    first && isDecision(first, wrong) ? explaining(course, [...withDeciding(plan, named), ...involved(course)]) : [];
  const all = withNearby(plan, [...found, ...named]);
  // A step that only shows rows may show a value that another step has written wrongly.
  const behind = all.length < MOST && all[0]?.kind === 'step' ? written(plan, course) : [];
  const isNamed = (id: StatementId): boolean => first !== undefined && isSameId(id, first);
  return eachOnce([...all, ...behind])
    .filter((id) => isStated(plan, id) || isNamed(id))
    .slice(0, MOST);
}

/** Whether a request was answered as one before it was that had the same idempotency key. */
function isAnsweredAgain({ request, answer, prediction: { endpoint } }: WrongAnswer, { steps }: Course): boolean {
  const header = endpoint && keyHeaderOf(endpoint);
  const key = header ? headerOf(request.headers, header) : null;
  if (!header || key === null || answer.body.length === 0) return false;
  return steps
    .slice(0, -1)
    .some(
      ({ exchange: { request: earlier, outcome } }) =>
        earlier.target === request.target &&
        headerOf(earlier.headers, header) === key &&
        !('failed' in outcome) &&
        outcome.body.equals(answer.body),
    );
}

/** Puts the statement about idempotency keys before the others. */
function withKeys(
  plan: Plan,
  { prediction: { endpoint } }: WrongAnswer,
  named: readonly StatementId[],
): readonly StatementId[] {
  const id = statementId.endpoint(endpoint?.name ?? '', 'idempotency');
  return isStated(plan, id) ? eachOnce([id, ...named]).slice(0, MOST) : named;
}

/** Statements without the heading of an endpoint that was reached before, unless there is no other. */
function possible(
  plan: Plan,
  named: readonly StatementId[],
  { prediction: { endpoint } }: WrongAnswer,
  course: Course,
): readonly StatementId[] {
  const [heading, ...others] = named;
  if (!endpoint || !heading || others.length === 0 || !isSameId(heading, statementId.heading(endpoint.name)))
    return named;
  return wasReached(plan, endpoint, course) ? others : named;
}

/** Whether the endpoint has answered an earlier request correctly: its method and path are then as stated. */
function wasReached(plan: Plan, endpoint: EndpointPlan, { whole, steps }: Course): boolean {
  return (whole?.steps ?? steps).some(
    ({ exchange: { request, outcome } }) =>
      request.method === endpoint.method &&
      !('failed' in outcome) &&
      outcome.status < 400 &&
      endpointsAt(plan, request).includes(endpoint),
  );
}

/**
 * Whether a statement decides what happens, so that another statement may be the cause. The form of a value is stated
 * in its own line.
 */
function isDecision(id: StatementId, { prediction, answer }: WrongAnswer): boolean {
  switch (id.kind) {
    case 'field':
      return prediction.expected.status === answer.status;
    case 'step':
      // An Answer refuses nothing.
      return (
        !(prediction.endpoint && answersOf(prediction.endpoint).some(({ line }) => line === id.line)) ||
        (prediction.expected.status < 400 && answer.status >= 400)
      );
    case 'endpoint':
      return id.fact !== null && ['access', 'pages', 'Page size', 'Whole list'].includes(id.fact);
    case 'resource':
      return id.fact === 'visible' || id.fact === 'audited';
    default:
      return DECIDING.includes(id.kind);
  }
}

/** The kinds of statements of which each decides. */
const DECIDING: ReadonlyArray<StatementId['kind']> = [
  'transition',
  'states',
  'unique',
  'holds',
  'overlap',
  'reference',
  'parameter',
];

/** Whether a statement has a line in the document. */
const isStated = ({ lines, endpoints }: Plan, id: StatementId): boolean =>
  lineOf(lines, id) !== undefined ||
  (id.kind === 'step' && id.line > 0) ||
  (id.kind === 'endpoint' && id.fact === null && endpoints.some(({ name }) => name === id.endpoint));

function candidates(plan: Plan, wrong: WrongAnswer): StatementId[] {
  const { prediction, differences, answer } = wrong;
  const { endpoint, expected } = prediction;
  if (answer.status === 0) return [];
  const outcomes = outcomesOf(plan, answer);
  if (isOtherTitle(plan, wrong)) return [codeId(plan, expected.code ?? '')];
  const elsewhere = ofRoute(plan, wrong, outcomes);
  if (elsewhere) return elsewhere;
  const isRefused = answer.status >= 400;
  const wasRefused = expected.code !== null || expected.status >= 400;
  const unknown = isRefused && endpoint ? ofUnknown(endpoint, answer) : [];
  if (unknown.length > 0) return unknown;
  if (isRefused && !wasRefused && endpoint)
    return refusing(plan, { endpoint, trace: prediction.trace, request: wrong.request, answer }, outcomes);
  if (isRefused && wasRefused) {
    const found = ofOtherRefusal(plan, wrong, outcomes);
    return found.length > 0 ? found : ofParts(plan, wrong);
  }
  if (wasRefused) return ofRefusal(plan, wrong);
  if (differences.some(({ at }) => at === 'status')) return [];
  return ofParts(plan, wrong);
}

/** Whether a refusal of the right status differs only in texts of its code, and shows no text of another code. */
function isOtherTitle(plan: Plan, { prediction: { expected }, differences, answer }: WrongAnswer): boolean {
  const { code, status } = expected;
  if (code === null || status !== answer.status || differences.length === 0) return false;
  const own = new Set(textsOf(plan, code));
  const others = new Set(
    [...Object.keys(plan.errors.codes), ...adoptedCodes(plan)].flatMap((one) => textsOf(plan, one)),
  );
  return differences.every(
    ({ at, expected: ours, actual }) =>
      at.startsWith('body') && own.has(ours ?? '') && actual?.startsWith('"') && !others.has(actual),
  );
}

const adoptedCodes = ({ errors }: Plan): string[] => Object.values(errors.conditions).map(({ code }) => code);

/** The texts of a code that a payload may show, as JSON. */
function textsOf(plan: Plan, code: string): string[] {
  const outcome =
    Object.values(plan.errors.codes).find((one) => one.code === code) ??
    Object.values(plan.errors.conditions).find((one) => one.code === code);
  return outcome ? [outcome.title, outcome.code, ...columnsOf(plan, code)].map((one) => JSON.stringify(one)) : [];
}

/** The statements to blame where only one of the two answers is that of an endpoint: a method or a path. */
function ofRoute(
  plan: Plan,
  { prediction, request, differences, answer }: WrongAnswer,
  { conditions, codes }: Outcomes,
): StatementId[] | null {
  const { endpoint, expected } = prediction;
  const lost = conditions.has('no such endpoint') || conditions.has('method not allowed');
  const condition = conditionOf(expected);
  const wasLost = condition === 'no such endpoint' || condition === 'method not allowed';
  if (wasLost === lost && !wasLost) return null;
  const head = (name: string): StatementId[] => (request.method === 'HEAD' ? [statementId.endpoint(name, 'HEAD')] : []);
  if (endpoint && !wasLost) {
    const named = request.method === 'HEAD' ? head(endpoint.name) : [];
    const isOwn = [...conditions].every((one) => one === 'no such endpoint' || one === 'method not allowed');
    // A request that an earlier check should have refused may have reached a step that refuses with this code.
    if (!isOwn || (expected.status >= 400 && mayRefuseLater(endpoint, codes))) return null;
    // A step may refuse with the same code.
    const silent = { codes, conditions: new Set<Condition>() };
    const steps = refusing(plan, { endpoint, trace: prediction.trace, request, answer }, silent);
    return [...named, statementId.heading(endpoint.name), ...steps];
  }
  if (!wasLost) return null;
  const at = endpointsAt(plan, request);
  const allow = differences.find((one) => one.at.toLowerCase() === 'header allow');
  if (lost && allow) return ofHeader(plan, prediction, request, allow);
  if (lost) return null;
  return [...at.flatMap(({ name }) => head(name)), ...at.map(({ name }) => statementId.heading(name))];
}

/** Whether a statement is a step, or the bound of a list without pages. */
const isOfSize = (id: StatementId): boolean =>
  id.kind === 'step' || (id.kind === 'endpoint' && id.fact === 'Whole list');

/** A request that was to be refused, and was not. */
function ofRefusal(plan: Plan, { prediction, request: sent }: WrongAnswer): StatementId[] {
  const { endpoint: at, expected, trace } = prediction;
  const { body } = expected;
  if (at && conditionOf(expected) === 'page refused')
    return [...expected.statements.filter(isOfSize), ...ofPlace(at, sent)];
  const faults = JSON.stringify(body ?? null);
  const unknown = statementId.part('resources', 'unknownFields');
  const request = expected.statements.find((one) => one.kind === 'endpoint' && one.fact === 'payloads');
  if (conditionOf(expected) === 'unknown field' || (request && /unknown_field/.test(faults))) {
    const isField = plan.resources.some(({ columns }) =>
      columns.some(({ name }) => new RegExp(`["/.]${name.replaceAll('.', '[./]')}"(?!:)`).test(faults)),
    );
    const own = request?.kind === 'endpoint' ? [statementId.endpoint(request.endpoint, 'request')] : [];
    return isField ? [...own, unknown] : [unknown, ...own];
  }
  return ofDigits(plan, trace);
}

/** An answer of the right status: its body, and then its headers. */
function ofParts(plan: Plan, { prediction, differences, request }: WrongAnswer): StatementId[] {
  const tokens = differences.flatMap(({ statement }) => statement ?? []);
  if (tokens.length > 0) return tokens;
  const type = differences.find(({ at }) => at.toLowerCase() === 'header content-type');
  const body = type ? [] : ofBody(plan, prediction, differences);
  if (body.length > 0 || (!type && differences.some(({ at }) => at.startsWith('body')))) return body;
  const header = type ?? differences.find(({ at }) => at.startsWith('header '));
  return header ? ofHeader(plan, prediction, request, header) : [];
}
