import type { Condition } from '../../plan/conditions.ts';
import { keyHeaderOf } from '../../plan/idempotency-key.ts';
import { lineKey } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { tokenStatement } from '../judge/tokens.ts';
import { isReplay } from '../oracle/trace.ts';
import { conditionOf, headingKey } from '../statements/tried.ts';
import { headerOf } from '../target/exchange.ts';
import { ofBody } from './bodies.ts';
import { type Course, explaining, involved, withDeciding } from './explain.ts';
import { ofHeader } from './headers.ts';
import { withNearby, written } from './nearby.ts';
import { codeKey, columnsOf, type Outcomes, outcomesOf } from './outcomes.ts';
import { mayRefuseLater, ofDigits, ofOtherRefusal } from './refusals.ts';
import { ofPlace, ofUnknown, refusing } from './refusing.ts';
import { endpointsAt, type WrongAnswer } from './wrong-answer.ts';

/** The largest number of statements that a break names: the broken one, and others that it may break instead. */
const MOST = 3;

/**
 * The statements that an answer may break, by their keys, the likeliest first: the most specific statement about a
 * difference, by the difference itself and by the trace of the prediction.
 */
export function blamed(plan: Plan, wrong: WrongAnswer): readonly [string, ...string[]] {
  const all = [...candidates(plan, wrong), ...wrong.prediction.expected.statements];
  const stated = [...new Set(all)].filter((key) => isStated(plan, key));
  // A condition of the list that the document adopts has no line of its own.
  const adopted = all.find((key) => key.startsWith('condition '));
  const [first = adopted ?? '', ...others] = stated.slice(0, MOST);
  return [first, ...others];
}

/**
 * The statements to blame, by the requests that led to the answer: where a condition decides, statements come first
 * whose alteration explains all answers.
 */
export function blamedIn(plan: Plan, wrong: WrongAnswer, course: Course): readonly [string, ...string[]] {
  const likely = possible(plan, blamed(plan, wrong), wrong, course);
  const named =
    isAnsweredAgain(wrong, course) || isReplay(wrong.prediction.trace) ? withKeys(plan, wrong, likely) : likely;
  const found = isDecision(named[0], wrong)
    ? explaining(course, [...withDeciding(plan, named), ...involved(course)])
    : [];
  const all = withNearby(plan, [...found, ...named]);
  // A step that only shows rows may show a value that another step has written wrongly.
  const behind = all.length < MOST && all[0]?.startsWith('step ') ? written(plan, course) : [];
  const stated = [...new Set([...all, ...behind])].filter((key) => isStated(plan, key) || key === named[0]);
  const [first, ...others] = stated.slice(0, MOST);
  return [first ?? '', ...others];
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
  named: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const key = lineKey.endpoint(endpoint?.name ?? '', 'idempotency');
  if (!isStated(plan, key)) return named;
  return [key, ...named.filter((one) => one !== key).slice(0, MOST - 1)];
}

