import { conjuncts, type Expr, folded, show, some, uses } from '../../../expression/tree/expression.ts';
import type { Finding } from '../../../syntax/diagnostic.ts';
import type { Located } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { zip } from '../../../text/lists.ts';
import { keyOf } from '../../document/resolve.ts';
import { type Resource, type UniqueRule, uniqueKeys, uniqueRules } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';

/**
 * The unique rules all of whose fields `where` fixes. A rule with `while` concerns only the rows for which its condition
 * holds, so `where` has to hold that condition too.
 */
export function matchedRules(c: Checking, resource: Resource, where: Expr): UniqueRule[] {
  const fixed = fixedFields(c, resource, where);
  const held = new Set(conjuncts(where).map(show));
  return uniqueRules(resource).filter(({ fields, condition }) => {
    if (!fields.every((field) => fixed.has(field))) return false;
    const test = condition && c.r.expr(condition);
    return test === null || (test !== undefined && conjuncts(test).every((one) => held.has(show(one))));
  });
}

/** The condition of a look-up whose comparisons ignore case where unique rules do, or the reason why it cannot. */
type Ignoring = { readonly where: Expr } | { readonly fault: 'ignoresNothing' | 'ignoresEither' };

/**
 * The condition of a look-up by unique rules with “ignoring case”: each comparison that fixes a field whose rule ignores
 * case compares folded texts. One of the rules has to make sure that the condition still matches one row at most.
 */
export function ignoringCase(c: Checking, rules: readonly UniqueRule[], where: Expr): Ignoring {
  const fields = new Set(rules.flatMap((rule) => rule.fields));
  const ignored = new Set(rules.flatMap((rule) => rule.ignoringCase));
  const folds = (read: Expr): boolean => {
    if (read.op !== 'get' || read.derived) return false;
    if (read.of.op === 'name') return read.of.name === 'this' && ignored.has(read.member);
    return fixedBy(c, read).some((field) => fields.has(field)) && targetIgnoresCase(c, read);
  };
  let any = false;
  const within = (test: Expr): Expr => {
    if (test.op !== 'call') return test;
    if (test.fn === 'and') return { ...test, args: test.args.map(within) };
    const pair = test.fn === '==' && !test.args.every((arg) => arg.type.nullable) ? test.args : [];
    const fixes = (i: number): boolean => folds(pair[i]!) && !uses(pair[1 - i]!, 'this');
    if (pair.length === 0 || !(fixes(0) || fixes(1))) return test;
    any = true;
    return { ...test, args: pair.map(folded) };
  };
  const found = within(where);
  if (!any) return { fault: 'ignoresNothing' };
  const isSure = ({ fields: own, ignoringCase: ignoredBy, condition }: UniqueRule): boolean => {
    const test = condition && c.r.expr(condition);
    // A comparison of the rule's condition has to stay exact: the rule counts no other rows.
    if (test && conjuncts(test).some((one) => within(one) !== one)) return false;
    return own.every((field) => !ignored.has(field) || ignoredBy.includes(field));
  };
  return rules.some(isSure) ? { where: found } : { fault: 'ignoresEither' };
}

/** Checks “ignoring case” after a look-up; returns the condition with which the step looks the row up. */
export function checkIgnoring(
  c: Checking,
  resource: Resource,
  where: Expr,
  { rules, at, verb }: { readonly rules: readonly UniqueRule[]; readonly at: Located<boolean>; readonly verb: string },
): Expr {
  const found = ignoringCase(c, rules, where);
  if ('fault' in found) {
    if (found.fault === 'ignoresNothing') reportIdle(c, resource, at, verb);
    else c.findings.push(d.report.ignoresEither(at, { resource: resource.name.text, rules: rulesIgnoringCase(rules) }));
    return where;
  }
  for (const [own, one] of zip(conjuncts(where), conjuncts(found.where))) {
    const value = own !== one && own.op === 'call' && own.args.find((arg) => !uses(arg, 'this') && readsRows(arg));
    if (value) c.findings.push(d.report.ignoresStored(at, { value: show(value) }));
  }
  return found.where;
}

/** Reports “ignoring case” in a step that finds rows by no unique rule that ignores case. */
export function reportIdle(c: Checking, resource: Resource, at: Located<boolean>, verb: string): void {
  const rules = rulesIgnoringCase(uniqueRules(resource));
  c.findings.push(d.report.ignoresNothing(at, { verb, resource: resource.name.text, rules }));
}

/** The rules that ignore case, in words. */
const rulesIgnoringCase = (rules: readonly UniqueRule[]): string =>
  rules
    .filter((rule) => rule.ignoringCase.length > 0)
    .map(({ fields, ignoringCase: ignored, condition }) => {
      const names = fields.map((field) => (ignored.includes(field) ? `${field} ignoring case` : field));
      return `“${names.join(' and ')}${condition ? ` while \`${condition.text}\`` : ''}”`;
    })
    .join(', ');

/** Whether only the store can compute a value: a field behind a reference, a derived field, or anything about rows. */
function readsRows(value: Expr): boolean {
  return some(value, (part) => {
    if (part.op === 'rows') return true;
    return part.op === 'get' && part.of.type.kind === 'row' && (part.derived === true || part.of.op !== 'name');
  });
}

/** Whether the field behind a reference is unique ignoring case, and not exactly. */
function targetIgnoresCase(c: Checking, { of, member }: Extract<Expr, { op: 'get' }>): boolean {
  const target = of.type.kind === 'row' ? c.r.resourceNamed(of.type.resource) : null;
  const own = target
    ? uniqueRules(target).filter(({ fields, condition }) => !condition && fields.join() === member)
    : [];
  return own.length > 0 && own.every((rule) => rule.ignoringCase.length > 0);
}

/** Reports a condition that several rows can match; in a Find, an order (`mayOrder`) may choose one of them. */
export function severalMatch(c: Checking, resource: Resource, where: Expr, at: Token, mayOrder: boolean): Finding {
  const fixed = fixedFields(c, resource, where);
  const rules = uniqueRules(resource).flatMap(({ fields, condition }) => (condition ? [{ fields, condition }] : []));
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

/** The fields that `where` fixes to one value. */
export function fixedFields(c: Checking, resource: Resource, where: Expr): Set<string> {
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
