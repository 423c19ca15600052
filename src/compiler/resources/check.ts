import { TYPES } from '../../language/values.ts';
import type { Name } from '../../syntax/names.ts';
import { counted } from '../../text/units.ts';
import { callerOfRows } from '../document/access.ts';
import { allSteps } from '../document/all-steps.ts';
import { auditsOf } from '../document/audits.ts';
import { checkCondition } from '../document/conditions.ts';
import { targetOf } from '../document/field-types.ts';
import { keyOf, type Resolved } from '../document/resolve.ts';
import { everyStep } from '../statements/endpoints.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { checkBounds, innermost } from './bounds.ts';
import { checkAudited, checkEntries } from './check-audit.ts';
import { checkDerived } from './check-derived.ts';
import { checkGivings } from './check-givings.ts';
import { checkInvariants } from './check-invariants.ts';
import { checkPartRules } from './check-part-rules.ts';
import { checkPasswordField, checkPasswords, isSecret } from './check-passwords.ts';
import { checkSearch } from './check-search.ts';
import { checkUniques, misnamesUnique } from './check-uniques.ts';
import { checkViews } from './check-views.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { isWritten } from './writers.ts';

/** Checks every resource: that required facts are stated, and that names and expressions have a meaning. */
export function checkResources(r: Resolved): void {
  checkPartRules(r);
  checkPasswords(r);
  checkUnused(r);
  checkDerived(r);
  for (const resource of r.model.resources.list) {
    checkFields(r, resource);
    const { findings } = r.notes;
    const before = findings.length;
    checkGivings(r, resource);
    checkViews(r, resource);
    checkRules(r, resource);
    checkInvariants(r, resource);
    checkSearch(r, resource);
    checkAudited(r, resource);
    checkEntries(r, resource);
    checkRemoval(r, resource);
    // A resource without fields has one finding about that; all others would follow from it and are dropped.
    if (resource.fields.length === 0) findings.length = before;
  }
}

function checkFields(r: Resolved, resource: Resource): void {
  const { findings } = r.notes;
  const name = resource.name.text;
  if (resource.fields.length === 0) findings.push(d.report.noFields(resource.name, { resource: name }));
  const identities = resource.fields.filter((field) => field.unique?.value.kind === 'identity');
  // A unique rule with a misspelt name may be the missing identity, so that its absence is not reported.
  const misnamed = misnamesUnique(resource);
  if (keyOf(resource).length === 0 && resource.fields.length && !misnamed)
    findings.push(d.report.noIdentity(resource.name, { resource: name }));
  for (const second of identities.slice(1)) findings.push(d.report.manyIdentities(second.span, { resource: name }));
  for (const field of identities) {
    const kind = field.type?.value.kind;
    if ((kind && kind !== 'string' && kind !== 'integer') || field.presence?.value === 'optional')
      findings.push(d.report.identityType(field.name, { field: `${name}.${field.name.text}` }));
  }
  checkParts(r, resource);
  for (const field of resource.fields) {
    const target = targetOf(field.type?.value);
    if (target) r.resource(target, 'type or resource', TYPES);
    // A type that names no resource is a mistake, and which type was meant is unknown.
    if (isKnown(r, field)) findings.push(...checkBounds(field, `${name}.${field.name.text}`));
    findings.push(...checkPasswordField(field, `${name}.${field.name.text}`, resource.fields));
  }
}

/** Checks the parts of dotted names: no part is a reserved word, and no field has others in it. */
function checkParts(r: Resolved, resource: Resource): void {
  const all = [...resource.fields, ...resource.derived].map((one) => one.name);
  const names = new Set(all.map(({ text }) => text));
  for (const name of all) {
    const reserved = name.text.split('.').find((part) => RESERVED.includes(part));
    if (reserved) r.notes.findings.push(d.report.reservedName(name, { name: reserved }));
    const within = holders(name.text).find((holder) => names.has(holder));
    if (within) r.notes.findings.push(d.report.nestedInField(name, { name: name.text, within }));
  }
}