/** Statements without the heading of an endpoint that was reached before, unless there is no other. */
function possible(
  plan: Plan,
  named: readonly [string, ...string[]],
  { prediction: { endpoint } }: WrongAnswer,
  course: Course,
): readonly [string, ...string[]] {
  const [heading, ...others] = named;
  const [first, ...rest] = others;
  if (!endpoint || first === undefined || heading !== headingKey(endpoint.name)) return named;
  return wasReached(plan, endpoint, course) ? [first, ...rest] : named;
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
function isDecision(key: string, { prediction, answer }: WrongAnswer): boolean {
  if (key.startsWith('field ')) return prediction.expected.status === answer.status;
  // The last step answers the request; it refuses nothing.
  if (key === `step ${prediction.endpoint?.after.line ?? 0}`)
    return prediction.expected.status < 400 && answer.status >= 400;
  return /^(?:step|transition|states|unique|holds|overlap|reference|parameter|endpoint .*: (?:access|pages|Page size|Whole list)$|resource .*: visible$)/.test(
    key,
  );
}

/** Whether a statement has a line in the document. */
const isStated = ({ lines, endpoints }: Plan, key: string): boolean =>
  Object.hasOwn(lines, key) || /^step [1-9]/.test(key) || endpoints.some(({ name }) => headingKey(name) === key);

function candidates(plan: Plan, wrong: WrongAnswer): string[] {
  const { prediction, differences, answer } = wrong;
  const { endpoint, expected } = prediction;
  if (answer.status === 0) return [];
  const outcomes = outcomesOf(plan, answer);
  if (isOtherTitle(plan, wrong)) return [codeKey(plan, expected.code ?? '')];
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
): string[] | null {
  const { endpoint, expected } = prediction;
  const lost = conditions.has('no such endpoint') || conditions.has('method not allowed');
  const condition = conditionOf(expected);
  const wasLost = condition === 'no such endpoint' || condition === 'method not allowed';
  if (wasLost === lost && !wasLost) return null;
  const head = (name: string): string[] => (request.method === 'HEAD' ? [lineKey.endpoint(name, 'HEAD')] : []);
  if (endpoint && !wasLost) {
    const named = request.method === 'HEAD' ? head(endpoint.name) : [];
    const isOwn = [...conditions].every((one) => one === 'no such endpoint' || one === 'method not allowed');
    // A request that an earlier check should have refused may have reached a step that refuses with this code.
    if (!isOwn || (expected.status >= 400 && mayRefuseLater(endpoint, codes))) return null;
    // A step may refuse with the same code.
    const silent = { codes, conditions: new Set<Condition>() };
    const steps = refusing(plan, { endpoint, trace: prediction.trace, request, answer }, silent);
    return [...named, headingKey(endpoint.name), ...steps];
  }
  if (!wasLost) return null;
  const at = endpointsAt(plan, request);
  const allow = differences.find((one) => one.at.toLowerCase() === 'header allow');
  if (lost && allow) return ofHeader(plan, prediction, request, allow);
  if (lost) return null;
  return [...at.flatMap(({ name }) => head(name)), ...at.map(({ name }) => headingKey(name))];
}

/** A request that was to be refused, and was not. */
function ofRefusal(plan: Plan, { prediction, request: sent }: WrongAnswer): string[] {
  const { endpoint: at, expected, trace } = prediction;
  const { body } = expected;
  if (at && conditionOf(expected) === 'page refused')
    return [...expected.statements.filter((one) => /^step |: Whole list$/.test(one)), ...ofPlace(at, sent)];
  const faults = JSON.stringify(body ?? null);
  const unknown = lineKey.part('resources', 'unknownFields');
  const request = expected.statements.find((one) => one.endsWith(': payloads'));
  if (conditionOf(expected) === 'unknown field' || (request && /unknown_field/.test(faults))) {
    const endpoint = /^endpoint (.*): payloads$/.exec(request ?? '')?.[1];
    const isField = plan.resources.some(({ columns }) =>
      columns.some(({ name }) => new RegExp(`["/.]${name.replaceAll('.', '[./]')}"(?!:)`).test(faults)),
    );
    const own = endpoint === undefined ? [] : [lineKey.endpoint(endpoint, 'request')];
    return isField ? [...own, unknown] : [unknown, ...own];
  }
  return ofDigits(plan, trace);
}

/** An answer of the right status: its body, and then its headers. */
function ofParts(plan: Plan, { prediction, differences, request }: WrongAnswer): string[] {
  const tokens = differences.flatMap((one) => tokenStatement(one) ?? []);
  if (tokens.length > 0) return tokens;
  const type = differences.find(({ at }) => at.toLowerCase() === 'header content-type');
  const body = type ? [] : ofBody(plan, prediction, differences);
  if (body.length > 0 || (!type && differences.some(({ at }) => at.startsWith('body')))) return body;
  const header = type ?? differences.find(({ at }) => at.startsWith('header '));
  return header ? ofHeader(plan, prediction, request, header) : [];
}
