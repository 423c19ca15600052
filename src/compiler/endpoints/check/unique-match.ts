import { conjuncts, type Expr, show, uses } from '../../../expression/tree/expression.ts';
import type { Finding } from '../../../syntax/diagnostic.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { zip } from '../../../text/zip.ts';
import { keyOf } from '../../document/resolve.ts';
import { type Resource, uniqueKeys } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';

/**
 * True if `where` fixes every field of the identity or of a unique rule. A rule with `while` concerns only the rows for
 * which its condition holds, so `where` has to hold that condition too.
 */
export function matchesUnique(c: Checking, resource: Resource, where: Expr): boolean {
  const fixed = fixedFields(c, resource, where);
  const isFixed = (field: string): boolean => fixed.has(field);
  if (uniqueKeys(resource).some((key) => key.every(isFixed))) return true;
  const held = new Set(conjuncts(where).map(show));
  return conditionalRules(resource).some(({ fields, condition }) => {
    const test = c.r.expr(condition);
    return fields.every(isFixed) && test !== undefined && conjuncts(test).every((one) => held.has(show(one)));
  });
}

/** Reports a condition that several rows can match; in a Find, an order (`mayOrder`) may choose one of them. */
export function severalMatch(c: Checking, resource: Resource, where: Expr, at: Token, mayOrder: boolean): Finding {
  const fixed = fixedFields(c, resource, where);
  const rules = conditionalRules(resource);
  const near = rules.find(({ fields }) => fields.every((field) => fixed.has(field)));
  const keys = [
    ...uniqueKeys(resource).map(compared),
    ...rules.map(({ fields, condition }) => `${compared(fields)} with \`${condition.text}\``),
  ];
  return d.report.findNotUnique(at, {
    resource: resource.name.text,
    order: mayOrder ? 'order' : '',
    keys: [...keys.slice(0, MOST_KEYS), ...(keys.length > MOST_KEYS ? ['others'] : [])].join(', or by '),
    ...(near && {
      rule: compared(near.fields),
      line: `${c.r.line(near.condition.from)}`,
      condition: near.condition.text,
    }),
  });
}

/** The most rules in one message. */
const MOST_KEYS = 5;

const compared = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(' and ');

/** The unique rules with a condition. */
const conditionalRules = ({ uniques }: Resource) =>
  uniques.flatMap(({ fields, condition }) =>
    condition ? [{ fields: fields.map((field) => field.text), condition }] : [],
  );

/** The fields that `where` fixes to one value. */
function fixedFields(c: Checking, resource: Resource, where: Expr): Set<string> {
  const fixed = new Set<string>();
  for (const one of conjuncts(where)) {
    if (one.op !== 'call' || one.fn !== '==') continue;
    // If both values can be null, the comparison matches every row without a value.
    if (one.args.every((arg) => arg.type.nullable)) continue;
    for (const [a, b] of zip(one.args, one.args.toReversed()))
      if (!uses(b, 'this')) for (const field of isThis(a) ? keyOf(resource) : fixedBy(c, a)) fixed.add(field);
  }
  return fixed;
}

const isThis = (expr: Expr): boolean => expr.op === 'name' && expr.name === 'this';

/** The field that a value of `expr` fixes: the field itself, or a reference to the only row with a unique value. */
function fixedBy(c: Checking, expr: Expr): string[] {
  if (expr.op !== 'get') return [];
  if (expr.of.op === 'name') return expr.of.name === 'this' && !expr.derived ? [expr.member] : [];
  if (expr.of.type.kind !== 'row' || expr.derived) return [];
  const target = c.r.resourceNamed(expr.of.type.resource);
  const unique = target && uniqueKeys(target).some((key) => key.length === 1 && key[0] === expr.member);
  return unique ? fixedBy(c, expr.of) : [];
}
