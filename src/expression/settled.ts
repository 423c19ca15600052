import { type Expr, show } from './expr.ts';

/** The expressions that can't be null once `test` is known to be `truth`, as text. */
export function settled(test: Expr, truth: boolean): string[] {
  if (test.op === 'sent' && truth && test.of.type.kind === 'object')
    return test.of.type.nulls?.includes(test.member) === false ? [`${show(test.of)}.${test.member}`] : [];
  if (test.op !== 'call') return [];
  const [a, b] = test.args;
  if ((test.fn === 'and' && truth) || (test.fn === 'or' && !truth))
    return [...settled(a!, truth), ...settled(b!, truth)];
  if (test.fn === 'not') return settled(a!, !truth);
  if (test.fn !== (truth ? '!=' : '==')) return [];
  if (b!.type.kind === 'null') return [show(a!)];
  return a!.type.kind === 'null' ? [show(b!)] : [];
}
