import { type Expr, show } from '../expression/expr.ts';
import { describeRule } from '../plan/explain.ts';
import type { ParameterPlan, ValueRule } from '../plan/step.ts';
import { contains } from '../store/migrate.ts';
import { type Compare, difference, members, same, value } from './compare.ts';

/** How an expression reads. */
export const shown = (expr: Expr | null): string => (expr ? `\`${show(expr)}\`` : 'none');

/** An expression: whether another one breaks callers can be told only where there was none, or is none any more. */
export const expression = (
  what: string,
  breaks: { readonly added: boolean; readonly removed: boolean; readonly changed: boolean },
): Compare<Expr | null> =>
  value(what, (old, next) => (old === null ? breaks.added : next === null ? breaks.removed : breaks.changed), shown);

/**
 * What a value may be. `sent`: callers send it, so that fewer values break them; `answered`: they are answered it, so
 * that a value which the old document didn't have, such as a new state, does.
 */
export function valueRule(what: string, sent: boolean, answered: boolean): Compare<ValueRule> {
  return (old, next, at) => {
    if (same(old, next)) return [];
    const [was, is] = [describeRule(old), describeRule(next)];
    const reads = was === is ? '' : `: ${is}, and was ${was}`;
    const another = old.kind !== next.kind || old.scale !== next.scale || old.items?.kind !== next.items?.kind;
    if (another) return [difference(at, `${what}the type is another${reads}`, sent || answered)];
    if (contains(next, old)) return [difference(at, `${what}more values are allowed${reads}`, answered)];
    if (contains(old, next)) return [difference(at, `${what}fewer values are allowed${reads}`, sent)];
    return [difference(at, `${what}other values are allowed${reads}`, sent || answered)];
  };
}

/** A parameter of one name. */
export const parameter: Compare<ParameterPlan> = (old, next, at) =>
  members<ParameterPlan>({
    name: () => [],
    rule: valueRule(`parameter ${next.name}: `, true, false),
    required: value(`parameter ${next.name}: whether it is required`, (_was, is) => is),
    password: value(`parameter ${next.name}: whether it is a password`, false),
    otherwise: expression(`parameter ${next.name}: what stands for it where it is not sent`, {
      added: false,
      removed: true,
      changed: true,
    }),
    code: value(`parameter ${next.name}: the code that refuses it`, true),
    field: value(`parameter ${next.name}: the field whose name it bears in each version`, true),
  })(old, next, at);
