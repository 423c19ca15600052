import { comparesFolded, conjuncts, type Expr, fieldsOf, unfolded, uses } from '../expression/tree/expression.ts';
import type { Type } from '../expression/tree/types.ts';
import type { NullsPlace } from '../plan/inside-step.ts';
import { allNested, eachSortKeys } from '../plan/nested-steps.ts';
import type { OrderKey, Plan, ResourcePlan } from '../plan/step.ts';
import { addTo } from '../text/lists.ts';
import { columnName, FOLDED, uniqueColumns } from './tables.ts';

/** A column of an index. An index is read in both directions, so that its first column is never turned. */
export interface IndexKey {
  readonly field: string;
  /** True where the direction is the opposite of that of the first column. */
  readonly isTurned: boolean;
  /** The place of nulls, where it is not before all values, or, of a turned column, after them. */
  readonly nulls: NullsPlace | null;
}

/**
 * Returns, for each resource, the columns that lists and other selecting steps compare with `==`, followed by the
 * columns of their order, or the keys of groups. Each step has these columns once without its filter parameters, and
 * once with each of them. Fields that a caller's rows are visible by, such as the organisation of a service for several,
 * come first: each row that another caller sees would otherwise be read too. Without indexes of these columns, a list
 * whose parameter selects few rows would read all rows. Filters by a field with few allowed values have no index: each
 * value is assumed to match many rows, and an index costs every write.
 */
export function listKeys({ endpoints, resources }: Plan): Map<string, IndexKey[][]> {
  const out = new Map<string, IndexKey[][]>();
  const known = new Set<string>();
  for (const step of endpoints.flatMap((endpoint) => [...allNested(endpoint.inside)])) {
    const select = 'over' in step ? step.over : step;
    if (!('where' in select)) continue;
    // A look-up that ignores case has the index of its unique rule, unless it compares a field behind a reference: the
    // database may then have to read the other rows first.
    if (select.where && comparesFolded(select.where) && !comparesTarget(select.where)) continue;
    // A group of every row reads those that the caller may not see, too.
    const sighted = !('every' in step && step.every);
    const visible = sighted ? (resources.find(({ name }) => name === select.resource)?.visible ?? null) : null;
    const seen = visible ? equalFields(visible, hasManyValues) : [];
    const fixed = [...new Set([...seen, ...(select.where ? equalFields(select.where) : [])])];
    const filters = 'filters' in select ? select.filters.map(({ where }) => equalFields(where, hasManyValues)) : [];
    for (const keys of 'order' in select && select.order ? eachSortKeys(select.order) : [[]]) {
      const order =
        step.do === 'group' ? ownFields(step.by.map(({ value }) => value)).map(plainKey) : indexedKeys(keys);
      const wanted = [[], ...filters.filter((fields) => fields.length)].map((kept) => {
        const equal = new Set([...fixed, ...kept]);
        return [...[...equal].map(plainKey), ...order.filter(({ field }) => !equal.has(field))];
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

/** The stored fields of the row that expressions are; none if one of them is another expression. */
function ownFields(exprs: readonly Expr[]): string[] {
  const fields = exprs.flatMap((one) => storedField(one) ?? []);
  return fields.length === exprs.length ? fields : [];
}

/** The stored field of the row that an expression is; null for any other expression. */
const storedField = (by: Expr): string | null =>
  by.op === 'get' && by.of.op === 'name' && !by.derived ? by.member : null;

/** The sort keys that an index can have: those before the first that is no field. */
function indexedKeys(sorted: readonly OrderKey[]): IndexKey[] {
  // Without a query, rows have no points, and the order begins with the next key.
  const keys = isPoints(sorted[0]) ? sorted.slice(1) : sorted;
  const backwards = keys[0]?.descending ?? false;
  const out: IndexKey[] = [];
  for (const { by, descending, nulls } of keys) {
    const field = storedField(by);
    if (field === null) break;
    const isTurned = descending !== backwards;
    const natural = descending ? 'last' : 'first';
    const isNatural = nulls === undefined || nulls === natural;
    out.push({ field, isTurned, nulls: isNatural ? null : isTurned ? 'first' : 'last' });
  }
  return out;
}

const isPoints = (key: OrderKey | undefined): boolean => key?.by.op === 'call' && key.by.fn === 'points';

const plainKey = (field: string): IndexKey => ({ field, isTurned: false, nulls: null });

/** The words of SQL after the column of a key, as a part of a name. */
const wayOf = ({ isTurned, nulls }: IndexKey): string => `${isTurned ? '.desc' : ''}${nulls ? `.nulls.${nulls}` : ''}`;

const sameKey = (a: IndexKey | undefined, b: IndexKey): boolean => a?.field === b.field && wayOf(a) === wayOf(b);

/** The name of the index with some keys. */
export const lookupName = (table: string, keys: readonly IndexKey[]): string =>
  `ninefold_lookup_${table}_${keys.map((key) => columnName(key.field) + wayOf(key)).join('_')}`;

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

/** The keys by which the document's lists, references and aggregates look rows up, each once, longest first. */
export function lookedUp(resource: ResourcePlan, keys: readonly IndexKey[][]): IndexKey[][] {
  const wanted = [...keys];
  const add = (...fields: readonly string[]): unknown => wanted.push(fields.map(plainKey));
  for (const column of resource.columns) if (column.reference) add(column.name);
  for (const { column } of resource.files ?? []) add(column);
  for (const { by, start } of resource.overlaps) add(...by, ...fieldsOf(start, 'this'));
  // Other statements compare the fields themselves, and rules that ignore case have indexes on folded columns.
  for (const rule of resource.uniques) if (rule.ignoringCase.length) add(...rule.fields);
  const distinct = wanted
    .filter((one, i) => !wanted.slice(0, i).some((other) => other.length === one.length && served(one, other)))
    .sort((a, b) => b.length - a.length);
  return distinct.filter(
    (one, i) =>
      // The index of the identity finds the row: an index of further fields would add nothing.
      one[0]!.field !== resource.identity &&
      !resource.uniques.some((rule) => !rule.condition && served(one, uniqueColumns(rule).map(plainKey))) &&
      !distinct.slice(0, i).some((other) => served(one, other)),
  );
}

/** Whether an index with other keys begins with these. */
const served = (keys: readonly IndexKey[], others: readonly IndexKey[]): boolean =>
  keys.every((key, i) => sameKey(others[i], key));
