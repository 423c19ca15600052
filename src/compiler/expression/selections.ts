import type { Expr, Fn } from '../../expression/tree/expression.ts';

/** Functions that return one or several items of a list. */
const ITEM_FUNCTIONS: readonly Fn[] = ['first', 'last', '[]', 'distinct', 'reverse', 'slice'];

/**
 * Whether a list, or a row of it, has been selected by a query, and so is visible to the caller. Rows that references
 * point at may be hidden. `pointing`: whether a derived list holds rows that references point at.
 */
export function isSelection(list: Expr, pointing: (resource: string, field: string) => boolean): boolean {
  switch (list.op) {
    case 'each':
      return (list.macro === 'filter' || list.macro === 'sortBy') && isSelection(list.list, pointing);
    case 'call': {
      const [of] = list.args;
      return of !== undefined && ITEM_FUNCTIONS.includes(list.fn) && isSelection(of, pointing);
    }
    case 'get':
      return list.derived === true && list.of.type.kind === 'row' && !pointing(list.of.type.resource, list.member);
    default:
      return list.op === 'rows' || list.op === 'name';
  }
}
