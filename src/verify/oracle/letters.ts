import { conjuncts, type Expr, folded, mapParts, unfolded, uses } from '../../expression/tree/expression.ts';

/** A comparison of a condition by which rows are looked up: a text of the row, and a text that does not depend on it. */
interface TextComparison {
  readonly own: Expr;
  readonly value: Expr;
  readonly ignoresCase: boolean;
}

/** The comparisons by which a condition looks rows up by texts that may differ in case alone. */
export const textComparisons = (where: Expr): TextComparison[] =>
  conjuncts(where).flatMap((one) => comparisonOf(one) ?? []);

function comparisonOf(test: Expr): TextComparison | null {
  if (test.op !== 'call' || test.fn !== '==') return null;
  const sides = test.args.map(unfolded);
  const own = sides.find((side) => uses(side, 'this'));
  const value = sides.find((side) => !uses(side, 'this'));
  if (!own || !value || !sides.every(hasLetters)) return null;
  return { own, value, ignoresCase: test.args.every((arg) => arg !== unfolded(arg)) };
}

const hasLetters = ({ type }: Expr): boolean => type.kind === 'string' && type.oneOf === null && type.format !== 'uuid';

/** A condition all of whose comparisons of texts ignore case, or none of them. */
export function comparing(where: Expr, ignoresCase: boolean): Expr {
  if (where.op === 'call' && where.fn === 'and') return mapParts(where, (part) => comparing(part, ignoresCase));
  const found = comparisonOf(where);
  if (!found || found.ignoresCase === ignoresCase) return where;
  return mapParts(where, ignoresCase ? folded : unfolded);
}
