import type { Name } from '../../syntax/names.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Resource } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { isWritten } from './writers.ts';

/** Checks that each reference states once what happens to its rows when the row that it points at is removed. */
export function checkRemoval(r: Resolved, resource: Resource): void {
  const seen = new Map<string, Name>();
  const once = (name: Name): void => {
    if (seen.has(name.text)) r.notes.findings.push(d.report.removalTwice(name, { field: name.text }));
    seen.set(name.text, name);
  };
  for (const rule of resource.keeps) {
    if (rule.code) r.code(rule.code, 'rule');
    for (const name of rule.fields) {
      once(name);
      const target = targetOf(r, resource, name, '“Keeps”');
      if (target && !rule.code && isWritten(r, target, ['Remove']))
        r.notes.findings.push(d.report.keepsCode(rule.span, { target, field: name.text }));
    }
  }
  for (const rule of resource.removedWith)
    for (const name of rule.fields) {
      once(name);
      targetOf(r, resource, name, '“Removed with”');
    }
  for (const rule of resource.cleared)
    for (const name of rule.fields) {
      once(name);
      targetOf(r, resource, name, '“Cleared with”');
      const field = resource.fields.find((one) => one.name.text === name.text);
      if (field?.presence?.value === 'always')
        r.notes.findings.push(d.report.clearedAlways(name, { field: `${resource.name.text}.${name.text}` }));
    }
  // A rule with an unknown name may be the one that is missing.
  if ([...seen.keys()].some((name) => !r.fieldNamed(resource, name))) return;
  for (const field of resource.fields) {
    if (field.type?.value.kind !== 'reference' || seen.has(field.name.text)) continue;
    const target = field.type.value.resource.text;
    const path = `${resource.name.text}.${field.name.text}`;
    const params = { field: path, target, name: field.name.text, code: `${target.toLowerCase()}_in_use` };
    r.notes.findings.push(d.report.referenceKept(field.name, params));
  }
}

/** The resource that a reference points at; reports a field that is no reference. */
function targetOf(r: Resolved, resource: Resource, name: Name, rule: string): string | null {
  const field = r.field(resource, name);
  if (!field?.type) return null;
  if (field.type.value.kind === 'reference') return field.type.value.resource.text;
  r.notes.findings.push(d.report.keepsPlain(name, { field: name.text, rule }));
  return null;
}
