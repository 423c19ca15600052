import * as t from '../../../expression/tree/types.ts';
import type { FromPlan, GivenPlan } from '../../../plan/step.ts';
import { requestOf } from '../../document/effective.ts';
import { assignments, fromRequest, givenOnce } from './assignments.ts';
import type { Checking, Of } from './checking.ts';
import { checkCreated } from './required-fields.ts';

/** A row that a step makes. */
interface MadePlan {
  readonly as: string | null;
  readonly resource: string;
  readonly from: FromPlan | null;
  readonly with: readonly GivenPlan[];
  readonly line: number;
}

/** Create and Ensure: what the new row is given is all that it needs, and given once. */
export function checkMade(c: Checking, step: Of<'Create'> | Of<'Ensure'>): MadePlan | null {
  const resource = c.r.resource(step.resource);
  const { assigned, given } = assignments(c, step.with, resource, 'create');
  const from = resource && step.from && fromRequest(c, step.from, step.verb, resource);
  if (resource) {
    const requested = from?.requested ?? new Set();
    givenOnce(c, step, resource, requested);
    // What a request may leave out, it doesn't give.
    const sent = requestOf(c.one)?.optional ? new Set<string>() : requested;
    // Where “from” is not understood, nobody knows which values the request gives.
    if (!from?.unclear) checkCreated(c.r, c.one, resource.name.text, { requested: sent, assigned });
  }
  c.nameRow(step.as, resource ? t.rowOf(resource.name.text) : t.UNKNOWN);
  if (!resource || !given || (from && !from.plan)) return null;
  const named = { as: step.as?.text ?? null, resource: resource.name.text };
  return { ...named, from: from?.plan ?? null, with: given, line: c.line(step) };
}
