import type { Expr } from '../../expression/tree/expression.ts';
import { BOOLEAN, NULL, nullable, rowOf, type Type } from '../../expression/tree/types.ts';
import type { Shown } from '../../language/resources.ts';
import type { ResourcePlan, ViewMember } from '../../plan/step.ts';
import { keyOf, type Resolved } from '../document/resolve.ts';
import { settled, settledList } from '../document/settled.ts';
import type { Resource } from '../statements/resources.ts';

/** The forms in which a resource’s rows are shown; undefined while they aren't settled. */
export function planViews(r: Resolved, resource: Resource): ResourcePlan['views'] | undefined {
  const shown = [
    ...(resource.shown ? [{ name: resource.name.text, members: resource.shown.value }] : [undefined]),
    ...resource.views.map((view) => ({ name: view.name.text, members: view.members })),
  ];
  return settledList(
    shown.map(
      (view) =>
        view && settled<View>({ name: view.name, members: settledList(view.members.map(planMember(r, resource))) }),
    ),
  );
}

type View = ResourcePlan['views'][number];

const planMember =
  (r: Resolved, resource: Resource) =>
  ({ field, as }: Shown): ViewMember | undefined => {
    const own: Expr = { op: 'name', name: 'this', type: rowOf(resource.name.text) };
    const value = read(r, own, field.text);
    if (!value || !as) return value && { field: field.text, value, view: null };
    const { type } = value;
    const item = type.kind === 'list' ? type.of : type;
    const target = item.kind === 'row' ? item.resource : '';
    if (!r.rows.get(target)?.fields.has(as.text))
      return { field: field.text, value, view: { resource: target, name: as.text } };
    const shown =
      type.kind === 'list' ? readEach(r, resource, field.text, value, item, as.text) : read(r, value, as.text);
    return shown && { field: field.text, value: shown, view: null };
  };

/** Reads the shown value of each row of a list. */
function readEach(
  r: Resolved,
  resource: Resource,
  field: string,
  value: Expr,
  type: Type,
  member: string,
): Expr | undefined {
  const item: Expr = { op: 'name', name: 'item', type };
  const body = read(r, item, member);
  const points = r.rows.get(resource.name.text)?.pointing.has(field);
  const list = points ? seen(r, value, item) : value;
  if (!body || !list) return undefined;
  const listed: Type = { kind: 'list', of: body.type, nullable: value.type.nullable };
  return { op: 'each', macro: 'map', list, name: 'item', body, type: listed };
}

/**
 * The rows that a list points at and that the caller sees; a row whose shown value is absent is still an item of the
 * list.
 */
function seen(r: Resolved, list: Expr, item: Expr): Expr | undefined {
  const target = item.type.kind === 'row' ? r.resourceNamed(item.type.resource) : null;
  const known = target && r.rows.get(target.name.text);
  if (!target || !known) return undefined;
  if (!known.hides) return list;
  const [key = ''] = keyOf(target);
  const type = known.fields.get(key);
  if (!type) return undefined;
  const member: Expr = { op: 'get', of: item, member: key, type: nullable(type, true) };
  const body: Expr = { op: 'call', fn: '!=', args: [member, { op: 'const', value: null, type: NULL }], type: BOOLEAN };
  return { op: 'each', macro: 'filter', list, name: 'item', body, type: list.type };
}

/** Reads a field of a row; where the row may be absent, the result may be absent too. */
function read(r: Resolved, of: Expr, member: string): Expr | undefined {
  const row = of.type.kind === 'row' ? r.rows.get(of.type.resource) : undefined;
  const known = row?.fields.get(member);
  if (!row || !known) return undefined;
  const absent = of.type.nullable || (row.hides && of.op !== 'name');
  const type = absent && known.kind !== 'null' ? ({ ...known, nullable: true } as Type) : known;
  return row.derived.has(member) ? { op: 'get', of, member, type, derived: true } : { op: 'get', of, member, type };
}
