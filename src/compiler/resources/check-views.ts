import type { Type } from '../../expression/tree/types.ts';
import type { Shown } from '../../language/resources.ts';
import type { Name } from '../../syntax/names.ts';
import { identityOf, type Resolved } from '../document/resolve.ts';
import { beginnings } from '../expression/nested.ts';
import type { Resource } from '../statements/resources.ts';
import { hashedUse, isHashed } from './check-passwords.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** The resource of the row, or of the rows in the list, that a member shows; null for plain values. */
function rowsOf(type: Type | undefined): string | null {
  const of = type?.kind === 'list' ? type.of : type;
  return of?.kind === 'row' ? of.resource : null;
}

/** Checks how the rows of a resource are shown: its own form, and its views. */
export function checkViews(r: Resolved, resource: Resource): void {
  const name = resource.name.text;
  if (!resource.shown) {
    const members = [...resource.fields.filter((field) => !isHashed(field)), ...resource.derived];
    const fields = members.map((field) => suggested(r, resource, field.name.text)).join(', ');
    r.notes.findings.push(d.report.shown(resource.name, { resource: name, fields }));
  }
  for (const member of resource.shown?.value ?? [])
    checkMember(r, resource, member, resource.shown?.value.length === 1 ? ['never'] : []);
  for (const view of resource.views) {
    const text = view.name.text;
    if (!/^[A-Z][A-Za-z0-9]*$/.test(text) || r.resourceNamed(text))
      r.notes.findings.push(d.report.viewName(view.name, { view: text }));
    for (const member of view.members) checkMember(r, resource, member, []);
    r.afterAll(() => {
      // A mistake may hide the place that shows the view.
      const hidden = r.notes.findings.some(({ severity }) => severity === 'error');
      if (!r.viewUses.has(`${name}.${text}`) && !hidden)
        r.notes.findings.push(d.report.viewUnused(view.name, { view: text }));
    });
  }
  checkCycle(r, resource);
}

function checkMember(r: Resolved, resource: Resource, member: Shown, words: readonly string[]): void {
  const name = resource.name.text;
  const types = r.fieldTypes(name);
  const type = types.get(member.field.text);
  if (!type) {
    // A derived field has no dotted name; its declaration is reported.
    if (beginnings(resource.derived.map((field) => field.name.text)).has(member.field.text)) return;
    // An object that holds other members has the name that they share.
    const holders = beginnings(resource.fields.map((field) => field.name.text));
    r.unknown(member.field, `field of ${name}`, [...types.keys(), ...holders, ...words]);
    return;
  }
  const path = `${name}.${member.field.text}`;
  r.derivedUses.add(path);
  if (type.kind === 'password') {
    r.notes.findings.push(hashedUse(member.field, path, type.secret === true, 'be shown'));
    return;
  }
  const target = rowsOf(type);
  if (target === null) {
    if (member.as && type.kind !== 'unknown') r.notes.findings.push(d.report.shownAsPlain(member.as, { field: path }));
    return;
  }
  const shown = r.resourceNamed(target);
  if (!shown) return;
  if (member.as) checkAs(r, shown, member.as);
  else
    r.notes.findings.push(
      d.report.shownAs(member.field, { field: path, name: member.field.text, identity: identityName(shown) }),
    );
}

/** Checks the form in which a row is shown: one of its plain fields, its own form, or one of its views. */
function checkAs(r: Resolved, target: Resource, as: Name): void {
  const name = target.name.text;
  const fields = r.fieldTypes(name);
  const type = fields.get(as.text);
  if (type?.kind === 'password') {
    r.notes.findings.push(hashedUse(as, `${name}.${as.text}`, type.secret === true, 'be shown'));
    return;
  }
  if (type && rowsOf(type) === null) {
    r.derivedUses.add(`${name}.${as.text}`);
    return;
  }
  const view = viewOf(target, as.text);
  if (view && view.length === 0) {
    r.notes.findings.push(d.report.shownNever(as, { resource: name }));
    return;
  }
  if (view) {
    r.viewUses.add(`${name}.${as.text}`);
    return;
  }
  if (type) {
    r.notes.findings.push(
      d.report.shownAs(as, { field: `${name}.${as.text}`, name: as.text, identity: identityName(target) }),
    );
    return;
  }
  // A resource without fields has one finding, whatever view is shown of it.
  if (target.fields.length === 0) return;
  // The resource has a question of its own about the fields that its rows show.
  if (as.text === name) return;
  const views = target.views.map((one) => one.name.text);
  const plain = [...fields].filter(([, one]) => rowsOf(one) === null).map(([field]) => field);
  r.unknown(as, `field or view of ${name}`, [...plain, ...views, name]);
}

