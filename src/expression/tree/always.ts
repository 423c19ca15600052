import { ownMember } from '../../text/own-members.ts';
import type { Expr } from './expression.ts';

/** The possible values of a string expression, where its form shows them; null where it can be any string. */
export function possibleTexts(expr: Expr): readonly string[] | null {
  if (expr.op === 'const') return typeof expr.value === 'string' ? [expr.value] : null;
  if (expr.op === 'if') {
    const [yes, no] = [possibleTexts(expr.then), possibleTexts(expr.else)];
    return yes && no && [...new Set([...yes, ...no])];
  }
  return expr.type.kind === 'string' ? expr.type.oneOf : null;
}

/** Whether a condition holds for every row, as far as its syntax and the nullability of its parts show. */
export function alwaysTrue(expr: Expr): boolean {
  if (expr.op === 'const') return expr.value === true;
  if (expr.op === 'sent')
    return expr.of.type.kind === 'object' && ownMember(expr.of.type.members, expr.member)?.nullable === false;
  if (expr.op !== 'call') return false;
  if (expr.fn === 'or') return expr.args.some(alwaysTrue);
  if (expr.fn === 'and') return expr.args.every(alwaysTrue);
  const [a, b] = expr.args;
  if (expr.fn !== '!=' || !a || !b) return false;
  return (b.type.kind === 'null' && !a.type.nullable) || (a.type.kind === 'null' && !b.type.nullable);
}