function isKnown(r: Resolved, { type }: Field): boolean {
  const of = type && innermost(type.value);
  return of?.kind !== 'reference' || r.rows.has(of.resource.text);
}

/**
 * The names of the objects that contain a dotted name: `a` and `a.b` for `a.b.c`. Only the first parts are examined,
 * since longer names are refused elsewhere.
 */
const holders = (name: string): string[] =>
  name
    .split('.', MOST_PARTS)
    .map((_, i, parts) => parts.slice(0, i + 1).join('.'))
    .filter((holder) => holder !== name);

const MOST_PARTS = 5;

/** The reserved words of CEL, and the name of the row itself. */
const RESERVED = ['true', 'false', 'null', 'in', 'has', 'this'];

function checkRules(r: Resolved, resource: Resource): void {
  const name = resource.name.text;
  const { visible } = resource;
  if (!visible && (resource.shown?.value.length ?? 1) > 0)
    r.notes.findings.push(d.report.visible(resource.name, { resource: name }));
  if (visible && visible.value !== 'everyone')
    checkCondition(r, visible.value, r.scope(callerOfRows(r, name), name), '“Visible”', 'rows');
  checkUniques(r, resource);
}

/** Checks that each reference states once what happens to its rows when the row that it points at is removed. */
function checkRemoval(r: Resolved, resource: Resource): void {
  const seen = new Map<string, Name>();
  const once = (name: Name): void => {
    if (seen.has(name.text)) r.notes.findings.push(d.report.removalTwice(name, { field: name.text }));
    seen.set(name.text, name);
  };
  for (const rule of resource.keeps) {
    if (rule.code) r.code(rule.code, 'rule');
    for (const name of rule.fields) {
      once(name);
      const target = pointedAt(r, resource, name, '“Keeps”');
      if (target && !rule.code && isWritten(r, target, ['Remove']))
        r.notes.findings.push(d.report.keepsCode(rule.span, { target, field: name.text }));
    }
  }
  for (const rule of resource.removedWith)
    for (const name of rule.fields) {
      once(name);
      pointedAt(r, resource, name, '“Removed with”');
      const field = r.fieldNamed(resource, name.text);
      if (field && holdsMany(field)) r.notes.findings.push(d.report.removedWithItems(name, { field: name.text }));
    }
  for (const rule of resource.cleared)
    for (const name of rule.fields) {
      once(name);
      pointedAt(r, resource, name, '“Cleared with”');
      const field = r.fieldNamed(resource, name.text);
      const path = `${resource.name.text}.${name.text}`;
      if (field && holdsMany(field)) {
        const least = field.allowed?.value.kind === 'items' ? field.allowed.value.min : 0;
        if (least > 0)
          r.notes.findings.push(d.report.clearedBelow(name, { field: path, least: counted(least, 'item') }));
      } else if (field?.type && field.presence?.value === 'always')
        r.notes.findings.push(d.report.clearedAlways(name, { field: path }));
    }
  // A rule with an unknown name may be the one that is missing.
  if ([...seen.keys()].some((name) => !r.fieldNamed(resource, name))) return;
  for (const field of resource.fields) {
    const target = targetOf(field.type?.value)?.text;
    if (target === undefined || seen.has(field.name.text)) continue;
    const path = `${resource.name.text}.${field.name.text}`;
    const params = { field: path, target, name: field.name.text, code: `${target.toLowerCase()}_in_use` };
    const report = holdsMany(field) ? d.report.itemKept : d.report.referenceKept;
    r.notes.findings.push(report(field.name, params));
  }
}

/** Whether the field is a list or a set of references. */
const holdsMany = ({ type }: Field): boolean => type?.value.kind !== 'reference' && targetOf(type?.value) !== null;

