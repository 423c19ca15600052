import type { Effective } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import { hasBody } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** Whether the service computes an entity tag of the endpoint's answer, and evaluates preconditions against it. */
export function isConditional({ endpoint, settings, steps }: Effective): boolean {
  if (endpoint.method !== 'GET' || settings.conditional?.value !== 'strong ETag') return false;
  return steps.some((step) => step.verb === 'Answer' && hasBody(step) && step.stream === null);
}

/** Reports a second validator: an endpoint whose answers have a computed entity tag states and matches no other. */
export function checkConditional(r: Resolved, one: Effective): void {
  if (!isConditional(one)) return;
  const params = { endpoint: one.endpoint.name };
  for (const step of one.steps) {
    if (step.verb === 'Match') r.notes.findings.push(d.report.matchConditional(step.span, params));
    if (step.verb !== 'Answer') continue;
    for (const header of step.headers)
      if (header.field.text === 'ETag' || header.field.text === 'Last-Modified')
        r.notes.findings.push(d.report.twoValidators(header.field, { ...params, header: header.field.text }));
  }
}
