import type { Expr, Fn } from '../../expression/tree/expression.ts';

/** What gives an item of a list, or some of its items. */
const ITEM_FUNCTIONS: readonly Fn[] = ['first', 'last', '[]', 'distinct', 'reverse', 'slice'];

/**
 * True for a list of rows that have been selected, and for a row of one, rather than for what references point at: that
 * may be hidden from who looks. `pointing` says so of derived lists.
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
