import { BOOLEAN } from '../../expression/types.ts';
import { identityOf, type Resolved } from '../../model/resolve.ts';
import { callerAnywhere } from '../authentication/access.ts';
import { checkBounds } from './bounds.ts';
import { resourcesDiagnostics as d } from './diagnostics.ts';
import { checkGivings } from './givings.ts';
import type { Field, Resource } from './model.ts';
import { checkPartRules } from './partrules.ts';
import { keptApart } from './sequences.ts';
import { checkUnused } from './unused.ts';
import { doneByRequests, sharedByRequests } from './writers.ts';

/** Checks every resource: what has to be stated of it, and that its names and expressions mean something. */
export function checkResources(r: Resolved): void {
  checkPartRules(r);
  checkUnused(r);
  for (const resource of r.model.resources.list) {
    checkFields(r, resource);
    checkGivings(r, resource);
    checkShown(r, resource);
    checkRules(r, resource);
    checkReferences(r, resource);
  }
}

function checkFields(r: Resolved, resource: Resource): void {
  const { findings } = r.notes;
  const name = resource.name.text;
  if (resource.fields.length === 0) findings.push(d.report.noFields(resource.name, { resource: name }));
  const identities = resource.fields.filter((field) => field.unique?.value.kind === 'identity');
  if (identities.length === 0 && resource.fields.length)
    findings.push(d.report.noIdentity(resource.name, { resource: name }));
  for (const second of identities.slice(1)) findings.push(d.report.manyIdentities(second.span, { resource: name }));
  for (const field of identities) {
    const kind = field.type?.value.kind;
    if ((kind && kind !== 'string' && kind !== 'integer') || field.presence?.value === 'optional')
      findings.push(d.report.identityType(field.name, { field: `${name}.${field.name.text}` }));
  }
  for (const field of resource.fields) {
    if (field.type?.value.kind === 'reference') r.resource(field.type.value.resource, 'type or resource');
    if (RESERVED.includes(field.name.text)) findings.push(d.report.reservedName(field.name, { name: field.name.text }));
    findings.push(...checkBounds(field, `${name}.${field.name.text}`));
    const unique = field.unique?.value;
    if (unique?.kind === 'yes' && unique.code) r.code(unique.code, 'rule');
  }
}

/** The words that CEL keeps to itself, and the row itself. */
const RESERVED = ['true', 'false', 'null', 'in', 'has', 'this'];

function checkShown(r: Resolved, resource: Resource): void {
  const name = resource.name.text;
  if (!resource.shown) {
    const fields = resource.fields.map((field) => shownForm(r, field)).join(', ');
    r.notes.findings.push(d.report.shown(resource.name, { resource: name, fields }));
    return;
  }
  for (const member of resource.shown.value) {
    const field = r.field(resource, member.field, resource.shown.value.length === 1 ? ['never'] : []);
    if (!field?.type) continue;
    const path = `${name}.${field.name.text}`;
    if (field.type.value.kind !== 'reference') {
      if (member.as) r.notes.findings.push(d.report.shownAsPlain(member.as, { field: path }));
      continue;
    }
    const { resource: reference } = field.type.value;
    const target = r.resourceNamed(reference.text);
    if (!target) continue;
    const identity = identityOf(target)?.name.text ?? 'id';
    if (!member.as) {
      r.notes.findings.push(d.report.shownAs(member.field, { field: path, name: field.name.text, identity }));
    } else if (member.as.text !== identity) {
      if (r.field(target, member.as))
        r.notes.findings.push(d.report.shownAs(member.as, { field: path, name: field.name.text, identity }));
    }
  }
}

function checkRules(r: Resolved, resource: Resource): void {
  const name = resource.name.text;
  const { visible } = resource;
  if (!visible && (resource.shown?.value.length ?? 1) > 0)
    r.notes.findings.push(d.report.visible(resource.name, { resource: name }));
  if (visible && visible.value !== 'everyone')
    r.type(
      visible.value,
      r.scope(
        r.callerNames((caller) => callerAnywhere(caller, r)),
        name,
      ),
      BOOLEAN,
      '“Visible”',
      'rows',
    );
  checkImplied(r, resource);
  for (const rule of resource.uniques) {
    for (const field of rule.fields) r.field(resource, field);
    if (rule.condition) r.type(rule.condition, r.scope(new Map(), name), BOOLEAN, '“while”', 'row');
    const fields = rule.fields.map((field) => field.text);
    const apart = keptApart(resource, fields);
    if (rule.code && apart) r.notes.findings.push(d.report.uniqueSequence(rule.code));
    if (rule.code) r.code(rule.code, 'rule');
    else if (!apart && sharedByRequests(r, resource, fields))
      r.notes.findings.push(d.report.uniqueCode(rule.span, { resource: name }));
  }
  for (const field of resource.fields) {
    const unique = field.unique?.value;
    if (unique?.kind === 'yes' && !unique.code && sharedByRequests(r, resource, [field.name.text]))
      r.notes.findings.push(d.report.uniqueCode(field.unique, { resource: name }));
  }
  for (const rule of resource.keeps) {
    if (rule.code) r.code(rule.code, 'rule');
    for (const name of rule.fields) {
      const field = r.field(resource, name);
      if (field?.type && field.type.value.kind !== 'reference')
        r.notes.findings.push(d.report.keepsPlain(name, { field: name.text }));
      const target = field?.type?.value.kind === 'reference' ? field.type.value.resource.text : null;
      if (target && !rule.code && doneByRequests(r, target, ['Remove']))
        r.notes.findings.push(d.report.keepsCode(rule.span, { target, field: name.text }));
    }
  }
}

/** A unique rule has no effect where fewer of its fields are unique already. */
function checkImplied(r: Resolved, resource: Resource): void {
  const single = resource.fields
    .filter((field) => field.unique && field.unique.value.kind !== 'no')
    .map((field) => [field.name.text]);
  const keys = [
    ...single,
    ...resource.uniques.filter((rule) => !rule.condition).map((rule) => rule.fields.map((field) => field.text)),
  ];
  for (const rule of resource.uniques) {
    const names = rule.fields.map((field) => field.text);
    const implying = keys.filter((key) => key.every((field) => names.includes(field)));
    if (implying.length > (rule.condition ? 0 : 1))
      r.notes.findings.push(d.report.uniqueImplied(rule.span, { resource: resource.name.text }));
  }
}

/** Each reference says what happens when its target is removed. */
function checkReferences(r: Resolved, resource: Resource): void {
  const kept = new Set(resource.keeps.flatMap((rule) => rule.fields.map((field) => field.text)));
  for (const field of resource.fields) {
    if (field.type?.value.kind !== 'reference' || kept.has(field.name.text)) continue;
    const target = field.type.value.resource.text;
    const params = {
      field: `${resource.name.text}.${field.name.text}`,
      target,
      name: field.name.text,
      code: `${target.toLowerCase()}_in_use`,
    };
    r.notes.findings.push(d.report.referenceKept(field.name, params));
  }
}

/** How a field stands under “Shown”: a reference as the identity of its target. */
function shownForm(r: Resolved, field: Field): string {
  const type = field.type?.value;
  if (type?.kind !== 'reference') return field.name.text;
  const target = r.resourceNamed(type.resource.text);
  return `${field.name.text} as ${(target && identityOf(target)?.name.text) ?? 'id'}`;
}
