import { durationOf } from './duration.ts';
import { type Expr, parts, uses } from './expr.ts';

/**
 * Where an expression is computed. `step`: in the transaction, row by row of what steps have found, with aggregates
 * taken first. `rows`: in the store, over all rows that a condition selects from. `value`: for one row that is being
 * written. `row`: from one row’s fields alone, always with the same result (in indexes and timers).
 */
export type Place = 'step' | 'rows' | 'value' | 'row';

/** What of an expression cannot be computed where it stands, in words; null where all of it can. */
export function outOfPlace(expr: Expr, place: Place): string | null {
  return walk(expr, place, place === 'rows' ? ['this'] : [], place === 'rows');
}

function walk(expr: Expr, place: Place, rows: readonly string[], stored: boolean): string | null {
  if (expr.op === 'query') {
    if (place === 'value' || place === 'row') return 'An aggregate here';
    const inside = [...rows, expr.row];
    return first(parts(expr), (part) => walk(part, place, inside, true));
  }
  return (
    (expr.op === 'call' ? ownFault(expr, place, rows, stored) : null) ??
    (expr.op === 'sent' ? sentFault(expr.of) : null) ??
    (stored && rows.some((row) => uses(expr, row)) ? storedFault(expr) : null) ??
    first(walked(expr), (part) => walk(part, place, rows, stored))
  );
}

/** A list that a value is looked up in is written out, item for item. */
function walked(expr: Expr): readonly Expr[] {
  const [item, list] = parts(expr);
  return expr.op === 'call' && expr.fn === 'in' && list?.op === 'list' ? [item!, ...list.items] : parts(expr);
}

function sentFault(of: Expr): string | null {
  const sent = of.op === 'name' && ['request', 'query', 'path'].includes(of.name);
  return sent ? null : 'has() of what no request sends (compare it with null)';
}

/** What the store can't compute of its rows: lists of their values, and UUIDs taken for text. */
function storedFault(expr: Expr): string | null {
  if (expr.op === 'list') return 'A list of the values of stored rows, other than after “in”,';
  if (expr.op === 'get' && (expr.type.kind === 'list' || expr.type.kind === 'map')) return 'A list that rows hold';
  if (expr.op !== 'call' || !expr.args.some(isUuid)) return null;
  if (expr.fn === '==' || expr.fn === '!=') {
    const text = expr.args.some((arg) => arg.type.kind === 'string' && !isUuid(arg));
    return text ? 'Comparing a stored UUID with text that may be none' : null;
  }
  if (expr.fn === 'in') return null;
  const ordered = ['<', '<=', '>', '>='].includes(expr.fn) && expr.args.every(isUuid);
  return ordered ? null : `“${expr.fn}” of a stored UUID`;
}

const isUuid = ({ type }: Expr): boolean => type.kind === 'string' && type.format === 'uuid';

function ownFault(
  expr: Extract<Expr, { op: 'call' }>,
  place: Place,
  rows: readonly string[],
  stored: boolean,
): string | null {
  const [a, b] = expr.args;
  switch (expr.fn) {
    case 'etag':
      if (a?.op !== 'name') return 'etag() of a row that no step has named';
      return place === 'step' && !stored ? null : 'etag() in a condition over stored rows';
    case '/':
    case '%':
      return b?.op === 'const' && b.value !== 0 ? null : 'Dividing by what could be 0';
    case 'uuid':
      return place === 'row' || place === 'rows' || stored ? 'uuid() here, where it would be new each time,' : null;
    case 'now':
      return place === 'row' ? 'now() here, where it would change while nothing is written,' : null;
    case 'in':
      if (!stored || b?.op === 'list' || !rows.some((row) => uses(a!, row))) return null;
      return 'Looking a stored row’s value up in a list that is not written out';
    case 'duration':
      if (a?.op === 'const' && typeof a.value === 'string' && durationOf(a.value) !== null) return null;
      return 'A duration that is not written out as hours, minutes, seconds or milliseconds, such as "1h30m",';
    default:
      return null;
  }
}

function first<T>(list: readonly T[], find: (one: T) => string | null): string | null {
  for (const one of list) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}
