import { type Expr, some } from '../expression/tree/expression.ts';
import type { GivingPlan } from './rows.ts';

/** Whether a value of a field depends on other fields of its row: it is computed once these have theirs. */
export const readsOwnRow = ({ value }: GivingPlan): boolean => some(value, isOwnRow);

const isOwnRow = (expr: Expr): boolean => expr.op === 'name' && expr.name === 'this';

/**
 * The order in which values of fields are computed: each after those that it reads. `reads` returns the fields that the
 * values of a field read. `circular`: the fields that read each other, or themselves.
 */
export function sourceOrder(
  fields: readonly string[],
  reads: (field: string) => ReadonlySet<string>,
): { readonly order: readonly string[]; readonly circular: ReadonlySet<string> } {
  const order = new Set<string>();
  const circular = new Set<string>();
  const visit = (field: string, path: readonly string[]): void => {
    const at = path.indexOf(field);
    if (at >= 0) for (const one of path.slice(at)) circular.add(one);
    if (at >= 0 || order.has(field)) return;
    for (const other of reads(field)) if (fields.includes(other)) visit(other, [...path, field]);
    order.add(field);
  };
  for (const field of fields) visit(field, []);
  return { order: [...order], circular };
}