/** The resource that a field points at; reports a field that holds no references. */
function pointedAt(r: Resolved, resource: Resource, name: Name, rule: string): string | null {
  const field = r.field(resource, name);
  if (!field?.type) return null;
  const target = targetOf(field.type.value);
  if (target) return target.text;
  r.notes.findings.push(d.report.keepsPlain(name, { field: name.text, rule }));
  return null;
}

/** Reports statements about resources that have no effect anywhere: they would be accepted and ignored. */
function checkUnused(r: Resolved): void {
  // Events, endpoints and schemes use resources, and they are checked later.
  r.afterAll(() => {
    // A resource that nothing declares may be meant to be any of them.
    const strangers = r.notes.findings.some(({ owner }) => owner === 'resource');
    for (const resource of r.model.resources.list) {
      const { name } = resource;
      if (resource.fields.length > 0 && !strangers && !r.resourceUses.has(name.text) && !r.isSuggested(name.text))
        r.notes.findings.push(d.report.unusedResource(name, { resource: name.text }));
      for (const field of resource.fields) checkSources(r, resource, field);
    }
  });
}

/** A field that requests or steps give needs an endpoint that does. */
function checkSources(r: Resolved, resource: Resource, field: Field): void {
  const path = `${resource.name.text}.${field.name.text}`;
  const { list } = r.model.endpoints;
  // The sources of entries have findings of their own.
  if (r.once(auditsOf).has(resource.name.text)) return;
  // A request gives all members of a field of bytes, or none.
  if (field.of !== undefined && field.name.text !== `${field.of}.size`) return;
  if (list.length === 0 || r.isSuggested(field.name.text) || r.isSuggested(resource.name.text)) return;
  const requested = r.once(requestedFields).has(path);
  const assigned = isSecret(field) ? r.once(issuedFields).has(path) : r.once(assignedFields).has(field.name.text);
  for (const giving of field.givenBy?.value ?? []) {
    if (giving.from === 'request' && !giving.otherwise && !requested && !requestsStranger(r, resource))
      r.notes.findings.push(
        d.report.givenUnused(field.givenBy, {
          field: field.of === undefined ? path : `${resource.name.text}.${field.of}`,
          source: 'request',
        }),
      );
    if (giving.from === 'steps' && !assigned)
      r.notes.findings.push(d.report.givenUnused(field.givenBy, { field: path, source: 'steps' }));
  }
}

/** True where a request holds a name that nothing declares: it may be any of the fields. */
const requestsStranger = (r: Resolved, resource: Resource): boolean =>
  [...r.once(requestedFields)].some((path) => {
    const [owner, ...name] = path.split('.');
    return owner === resource.name.text && !r.fieldNamed(resource, name.join('.'));
  });

/** The fields that requests hold, each as `Resource.field`. */
function requestedFields(r: Resolved): Set<string> {
  const { settings, list } = r.model.endpoints;
  return new Set(
    [settings, ...list.map((endpoint) => endpoint.settings)].flatMap(({ request }) => {
      if (!request || request.value === 'none') return [];
      const { resource, fields } = request.value;
      return fields.map((name) => `${resource.text}.${name.text}`);
    }),
  );
}

/** The fields that steps assign, in rows of any resource. */
function assignedFields(r: Resolved): Set<string> {
  const reactions = r
    .once(allSteps)
    .filter(({ background }) => background)
    .map(({ one }) => one);
  const steps = [...r.model.endpoints.unders, ...r.model.endpoints.list, ...reactions].flatMap((one) => [
    ...everyStep(one.steps),
  ]);
  return new Set(steps.flatMap((step) => ('with' in step ? step.with.map((one) => one.field.text) : [])));
}

/** The schemes, and the fields `Resource.field`, whose credentials and secrets steps issue. */
function issuedFields(r: Resolved): Set<string> {
  return new Set(
    r.effective.flatMap((one) => one.every.flatMap((step) => (step.verb === 'Issue' ? [step.scheme.text] : []))),
  );
}
