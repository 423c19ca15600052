import type { Shown } from '../../language/resources.ts';
import type { Located } from '../../syntax/names.ts';
import type { Resolved } from '../document/resolve.ts';
import { resultsOf } from '../document/results.ts';
import { kindsOf } from './bounds.ts';

/** A member of a form in which rows are shown, with the resource whose rows they are. */
interface Member extends Shown {
  readonly of: string;
}

/** The kinds of the derived fields that rows show, their own and those of rows that they point at. */
export function shownKinds(r: Resolved): string[] {
  const derived = new Map<string, readonly string[]>(
    r.model.resources.list.flatMap(({ name, derived: list }) =>
      list.map((field) => [`${name.text}.${field.name.text}`, kindsOf(field.type)] as const),
    ),
  );
  return members(r).flatMap(({ of, field, as }) => {
    const target = targetOf(r, of, field.text);
    const paths = [`${of}.${field.text}`, ...(target && as ? [`${target}.${as.text}`] : [])];
    return paths.flatMap((path) => derived.get(path) ?? []);
  });
}

/** The members of rows that may be absent: they have nothing to be derived from, or the caller does not see them. */
export function shownMissing(r: Resolved): Located<string>[] {
  const missing = members(r).filter(({ of, field, as }) => {
    const type = r.rows.get(of)?.fields.get(field.text);
    const derived = r.resourceNamed(of)?.derived.find(({ name }) => name.text === field.text);
    const value = derived && r.expr(derived.value);
    if (value && r.once(resultsOf).lacks(value)) return true;
    if (type?.kind !== 'row') return type?.nullable ?? false;
    const target = r.rows.get(type.resource);
    const known = as && target?.fields.get(as.text);
    return type.nullable || (target?.hides ?? false) || (known?.nullable ?? false);
  });
  return missing.map(({ of, field }) => {
    const owner = r.resourceNamed(of);
    const declared = (owner && r.fieldNamed(owner, field.text))?.name;
    const derived = owner?.derived.find(({ name }) => name.text === field.text)?.name;
    const { from, to } = declared ?? derived ?? field;
    return { value: `${of}.${field.text}`, from, to };
  });
}

/** Every member of every form. */
function members(r: Resolved): Member[] {
  return r.model.resources.list.flatMap(({ name, shown, views }) =>
    [...(shown?.value ?? []), ...views.flatMap((view) => view.members)].map((one) => ({ ...one, of: name.text })),
  );
}

/** The resource of the row, or of the rows, that a field holds. */
function targetOf(r: Resolved, resource: string, field: string): string | null {
  const type = r.rows.get(resource)?.fields.get(field);
  const row = type?.kind === 'list' ? type.of : type;
  return row?.kind === 'row' ? row.resource : null;
}
