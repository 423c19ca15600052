import type { Expr } from '../../expression/expr.ts';
import { BOOLEAN, NULL, nullable, type Type } from '../../expression/types.ts';
import type { Resolved } from '../../model/resolve.ts';
import type { ResourcePlan, ViewMember } from '../../plan/step.ts';
import type { Resource, Shown } from './model.ts';
import { keyOf } from './removal.ts';

/** The forms in which a resource’s rows are shown. */
export function planViews(r: Resolved, resource: Resource): ResourcePlan['views'] {
  const members = (shown: readonly Shown[]) => shown.map((member) => planMember(r, resource, member));
  return [
    { name: resource.name.text, members: members(resource.shown!.value) },
    ...resource.views.map((view) => ({ name: view.name.text, members: members(view.members) })),
  ];
}

function planMember(r: Resolved, resource: Resource, { field, as }: Shown): ViewMember {
  const name = resource.name.text;
  const own: Expr = { op: 'name', name: 'this', type: { kind: 'row', resource: name, nullable: false } };
  const value = read(r, own, field.text);
  if (!as) return { field: field.text, value, view: null };
  const { type } = value;
  const row = type.kind === 'list' ? type.of : type;
  const target = row.kind === 'row' ? row.resource : '';
  if (!r.rows.get(target)?.fields.has(as.text))
    return { field: field.text, value, view: { resource: target, name: as.text } };
  if (type.kind !== 'list') return { field: field.text, value: read(r, value, as.text), view: null };
  const item: Expr = { op: 'name', name: 'item', type: row };
  const body = read(r, item, as.text);
  const listed: Type = { kind: 'list', of: body.type, nullable: false };
  const list = r.rows.get(name)!.pointing.has(field.text) ? seen(r, value, item) : value;
  const each: Expr = { op: 'each', macro: 'map', list, name: 'item', body, type: listed };
  return { field: field.text, value: each, view: null };
}

/** The rows that a list points at and the caller sees: where one of them lacks what is shown of it, it is there all the same. */
function seen(r: Resolved, list: Expr, item: Expr): Expr {
  const target = item.type.kind === 'row' ? item.type.resource : '';
  if (!r.rows.get(target)!.hides) return list;
  const [key] = keyOf(r.resourceNamed(target)!);
  const told: Expr = { op: 'get', of: item, member: key!, type: nullable(r.rows.get(target)!.fields.get(key!)!, true) };
  const body: Expr = { op: 'call', fn: '!=', args: [told, { op: 'const', value: null, type: NULL }], type: BOOLEAN };
  return { op: 'each', macro: 'filter', list, name: 'item', body, type: list.type };
}

/** Reads a field of a row; of a row that may not be there, what is read may not be there either. */
function read(r: Resolved, of: Expr, member: string): Expr {
  const resource = of.type.kind === 'row' ? of.type.resource : '';
  const row = r.rows.get(resource)!;
  const known = row.fields.get(member)!;
  const absent = of.type.nullable || (row.hides && of.op !== 'name');
  const type = absent && known.kind !== 'null' ? ({ ...known, nullable: true } as Type) : known;
  return row.derived.has(member) ? { op: 'get', of, member, type, derived: true } : { op: 'get', of, member, type };
}
