import { everyInside } from '../../plan/inside.ts';
import { lineKey } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { Difference } from '../judge/compare.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Answer } from '../target/exchange.ts';

/** Headers, and what of an endpoint says them. */
const HEADERS: Readonly<Record<string, (endpoint: EndpointPlan, trace: readonly Trace[]) => string | null>> = {
  etag: ({ name, after }) => (after.conditional ? lineKey.endpoint(name, 'conditional') : null),
  link: ({ name }) => lineKey.endpoint(name, 'pages'),
  ratelimit: (_, trace) => keyIn(trace, 'rate '),
  'ratelimit-policy': (_, trace) => keyIn(trace, 'rate '),
  'retry-after': (_, trace) => keyIn(trace, 'rate '),
  deprecation: (_, trace) => keyIn(trace, 'version '),
  sunset: (_, trace) => keyIn(trace, 'version '),
  'www-authenticate': (_, trace) => keyIn(trace, 'scheme '),
};

const keyIn = (trace: readonly Trace[], prefix: string): string | null =>
  trace.findLast(({ statement }) => statement.startsWith(prefix))?.statement ?? null;

/** The statement that an answer breaks, by its key: the nearest that the difference tells of. */
export function blamed(
  plan: Plan,
  { endpoint, expected, trace }: Prediction,
  differences: readonly Difference[],
  answer: Answer,
): string {
  const code = codeIn(plan, answer);
  const [nearest] = expected.statements;
  if (expected.code === null && expected.status < 400 && answer.status >= 400) {
    const found = endpoint && refusing(plan, endpoint, trace, code, answer);
    return found ?? (code === null ? (nearest ?? '') : lineKey.code(code));
  }
  if (expected.code !== null && expected.code === code) {
    const aboutCode = differences.some(({ at }) => at === 'status' || /\/(?:title|status|code)$/.test(at));
    return aboutCode ? lineKey.code(code) : (memberOf(differences, trace) ?? nearest ?? lineKey.code(code));
  }
  if (expected.status >= 400 || answer.status >= 400 || differences.some(({ at }) => at === 'status'))
    return nearest ?? '';
  const [first] = differences;
  const header = first?.at.startsWith('header ') ? first.at.slice('header '.length).toLowerCase() : null;
  const own = header && endpoint ? HEADERS[header]?.(endpoint, trace) : memberOf(differences, trace);
  return own ?? nearest ?? '';
}

/** The code of an answer: a text in it that is one of the document’s. */
function codeIn({ errors }: Plan, { status, body }: Answer): string | null {
  if (status < 400) return null;
  const all = [...Object.keys(errors.codes), ...Object.values(errors.conditions).map(({ code }) => code)];
  const texts = new Set([...body.toString().matchAll(/"([A-Za-z0-9_.-]+)"/g)].map(([, text]) => text));
  return all.find((code) => texts.has(code)) ?? null;
}

/** The statement that was passed and that an implementation with another one would have refused with a code. */
function refusing(
  plan: Plan,
  endpoint: EndpointPlan,
  trace: readonly Trace[],
  code: string | null,
  answer: Answer,
): string | null {
  const passed = [...new Set(trace.map(({ statement }) => statement))];
  const coded = new Map<string, string | null>();
  for (const { name, states, uniques, holds, overlaps, keptBy } of plan.resources) {
    for (const one of states?.transitions ?? []) coded.set(lineKey.transition(name, one.name), one.code);
    for (const [i, rule] of uniques.entries()) coded.set(lineKey.rule(name, 'unique', i), rule.code);
    for (const [i, rule] of holds.entries()) coded.set(lineKey.rule(name, 'holds', i), rule.code);
    for (const [i, rule] of overlaps.entries()) coded.set(lineKey.rule(name, 'overlap', i), rule.code);
    for (const rule of keptBy) coded.set(lineKey.reference(rule.resource, rule.field), rule.code);
  }
  for (const step of everyInside(endpoint.inside)) if ('code' in step) coded.set(`step ${step.line ?? 0}`, step.code);
  const found = code === null ? undefined : passed.find((statement) => coded.get(statement) === code);
  if (found) return found;
  const condition = Object.entries(plan.errors.conditions).find(([, outcome]) => outcome.code === code)?.[0];
  switch (condition) {
    case 'invalid request':
    case 'unknown field':
    case 'reference unknown': {
      const text = answer.body.toString();
      const fields = passed.filter((one) => one.startsWith('field ') || one.startsWith('parameter '));
      const named = fields.find((one) =>
        text.includes(one.slice(Math.max(one.lastIndexOf('.'), one.lastIndexOf(' ')) + 1)),
      );
      return named ?? lineKey.endpoint(endpoint.name, 'request');
    }
    case 'credentials missing':
    case 'credentials not accepted':
    case 'scope missing':
      return lineKey.endpoint(endpoint.name, 'access');
    case 'rate exceeded':
      return keyIn(trace, 'rate ');
    case 'request too large':
      return lineKey.endpoint(endpoint.name, 'Request size');
    case 'page refused':
      return lineKey.endpoint(endpoint.name, 'pages');
    case 'idempotency key missing':
    case 'idempotency key malformed':
    case 'idempotency key reused':
      return lineKey.endpoint(endpoint.name, 'idempotency');
    case 'precondition failed':
    case 'precondition missing':
      return passed.find((one) => one === lineKey.endpoint(endpoint.name, 'conditional')) ?? keyIn(trace, 'step ');
    case 'version missing':
    case 'version unknown':
    case 'version retired':
      return keyIn(trace, 'version ');
    case 'body not expected':
      return lineKey.endpoint(endpoint.name, 'unread bodies');
    default:
      return null;
  }
}

/** The field that a member of a body is: the innermost name of the pointer that the trace has a field of. */
function memberOf(differences: readonly Difference[], trace: readonly Trace[]): string | null {
  const [first] = differences;
  const names = first?.at.startsWith('body ') ? first.at.slice('body '.length).split('/').slice(1).reverse() : [];
  for (const name of names) {
    const found = trace.find(({ statement }) => statement.startsWith('field ') && statement.endsWith(`.${name}`));
    if (found) return found.statement;
  }
  return null;
}
