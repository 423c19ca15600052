import * as t from '../../../expression/tree/types.ts';
import type { FromPlan, GivenPlan } from '../../../plan/step.ts';
import { requestOf } from '../../document/effective.ts';
import { assignments, fromRequest, givenOnce } from './assignments.ts';
import type { Checking, Of } from './checking.ts';
import { checkCreated } from './required-fields.ts';

/** The plan of a step that creates a row. */
interface MadePlan {
  readonly as: string | null;
  readonly resource: string;
  readonly from: FromPlan | null;
  readonly with: readonly GivenPlan[];
  readonly line: number;
}

/** Checks a Create or Ensure: every field that the new row needs has a value, from one source. */
export function checkMade(c: Checking, step: Of<'Create'> | Of<'Ensure'>): MadePlan | null {
  const resource = c.r.resource(step.resource);
  const { assigned, given } = assignments(c, step.with, resource, 'create');
  const from = resource && step.from && fromRequest(c, step.from, step.verb, resource);
  if (resource) {
    const requested = from?.requested ?? new Set();
    givenOnce(c, step, resource, requested);
    // A request that may leave fields out doesn't guarantee any of them.
    const sent = requestOf(c.one)?.optional ? new Set<string>() : requested;
    // If “from” has an error, the fields that the request provides are unknown.
    if (!from?.unclear) checkCreated(c.r, c.one, resource.name.text, { requested: sent, assigned });
  }
  c.nameRow(step.as, resource ? t.rowOf(resource.name.text) : t.UNKNOWN);
  if (!resource || !given || (from && !from.plan)) return null;
  const named = { as: step.as?.text ?? null, resource: resource.name.text };
  return { ...named, from: from?.plan ?? null, with: given, line: c.line(step) };
}
