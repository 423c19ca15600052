import { constantOf } from '../../expression/library/compile.ts';
import { inLibrary } from '../../expression/library/index.ts';
import { type Expr, parts, some } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import { notAggregated } from './aggregates.ts';

/**
 * Where an expression is computed.
 * - `step`: in the transaction, for each row that a step has found; the stored rows that it needs are read first.
 * - `answer`: like `step`, for a value that is sent to the client and not stored.
 * - `call`: like `step`, for a value that is given to an outside handler.
 * - `rows`: in the store, over all rows from which a condition selects.
 * - `value`: for one row that is being written.
 * - `row`: from the fields of one row alone, always with the same result (in timers).
 * - `index`: like `row`, but only with functions that every tool has that opens the database.
 */
export type Place = 'step' | 'answer' | 'call' | 'rows' | 'value' | 'row' | 'index';

/** The reason why an expression cannot be computed at a place, for a message; null if it can. */
export function outOfPlace(expr: Expr, place: Place): string | null {
  return notAggregated(expr) ?? walk(expr, { place, rows: place === 'rows' ? ['this'] : [] });
}

interface Where {
  readonly place: Place;
  /** The names of rows over which the store iterates. */
  readonly rows: readonly string[];
}

function walk(expr: Expr, where: Where): string | null {
  const changing = where.place === 'row' || where.place === 'index';
  if (changing && expr.op === 'name' && expr.name === 'service' && expr.type.kind === 'object')
    return 'service.url cannot be used here: it could change although no row is written';
  if (asksStore(expr) && !inTransaction(where.place) && where.place !== 'rows')
    return expr.op === 'rows'
      ? 'This expression reads only its own row, so it cannot search or count the rows of a resource'
      : 'This expression reads only its own row, so it cannot read the row of a reference';
  if (where.place === 'index' && (expr.op === 'each' || expr.op === 'map'))
    return notIndexed(expr.op === 'map' ? 'a map' : `“${expr.macro}”`);
  if (expr.op === 'each') {
    const ofGroups = expr.list.type.kind === 'list' && isGroup(expr.list.type.of);
    if (ofGroups && (where.rows.length > 0 || some(expr.body, asksStore))) return GROUPS_OUTSIDE;
    const stored =
      where.rows.length > 0 ||
      some(expr.list, (part) => part.op === 'rows' || Boolean(part.op === 'get' && part.derived));
    return walk(expr.list, where) ?? walk(expr.body, stored ? { ...where, rows: [...where.rows, expr.name] } : where);
  }
  return (
    (expr.op === 'call' ? ownFault(expr, where) : null) ??
    (expr.op === 'sent' ? sentFault(expr.of) : null) ??
    first(parts(expr), (part) => walk(part, where))
  );
}

const isGroup = (type: Type): boolean => type.kind === 'object' && type.ofGroup === true;

const GROUPS_OUTSIDE =
  'A macro over groups cannot be combined with stored rows in one expression. To compare each group with stored rows, use a For each over the groups';

/** Whether an expression needs a query of the store. */
const asksStore = (expr: Expr): boolean =>
  expr.op === 'rows' || (expr.op === 'get' && (expr.derived === true || reads(expr)));

const notIndexed = (what: string): string => `The condition of a unique rule cannot use ${what}: an index evaluates it`;

const inTransaction = (place: Place): boolean => place === 'step' || place === 'answer' || place === 'call';

/** Whether a member is read through a reference, rather than from a row that is loaded. */
const reads = (expr: Extract<Expr, { op: 'get' }>): boolean => expr.of.type.kind === 'row' && expr.of.op !== 'name';

function sentFault(of: Expr): string | null {
  return of.type.kind === 'object' && of.type.nulls
    ? null
    : 'has() takes a member that a request may leave out. To test another value, compare it with null';
}

function ownFault(expr: Extract<Expr, { op: 'call' }>, { place, rows }: Where): string | null {
  const [a] = expr.args;
  const stored = rows.length > 0;
  switch (expr.fn) {
    case 'etag':
      if (a?.op !== 'name') return 'etag() takes the name of a row of an earlier step';
      return inTransaction(place) && !stored ? null : 'etag() cannot be used in a condition on stored rows';
    case 'uuid':
    case 'secret':
    case 'random':
      return place === 'row' || place === 'index' || stored
        ? `${expr.fn}() cannot be used here: each evaluation would give another result`
        : null;
    case 'now':
      return place === 'row' || place === 'index'
        ? 'now() cannot be used here: its result would change although no row is written'
        : null;
    default:
      if (place !== 'index') return null;
      if (inLibrary(expr.fn) && constantOf(expr) === undefined) return notIndexed(`“${expr.fn}”`);
      if (ofOurs(expr)) return notIndexed(`“${expr.fn}” with days, lists or maps`);
      return textOfUuid(expr) ? notIndexed(`“${expr.fn}” with a stored UUID and another string`) : null;
  }
}

/**
 * Whether an operator needs one of our own SQL functions, or a query: databases have no operator for lists, maps or
 * dates.
 */
function ofOurs({ fn, args }: Extract<Expr, { op: 'call' }>): boolean {
  const [a, b] = args;
  const nests = ({ type }: Expr): boolean => type.kind === 'list' || type.kind === 'map';
  if (fn === 'size') return a?.type.kind === 'map';
  if (fn === 'in') return (a !== undefined && nests(a)) || b?.op !== 'list';
  return args.some(nests) || ((fn === '+' || fn === '-') && args.some(({ type }) => type.kind === 'date'));
}

/** Whether a call uses a stored UUID as text: only our own SQL functions can do this. */
function textOfUuid({ fn, args }: Extract<Expr, { op: 'call' }>): boolean {
  const isUuid = ({ type }: Expr): boolean => type.kind === 'string' && type.format === 'uuid';
  const compares = ['==', '!=', '<', '<=', '>', '>='].includes(fn);
  return args.some(isUuid) && !(compares && args.every((arg) => isUuid(arg) || arg.type.kind === 'null'));
}

function first<T>(list: readonly T[], find: (one: T) => string | null): string | null {
  for (const one of list) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}
