import { conjuncts, type Expr, show, uses } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import type { Finding } from '../../../syntax/diagnostic.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { zip } from '../../../text/lists.ts';
import { identityOf, keyOf } from '../../document/resolve.ts';
import { passwordOf } from '../../resources/check-passwords.ts';
import { misnamesUnique } from '../../resources/check-uniques.ts';
import { type Resource, uniqueKeys } from '../../statements/resources.ts';
import { checkAbsent } from '../check/absent-parameters.ts';
import type { Checking } from '../check/checking.ts';
import { checkExactLookUp } from '../check/exact-look-up.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { checkOrder } from '../check/orders.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Find `x`: R where p, latest `k` first, else code · or none */
export const FIND: VerbModule<'Find'> = {
  does: ({ as, resource }) => ({ ...NOTHING, names: { as: as.text, resource: resource.text } }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    const name = step.resource.text;
    if (resource && !step.where && !step.order) {
      const identity = identityOf(resource)?.name.text ?? 'id';
      c.findings.push(d.report.findWhere(step.span, { resource: name, identity }, [c.endpoint]));
    }
    const where = resource && step.where && c.condition(step.where, '“where”', name);
    if (resource && step.where) {
      const unique = where && matchesUnique(c, resource, where);
      if (where && !unique && !step.order && !misnamesUnique(resource))
        c.findings.push(severalMatch(c, resource, where, step.where, true));
      if (unique && step.order) c.findings.push(d.report.findOrder(step.order.by, { resource: name }));
    }
    if (step.where && where) checkAbsent(c, 'Find', where, step.where);
    if (resource && where) checkSeen(c, 'Find', resource, where, step.span);
    if (where && step.where) checkExactLookUp(c, where, step.where, 'Find');
    const order = resource && step.order && checkOrder(c, step.order, resource);
    if (step.code) c.r.code(step.code, 'step');
    else if (!step.none) c.findings.push(d.report.findCode(step.span, { resource: name }, [c.endpoint]));
    c.nameRow(step.as, resource ? t.nullable(t.rowOf(name), step.none) : t.UNKNOWN);
    if ((step.where && !where) || (step.order && !order)) return null;
    const code = step.code?.text ?? null;
    return { do: 'find', as: step.as.text, resource: name, where, order, code, reads: null, line: c.line(step) };
  },
};

/**
 * Authenticate `x`: R where p, password e, else code
 *
 * The condition must fix a unique key, and `e` must be a password of the request, unchanged.
 */
export const AUTHENTICATE: VerbModule<'Authenticate'> = {
  does: ({ as, resource }) => ({ ...NOTHING, byRequest: true, names: { as: as.text, resource: resource.text } }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    const name = step.resource.text;
    if (resource && !step.where) {
      const identity = identityOf(resource)?.name.text ?? 'id';
      c.findings.push(d.report.findWhere(step.span, { resource: name, identity }, [c.endpoint]));
    }
    const where = resource && step.where && c.condition(step.where, '“where”', name);
    if (resource && step.where && where && !matchesUnique(c, resource, where) && !misnamesUnique(resource))
      c.findings.push(severalMatch(c, resource, where, step.where, false));
    if (step.where && where) checkAbsent(c, 'Authenticate', where, step.where);
    if (where && step.where) checkExactLookUp(c, where, step.where, 'Authenticate');
    const kept = resource && passwordOf(resource);
    if (kept && where) checkSeen(c, 'Authenticate', resource, where, step.span);
    if (resource && !kept) c.findings.push(d.report.noPassword(step.resource, { resource: name }));
    const password = step.password && c.type(step.password, { kind: 'password', nullable: true }, '“password”');
    if (!step.password) c.findings.push(d.report.passwordUnsaid(step.span, { resource: name }, [c.endpoint]));
    if (step.code) c.r.code(step.code, 'step');
    else c.findings.push(d.report.findCode(step.span, { resource: name }, [c.endpoint]));
    c.nameRow(step.as, resource ? t.rowOf(name) : t.UNKNOWN);
    if (!where || !kept || !password || !step.code) return null;
    const found = { as: step.as.text, resource: name, where };
    return { do: 'verify', ...found, field: kept.name.text, password, code: step.code.text, line: c.line(step) };
  },
};

/**
 * True if `where` fixes every field of the identity or of a unique rule. A rule with `while` concerns only the rows for
 * which its condition holds, so `where` has to hold that condition too.
 */
function matchesUnique(c: Checking, resource: Resource, where: Expr): boolean {
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
function severalMatch(c: Checking, resource: Resource, where: Expr, at: Token, mayOrder: boolean): Finding {
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
