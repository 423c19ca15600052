import { lineKey } from '../plan/lines.ts';
import { allNested } from '../plan/nested-steps.ts';
import type { EndpointPlan } from '../plan/step.ts';
import type { PreconditionsContract } from './endpoint.ts';
import { expression, type PlanReader } from './plan-reader.ts';

/** The treatment of the preconditions of a request; null where none can be meant. */
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
  if (!preconditions && !endpoint.after.conditional) return null;
  const fact = preconditions ? 'preconditions' : 'conditional';
  const of = endpoint.inside.find((step) => step.do === 'preconditions')?.of ?? null;
  // A GET that is not settled has no answer that a precondition could be about.
  const kind = preconditions === 'evaluated' && of === null ? 'refused' : (preconditions ?? 'evaluated');
  const judged = kind === 'evaluated' ? 'judged' : kind;
  return {
    ifMatch: judged,
    ifNoneMatch: judged,
    ifUnmodifiedSince: judged === 'judged' && !tellsModified(r, of) ? 'ignored' : judged,
    to: null,
    of,
    lines: r.lines(lineKey.endpoint(endpoint.name, fact)),
  };
}

/** Whether a GET tells when what it answers was modified. */
const tellsModified = (r: PlanReader, get: string | null): boolean =>
  r.plan.endpoints.some(({ name, after }) => name === get && after.headers.some((one) => one.name === 'Last-Modified'));
