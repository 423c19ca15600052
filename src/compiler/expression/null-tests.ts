import { type Expr, type Fn, show } from '../../expression/tree/expression.ts';
import type * as t from '../../expression/tree/types.ts';

/** The expressions that can't be null once `test` is known to be `truth`, as text. */
export function nonNullTexts(test: Expr, truth: boolean): string[] {
  if (test.op === 'sent' && truth && test.of.type.kind === 'object')
    return test.of.type.nulls?.includes(test.member) === false ? [`${show(test.of)}.${test.member}`] : [];
  if (test.op !== 'call') return [];
  if ((test.fn === 'and' && truth) || (test.fn === 'or' && !truth))
    return test.args.flatMap((one) => nonNullTexts(one, truth));
  const [a, b] = test.args;
  if (!a) return [];
  if (test.fn === 'not') return nonNullTexts(a, !truth);
  if (!b) return [];
  if (notZero(test.fn, b, truth)) return [`${show(a)} != 0`];
  const compared = b.type.kind === 'null' ? a : a.type.kind === 'null' ? b : null;
  if (!compared) return [];
  if (test.fn === (truth ? '!=' : '==')) return [show(compared)];
  const { type } = compared;
  return test.fn === (truth ? '==' : '!=') && type.kind === 'row' && type.otherwise ? [type.otherwise] : [];
}

/** The negation of each comparison. */
const OPPOSITE: Partial<Record<Fn, Fn>> = { '==': '!=', '!=': '==', '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

/** Whether a comparison with a constant number implies that the compared value is not 0. */
function notZero(fn: Fn, number: Expr, truth: boolean): boolean {
  if (number.op !== 'const' || typeof number.value !== 'number') return false;
  switch (truth ? fn : OPPOSITE[fn]) {
    case '!=':
      return number.value === 0;
    case '==':
      return number.value !== 0;
    case '>':
      return number.value >= 0;
    case '>=':
      return number.value > 0;
    case '<':
      return number.value <= 0;
    case '<=':
      return number.value < 0;
    default:
      return false;
  }
}

/** True if an expression is null, or holds null in a list or a map, where its type takes no null. */
export function holdsNull(type: t.Type, expected: t.Type): boolean {
  if (type.kind === 'null') return !expected.nullable;
  if (!('of' in type && 'of' in expected) || type.kind === 'tuple' || expected.kind === 'tuple') return false;
  if (type.of.kind === 'null') return false;
  return (type.of.nullable && !expected.of.nullable) || holdsNull(type.of, expected.of);
}