/** The members of a view of a resource; its own form has the name of the resource. */
export function viewOf(resource: Resource, name: string): readonly Shown[] | null {
  if (name === resource.name.text) return resource.shown?.value ?? null;
  return resource.views.find((view) => view.name.text === name)?.members ?? null;
}

/** Reports the name of a view that a resource does not have. */
export function unknownView(r: Resolved, { name, views }: Resource, as: Name): void {
  r.unknown(
    as,
    `view of ${name.text}`,
    views.map((view) => view.name.text),
  );
}

const identityName = (resource: Resource): string => identityOf(resource)?.name.text ?? resource.name.text;

/** Reports a form that shows itself, directly or through others: it would never end. */
function checkCycle(r: Resolved, resource: Resource): void {
  const own = resource.name.text;
  const circling = r.once(circlingForms);
  if (resource.shown && circling.has(`${own}.${own}`))
    r.notes.findings.push(d.report.shownCycle(resource.shown, { resource: own }));
  for (const view of resource.views)
    if (circling.has(`${own}.${view.name.text}`))
      r.notes.findings.push(d.report.shownCycle(view.span, { resource: view.name.text }));
}

/** The forms that a form shows in itself, each as `Resource.form`. */
function formsIn(r: Resolved, form: string): string[] {
  const [name = '', view = ''] = form.split('.');
  const from = r.resourceNamed(name);
  return (from ? (viewOf(from, view) ?? []) : []).flatMap((member) => {
    const target = rowsOf(r.fieldTypes(name).get(member.field.text));
    const next = target === null ? null : r.resourceNamed(target);
    return next && member.as && viewOf(next, member.as.text) ? [`${target}.${member.as.text}`] : [];
  });
}

/**
 * A form that the search has reached. `low`: the earliest form that it leads back to; `left`: the forms inside it that
 * have not been visited.
 */
interface Visit {
  readonly form: string;
  readonly order: number;
  readonly left: string[];
  low: number;
  open: boolean;
}

/**
 * The forms that show themselves, directly or through others (Tarjan’s strongly connected components, without
 * recursion).
 */
function circlingForms(r: Resolved): ReadonlySet<string> {
  const out = new Set<string>();
  const visits = new Map<string, Visit>();
  const open: Visit[] = [];
  const path: Visit[] = [];
  const enter = (form: string): void => {
    const order = visits.size;
    const visit: Visit = { form, order, low: order, open: true, left: formsIn(r, form) };
    visits.set(form, visit);
    open.push(visit);
    path.push(visit);
    if (visit.left.includes(form)) out.add(form);
  };
  const all = r.model.resources.list.flatMap(({ name, views }) =>
    [name, ...views.map((view) => view.name)].map((one) => `${name.text}.${one.text}`),
  );
  for (const root of all) {
    if (!visits.has(root)) enter(root);
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const next = visit.left.pop();
      if (next !== undefined) {
        const known = visits.get(next);
        if (!known) enter(next);
        else if (known.open) visit.low = Math.min(visit.low, known.order);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above) above.low = Math.min(above.low, visit.low);
      if (visit.low !== visit.order) continue;
      const circle = open.splice(open.lastIndexOf(visit));
      for (const one of circle) {
        one.open = false;
        if (circle.length > 1) out.add(one.form);
      }
    }
  }
  return out;
}

/** The text by which a field could be shown: a row as its identity. */
function suggested(r: Resolved, resource: Resource, field: string): string {
  const target = rowsOf(r.fieldTypes(resource.name.text).get(field));
  const shown = target === null ? null : r.resourceNamed(target);
  return target === null ? field : `${field} as ${shown ? identityName(shown) : 'id'}`;
}
