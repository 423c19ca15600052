import type { Resource } from '../../statements/resources.ts';
import { assignments, fromRequest, givenOnce } from '../check/assignments.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Change `x` from e with f e */
export const CHANGE: VerbModule<'Change'> = {
  does: ({ row }) => ({ ...NOTHING, writes: { does: 'Change', row: row.text } }),
  check(c, step) {
    const resource = c.row(step.row);
    if (!resource) return null;
    const { given } = assignments(c, step.with, resource, 'change');
    const from = step.from && fromRequest(c, step.from, 'Change', resource);
    if (from) givenOnce(c, step, resource, from.requested);
    else if (step.with.length === 0 && !touched(resource))
      c.findings.push(d.report.changeNothing(step.span, { resource: resource.name.text }));
    if (!given || (from && !from.plan)) return null;
    const { type } = from?.plan?.value ?? {};
    const patch = type?.kind === 'object' && type.payload?.optional === true;
    const written = { row: step.row.text, resource: resource.name.text };
    return { do: 'change', patch, ...written, from: from?.plan ?? null, with: given, line: c.line(step) };
  },
};

/** Whether every change sets a field of the resource. */
const touched = (resource: Resource): boolean =>
  resource.fields.some((field) =>
    field.givenBy?.value.some((giving) => giving.from === 'moment' && giving.moment.text === 'change'),
  );
