import { comparesFolded, conjuncts, type Expr, fieldsOf, unfolded, uses } from '../expression/tree/expression.ts';
import type { Type } from '../expression/tree/types.ts';
import { allNested, eachSortKeys } from '../plan/nested-steps.ts';
import type { EndpointPlan, OrderKey, ResourcePlan } from '../plan/step.ts';
import { addTo } from '../text/lists.ts';
import { columnName, FOLDED, uniqueColumns } from './tables.ts';

/**
 * Returns, for each resource, the columns that lists and other selecting steps compare with `==`, followed by the
 * columns of their order, or the keys of groups. Each step has these columns once without its filter parameters, and
 * once with each of them. Without indexes of these columns, a list that a parameter narrows to few rows would read all
 * rows. Filters by a field with few allowed values are left out: each value is assumed to match many rows, and an index
 * costs every write.
 */
export function listKeys(endpoints: readonly EndpointPlan[]): Map<string, string[][]> {
  const out = new Map<string, string[][]>();
  const known = new Set<string>();
  for (const step of endpoints.flatMap((endpoint) => [...allNested(endpoint.inside)])) {
    const select = 'over' in step ? step.over : step;
    if (!('where' in select)) continue;
    // A look-up that ignores case has the index of its unique rule, unless it compares a field behind a reference: the
    // database may then have to read the other rows first.
    if (select.where && comparesFolded(select.where) && !comparesTarget(select.where)) continue;
    const fixed = select.where ? equalFields(select.where) : [];
    const filters = 'filters' in select ? select.filters.map(({ where }) => equalFields(where, hasManyValues)) : [];
    for (const keys of 'order' in select && select.order ? eachSortKeys(select.order) : [[]]) {
      const order = step.do === 'group' ? ownFields(step.by.map(({ value }) => value)) : indexedKeys(keys);
      const wanted = [[], ...filters.filter((fields) => fields.length)].map((kept) => {
        const equal = new Set([...fixed, ...kept]);
        return [...equal, ...order.filter((key) => !equal.has(fieldOfKey(key)))];
      });
      for (const fields of wanted) {
        const key = JSON.stringify([select.resource, fields]);
        if (fields.length === 0 || known.has(key)) continue;
        known.add(key);
        addTo(out, select.resource, fields);
      }
    }
  }
  return out;
}

/** The fields that expressions read; none if one of them is more than a stored field of the row. */
function ownFields(exprs: readonly Expr[]): string[] {
  const fields = exprs.flatMap((one) => (one.op === 'get' && one.of.op === 'name' && !one.derived ? [one.member] : []));
  return fields.length === exprs.length ? fields : [];
}

/**
 * The sort keys that an index can have: those before the first that is no field. Each is the name of its column and, as
 * in SQL, where its direction or the place of nulls differs from that of the first key. An index is read in both
 * directions.
 */
function indexedKeys(keys: readonly OrderKey[]): string[] {
  const computed = keys.findIndex(({ by }) => by.op !== 'get' || by.of.op !== 'name' || by.derived);
  const indexed = computed < 0 ? keys : keys.slice(0, computed);
  const backwards = keys[0]?.descending ?? false;
  return indexed.map(({ by, descending, nulls }) => {
    const isTurned = descending !== backwards;
    const natural = descending ? 'last' : 'first';
    const place = nulls === undefined || nulls === natural ? '' : isTurned ? ' NULLS FIRST' : ' NULLS LAST';
    return `${(by as Extract<Expr, { op: 'get' }>).member}${isTurned ? ' DESC' : ''}${place}`;
  });
}

/** The column of a key of an index. */
export const fieldOfKey = (key: string): string => key.replace(WAY, '');

const WAY = /( DESC)?( NULLS (FIRST|LAST))?$/;

/** Whether a key of an index is in the opposite direction of the first. */
export const isDescendingKey = (key: string): boolean => key.includes(' DESC');

/** The name of the index with some keys. */
export function lookupName(table: string, keys: readonly string[]): string {
  const names = keys.map((key) => {
    const field = fieldOfKey(key);
    return `${columnName(field)}${key.slice(field.length).toLowerCase().replaceAll(' ', '.')}`;
  });
  return `ninefold_lookup_${table}_${names.join('_')}`;
}

/** The fields that a condition compares with `==`. */
function equalFields(expr: Expr, counts: (type: Type) => boolean = () => true): string[] {
  if (expr.op !== 'call') return [];
  if (expr.fn === 'and') return expr.args.flatMap((arg) => equalFields(arg, counts));
  const [side] = expr.args;
  const a = side && unfolded(side);
  const isField = a?.op === 'get' && a.of.op === 'name' && a.of.name === 'this' && !a.derived;
  return expr.fn === '==' && isField && counts(a.type) ? [side === a ? a.member : FOLDED + a.member] : [];
}

/** Whether a condition compares a field behind a reference of the row. */
const comparesTarget = (where: Expr): boolean =>
  conjuncts(where).some(
    (one) =>
      one.op === 'call' &&
      one.fn === '==' &&
      one.args.map(unfolded).some((side) => side.op === 'get' && side.of.op === 'get' && uses(side, 'this')),
  );

const hasManyValues = (type: Type): boolean =>
  type.kind !== 'boolean' && !(type.kind === 'string' && type.oneOf !== null);

/** The fields by which the document's lists, references and aggregates look rows up, each once, longest first. */
export function lookedUp(resource: ResourcePlan, keys: readonly string[][]): string[][] {
  const wanted: string[][] = [...keys];
  for (const column of resource.columns) if (column.reference) wanted.push([column.name]);
  for (const { by, start } of resource.overlaps) wanted.push([...by, ...fieldsOf(start, 'this')]);
  // Other statements compare the fields themselves, and rules that ignore case have indexes on folded columns.
  for (const rule of resource.uniques) if (rule.ignoringCase.length) wanted.push([...rule.fields]);
  const distinct = [...new Map(wanted.map((names) => [names.join(', '), names])).values()].sort(
    (a, b) => b.length - a.length,
  );
  const served = (names: readonly string[], by: readonly string[]): boolean =>
    `${by.join(', ')}, `.startsWith(`${names.join(', ')}, `);
  return distinct.filter(
    (names, i) =>
      // The index of the identity finds the row: an index of further fields would add nothing.
      names[0] !== resource.identity &&
      !resource.uniques.some((rule) => !rule.condition && served(names, uniqueColumns(rule))) &&
      !distinct.slice(0, i).some((other) => served(names, other)),
  );
}
