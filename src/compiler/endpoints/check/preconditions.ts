import type { Expr } from '../../../expression/tree/expression.ts';
import { isSafe } from '../../../plan/callers.ts';
import { withoutNames } from '../../../plan/paths.ts';
import type { AnswerStep, PreconditionsKind } from '../../../plan/step.ts';
import type { Located } from '../../../syntax/names.ts';
import type { Effective } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import { hasBody, isRows } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** The GET endpoint at the path of this endpoint, if its answers have an entity tag; otherwise null. */
export const taggedGet = (r: Resolved, { endpoint }: Effective): Effective | null =>
  r.once(taggedGets).get(withoutNames(endpoint.path)) ?? null;

/** The GET endpoints whose answers have entity tags, by path. */
const taggedGets = (r: Resolved): ReadonlyMap<string, Effective> =>
  new Map(
    r.effective
      .filter((one) => one.endpoint.method === 'GET' && (isConditional(one) || tagsIn(one).length > 0))
      .map((one) => [withoutNames(one.endpoint.path), one]),
  );

/** The values that the Answer steps of an endpoint state for ETag. */
const tagsIn = ({ every }: Effective) =>
  every.flatMap((step) => (step.verb === 'Answer' ? step.headers.filter(({ field }) => field.text === 'ETag') : []));

/** The value that an Answer step states for ETag, by its plan; null if there is none. */
export const statedTag = (r: Resolved, one: Effective, { line }: AnswerStep) =>
  tagsIn({ ...one, every: one.every.filter(({ span }) => r.line(span.from) === line) })[0] ?? null;

/** Whether requests to a write may have preconditions that none of its steps evaluates. */
export const takesPreconditions = (r: Resolved, one: Effective): boolean =>
  !isSafe(one.endpoint.method) && taggedGet(r, one) !== null && !one.every.some((step) => step.verb === 'Match');

/** Whether requests to a write may have preconditions that there is nothing to compare with. */
export const isUntagged = (r: Resolved, one: Effective): boolean =>
  !isSafe(one.endpoint.method) && taggedGet(r, one) === null && !one.every.some((step) => step.verb === 'Match');

/** The treatment of the preconditions of a write; null where it takes none, or where the document doesn't state it. */
export function preconditionsAt(r: Resolved, one: Effective): Located<PreconditionsKind> | null {
  if (isUntagged(r, one)) return one.settings.untagged;
  if (!takesPreconditions(r, one)) return null;
  const { preconditions, conditional } = one.settings;
  if (preconditions) return preconditions;
  return conditional?.value === 'none' ? { ...conditional, value: 'ignored' } : null;
}

/** Whether the service computes an entity tag of the endpoint's answer, and evaluates preconditions against it. */
export function isConditional({ endpoint, settings, every }: Effective): boolean {
  if (endpoint.method !== 'GET' || settings.conditional?.value !== 'strong ETag') return false;
  return every.some((step) => step.verb === 'Answer' && hasBody(step) && step.stream === null && !isRows(step));
}

/** Reports a second validator: an endpoint whose answers have a computed entity tag states and matches no other. */
export function checkConditional(r: Resolved, one: Effective): void {
  if (!isConditional(one)) return;
  const params = { endpoint: one.endpoint.name };
  for (const step of one.every) {
    if (step.verb === 'Match') r.notes.findings.push(d.report.matchConditional(step.span, params));
    if (step.verb !== 'Answer') continue;
    for (const header of step.headers)
      if (header.field.text === 'ETag' || header.field.text === 'Last-Modified')
        r.notes.findings.push(d.report.twoValidators(header.field, { ...params, header: header.field.text }));
  }
}

/** Whether the value of an expression is an entity tag: `etag(x)`, or a choice between such values. */
export function isEntityTag(expr: Expr): boolean {
  if (expr.op === 'if') return isEntityTag(expr.then) && isEntityTag(expr.else);
  return expr.op === 'call' && expr.fn === 'etag';
}
