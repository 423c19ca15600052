import { answersOf } from '../plan/answered.ts';
import { statementId } from '../plan/lines.ts';
import { allNested } from '../plan/nested-steps.ts';
import type { EndpointPlan } from '../plan/step.ts';
import type { PreconditionsContract } from './endpoint.ts';
import { expression, type PlanReader } from './plan-reader.ts';

/**
 * How an endpoint treats the preconditions of a request (RFC 9110, section 13); null if the document states no
 * treatment and the endpoint has no conditional answers.
 */
export function preconditionsOf(r: PlanReader, endpoint: EndpointPlan): PreconditionsContract | null {
  const match = [...allNested(endpoint.inside)].find((step) => step.do === 'match');
  if (match)
    return {
      ifMatch: 'required',
      ifNoneMatch: 'judged',
      ifUnmodifiedSince: 'ignored',
      to: match.of === null ? expression(match.to) : null,
      of: match.of,
      lines: r.lines(match.line),
    };
  const { preconditions } = endpoint;
  if (!preconditions && !answersOf(endpoint).some(({ conditional }) => conditional)) return null;
  const fact = preconditions ? 'preconditions' : 'conditional';
  const of = endpoint.inside.find((step) => step.do === 'preconditions')?.of ?? null;
  // An unsettled GET is not served, so that a precondition cannot be evaluated against its answer.
  const kind = preconditions === 'evaluated' && of === null ? 'refused' : (preconditions ?? 'evaluated');
  const judged = kind === 'evaluated' || kind === 'required' ? 'judged' : kind;
  return {
    ifMatch: kind === 'required' ? kind : judged,
    ifNoneMatch: judged,
    // With an If-Match, the header is not evaluated (RFC 9110, section 13.2.2).
    ifUnmodifiedSince: kind === 'required' || (judged === 'judged' && !tellsModified(r, of)) ? 'ignored' : judged,
    to: null,
    of,
    lines: r.lines(statementId.endpoint(endpoint.name, fact)),
  };
}

/** Whether the answers of a GET have a Last-Modified header. */
const tellsModified = (r: PlanReader, get: string | null): boolean =>
  r.plan.endpoints.some(
    (one) =>
      one.name === get && answersOf(one).some(({ headers }) => headers.some(({ name }) => name === 'Last-Modified')),
  );
