import { type Expr, type Fn, mapParts, parts } from '../../expression/tree/expression.ts';
import { BOOLEAN } from '../../expression/tree/types.ts';

/** A condition that always comes to the same. */
export const always = (value: boolean): Expr => ({ op: 'const', value, type: BOOLEAN });

/** The contrary of a condition, of which false and no result are the same. */
export const contrary = (test: Expr): Expr => ({
  op: 'if',
  test,
  then: always(false),
  else: always(true),
  type: BOOLEAN,
});

/** Comparisons, and those that are near them. */
const NEAR: Readonly<Partial<Record<Fn, readonly Fn[]>>> = {
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>'],
  '<=': ['<', '>='],
  '>': ['>=', '<'],
  '>=': ['>', '<='],
  and: ['or'],
  or: ['and'],
};

/** The expressions that differ from one in a single place: a comparison that is another, a side that is left out. */
export function* variants(expr: Expr): Generator<Expr> {
  if (expr.op === 'call') {
    for (const fn of NEAR[expr.fn] ?? []) yield { ...expr, fn };
    if (expr.fn === 'and' || expr.fn === 'or') yield* expr.args;
  }
  if (expr.type.kind === 'boolean') yield contrary(expr);
  if (expr.op === 'each' && expr.macro === 'filter') yield expr.list;
  for (const part of new Set(parts(expr)))
    for (const other of variants(part)) yield mapParts(expr, (one) => (one === part ? other : one));
}
