import * as t from '../../../expression/tree/types.ts';
import type { FromPlan, GivenPlan } from '../../../plan/step.ts';
import { type Effective, requestOf } from '../../document/effective.ts';
import { removalEffects } from '../../document/removal-effects.ts';
import type { Resolved } from '../../document/resolve.ts';
import { givenOnCreate } from '../../resources/check-givings.ts';
import { resourcesDiagnostics } from '../../resources/messages.ts';
import type { Resource } from '../../statements/resources.ts';
import { checkAbsent } from '../check/absent-parameters.ts';
import { assignments, fromRequest, givenOnce } from '../check/assignments.ts';
import type { Checking, Of } from '../check/checking.ts';
import { checkEnsured } from '../check/ensured-rules.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { makesRow, NOTHING, type VerbModule } from './verb.ts';

/** Create `x`: R from e with f e. The name may be left out. */
export const CREATE: VerbModule<'Create'> = {
  does: makesRow,
  check(c, step) {
    const made = checkMade(c, step);
    return made && { do: 'create', ...made };
  },
};

/**
 * Ensure `x`: R from e with f e while p, ignoring case. The name may be left out.
 *
 * The fields that it sets must include those of a unique rule, by which it finds an existing row.
 */
export const ENSURE: VerbModule<'Ensure'> = {
  does: makesRow,
  check(c, step) {
    const made = checkMade(c, step);
    const resource = c.r.resourceNamed(step.resource.text);
    const by = resource && checkEnsured(c, step, resource, made);
    if (resource) checkSeen(c, 'Ensure', resource, null, step.span);
    if (step.created) c.nameRow(step.created, t.BOOLEAN);
    const created = step.created && { created: step.created.text };
    return made && by && { do: 'ensure', ...made, ...created, by };
  },
};

/** The plan of a step that creates a row. */
interface MadePlan {
  readonly as: string | null;
  readonly resource: string;
  readonly from: FromPlan | null;
  readonly with: readonly GivenPlan[];
  readonly line: number;
}

/** Checks a Create or Ensure: every field that the new row needs has a value, from one source. */
function checkMade(c: Checking, step: Of<'Create'> | Of<'Ensure'>): MadePlan | null {
  const resource = c.r.resource(step.resource);
  const { assigned, given } = assignments(c, step.with, resource, ['create']);
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

/** Reports fields that are always present and for which a Create has no value. */
function checkCreated(
  r: Resolved,
  one: Effective,
  resourceName: string,
  given: { requested: ReadonlySet<string>; assigned: ReadonlySet<string> },
): void {
  const resource = r.resourceNamed(resourceName);
  // An assignment to an unknown field may be a misspelling of any missing field, so no field is reported as missing.
  if (resource && [...given.assigned].some((name) => !r.fieldNamed(resource, name))) return;
  for (const field of resource?.fields ?? []) {
    const name = field.name.text;
    if (!field.givenBy || field.presence?.value !== 'always') continue;
    const sources = { request: given.requested.has(name), operator: false, steps: given.assigned.has(name) };
    if (givenOnCreate(field, sources)) continue;
    // An unknown field of the request may be a misspelling of this field.
    const requestable = field.givenBy.value.some((giving) => giving.from === 'request');
    if (requestable && resource && requestsStranger(r, one, resource)) continue;
    const params = { field: `${resourceName}.${name}`, resource: resourceName, endpoint: one.endpoint.name };
    r.notes.findings.push(resourcesDiagnostics.report.neverGiven(field.name, params, [one.endpoint.name]));
  }
}

function requestsStranger(r: Resolved, one: Effective, resource: Resource): boolean {
  const request = requestOf(one);
  if (request?.resource.text !== resource.name.text) return false;
  return request.fields.some(({ text }) => !r.fieldNamed(resource, text));
}

/** Change `x` from e with f e */
export const CHANGE: VerbModule<'Change'> = {
  does: ({ row }) => ({ ...NOTHING, writes: { does: 'Change', row: row.text } }),
  check(c, step) {
    const resource = c.row(step.row);
    if (!resource) return null;
    const { given } = assignments(c, step.with, resource, ['change']);
    const from = step.from && fromRequest(c, step.from, 'Change', resource);
    if (from) givenOnce(c, step, resource, from.requested);
    else if (step.with.length === 0 && !touched(resource))
      c.findings.push(d.report.changeNothing(step.span, { resource: resource.name.text }));
    const absent = new Set((given ?? []).flatMap(({ field, value }) => (value.type.kind === 'null' ? [field] : [])));
    c.loseSecrets(step, step.row.text, (of) => of.resource === resource.name.text && absent.has(of.field));
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

/** Remove `x` */
export const REMOVE: VerbModule<'Remove'> = {
  does: ({ row }) => ({ ...NOTHING, writes: { does: 'Remove', row: row.text } }),
  check(c, step) {
    const resource = c.row(step.row);
    if (!resource) return null;
    c.removed = new Set([...c.removed, step.row.text]);
    c.loseSecrets(step, step.row.text, (of) => of.resource === resource.name.text);
    // Rows that are removed with a row may have any name.
    const { removed } = removalEffects(c.r, resource.name.text);
    c.loseSecrets(step, null, (of) => of.resource !== resource.name.text && removed.has(of.resource));
    return { do: 'remove', row: step.row.text, resource: resource.name.text, line: c.line(step) };
  },
};

/** Remove every R where p */
export const REMOVE_EVERY: VerbModule<'Remove every'> = {
  does: ({ resource }) => ({ ...NOTHING, writes: { does: 'Remove', resource: resource.text } }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    if (!resource) {
      c.broken = true;
      return null;
    }
    const name = resource.name.text;
    const where = step.where && c.condition(step.where, '“where”', name);
    if (step.where && where) checkAbsent(c, 'Remove every', where, step.where);
    if (where || !step.where) checkSeen(c, 'Remove every', resource, where, step.span);
    c.removeEvery(name);
    const { removed } = removalEffects(c.r, name);
    c.loseSecrets(step, null, (of) => removed.has(of.resource));
    return step.where && !where ? null : { do: 'remove every', resource: name, where, line: c.line(step) };
  },
};
