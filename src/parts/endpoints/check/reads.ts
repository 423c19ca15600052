import { alwaysTrue } from '../../../expression/always.ts';
import { conjuncts, type Expr, uses } from '../../../expression/expr.ts';
import { isEntityTag } from '../../../expression/tag.ts';
import * as t from '../../../expression/types.ts';
import { identityOf } from '../../../model/resolve.ts';
import { ownMember } from '../../../source/own.ts';
import type { Token } from '../../../source/phrase.ts';
import { pagesOf } from '../../limits/checkpages.ts';
import { type Resource, uniqueKeys } from '../../resources/model.ts';
import { passwordOf } from '../../resources/passwords.ts';
import { keyOf } from '../../resources/removal.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import type { Parameter } from '../model.ts';
import { type Checking, type Of, row } from './checking.ts';
import { checkOrder } from './orders.ts';

/** The verbs that read: Find, List, Require, Match. */

export function checkFind(c: Checking, step: Of<'Find'>): void {
  const resource = c.r.resource(step.resource);
  if (resource && !step.where && !step.order) {
    const identity = identityOf(resource)?.name.text ?? 'id';
    c.findings.push(d.report.findWhere(step.span, { resource: resource.name.text, identity }, [c.endpoint]));
  }
  if (resource && step.where) {
    const where = c.type(step.where, t.BOOLEAN, '“where”', resource.name.text);
    const unique = where && matchesUnique(c, resource, where);
    if (where && !unique && !step.order)
      c.findings.push(d.report.findNotUnique(step.where, { resource: resource.name.text }));
    if (unique && step.order) c.findings.push(d.report.findOrder(step.order.by, { resource: resource.name.text }));
  }
  if (resource && step.order) checkOrder(c, step.order, resource);
  if (step.code) c.r.code(step.code, 'step');
  else if (!step.none) c.findings.push(d.report.findCode(step.span, { resource: step.resource.text }, [c.endpoint]));
  c.nameRow(step.as, resource ? t.nullable(row(resource.name.text), step.none !== null) : t.UNKNOWN);
}

/** The row is one that a unique rule fixes, and the password is what was sent for it, as it was sent. */
export function checkAuthenticate(c: Checking, step: Of<'Authenticate'>): void {
  const resource = c.r.resource(step.resource);
  const name = step.resource.text;
  if (resource && !step.where) {
    const identity = identityOf(resource)?.name.text ?? 'id';
    c.findings.push(d.report.findWhere(step.span, { resource: name, identity }, [c.endpoint]));
  }
  if (resource && step.where) {
    const where = c.type(step.where, t.BOOLEAN, '“where”', name);
    if (where && !matchesUnique(c, resource, where))
      c.findings.push(d.report.findNotUnique(step.where, { resource: name }));
  }
  if (resource && !passwordOf(resource)) c.findings.push(d.report.noPassword(step.resource, { resource: name }));
  if (step.password) c.type(step.password, { kind: 'password', nullable: true }, '“password”');
  else c.findings.push(d.report.passwordUnsaid(step.span, { resource: name }, [c.endpoint]));
  if (step.code) c.r.code(step.code, 'step');
  else c.findings.push(d.report.findCode(step.span, { resource: name }, [c.endpoint]));
  c.nameRow(step.as, resource ? row(name) : t.UNKNOWN);
}

export function checkRequire(c: Checking, step: Of<'Require'>): void {
  const test = c.type(step.test, t.BOOLEAN, 'Require');
  if (test && alwaysTrue(test)) c.findings.push(d.report.cannotFail(step.test));
  c.assume(test, true);
  if (step.code) c.r.code(step.code, 'step');
  else c.findings.push(d.report.requireCode(step.span, {}, [c.endpoint]));
}

export function checkMatch(c: Checking, step: Of<'Match'>): void {
  const tag = c.type(step.to, t.STRING, 'Match');
  if (tag && !isEntityTag(tag)) c.findings.push(d.report.entityTag(step.to, { what: 'If-Match' }));
}

/** A field that rows are likely listed by: an instant where they have one, and what tells them apart where not. */
function likelyOrder(resource: Resource | null): string {
  const instant = resource?.fields.find((field) => field.type?.value.kind === 'timestamp');
  return (instant ?? (resource && identityOf(resource)))?.name.text ?? 'id';
}

export function checkList(c: Checking, step: Of<'List'>): void {
  const resource = c.r.resource(step.resource);
  const params = { resource: step.resource.text };
  if (step.bound === 'pages' && c.lists.size) c.findings.push(d.report.listedTwice(step.span));
  if (resource && step.where) c.type(step.where, t.BOOLEAN, '“where”', resource.name.text);
  if (!step.order)
    c.findings.push(d.report.listOrder(step.span, { ...params, field: likelyOrder(resource) }, [c.endpoint]));
  else if (resource) {
    const cursors = step.bound === 'pages' && pagesOf(c.r, c.one)?.value.by === 'cursor';
    checkOrder(c, step.order, resource, cursors);
  }
  if (step.bound === 'pages' && c.depth > 0) c.findings.push(d.report.listNested(step.span));
  if (!step.bound) c.findings.push(d.report.listBound(step.span, params, [c.endpoint]));
  if (resource && step.asParameters) {
    c.asParameters = true;
    if (!c.one.endpoint.parameters.some((parameter) => parameter.keeps))
      c.findings.push(d.report.filterMissing(step.span));
    for (const parameter of c.one.endpoint.parameters)
      if (parameter.keeps) checkKeeps(c, parameter.keeps, parameter, resource.name.text);
  }
  if (step.bound !== 'all') c.lists.set(step.as.text, step.as);
  const of = resource ? row(resource.name.text) : t.UNKNOWN;
  c.nameRow(step.as, { kind: 'list', of, nullable: false });
}

/** A filter applies when its parameter is sent, so inside it the parameter is there. */
function checkKeeps(c: Checking, token: Token, parameter: Parameter, resource: string): void {
  const object = parameter.in?.value === 'body' ? 'request' : (parameter.in?.value ?? 'query');
  const known = c.names.get(object);
  const name = parameter.name.text;
  const names = new Map(c.names);
  const member = known?.kind === 'object' ? ownMember(known.members, name) : undefined;
  if (known?.kind === 'object' && member)
    names.set(object, { ...known, members: { ...known.members, [name]: t.nullable(member, false) } });
  const expr = c.r.type(token, c.scope(resource, names), t.BOOLEAN, '“Keeps rows where”', 'rows');
  if (expr) c.use(expr, token);
}

/** True if `where` fixes every field of the identity or of a unique rule without a condition. */
function matchesUnique(c: Checking, resource: Resource, where: Expr): boolean {
  const fixed = new Set<string>();
  for (const one of conjuncts(where)) {
    if (one.op !== 'call' || one.fn !== '==') continue;
    // Two values that can both be absent match every row without one.
    if (one.args.every((arg) => arg.type.nullable)) continue;
    for (const [a, b] of [
      [one.args[0]!, one.args[1]!],
      [one.args[1]!, one.args[0]!],
    ] as const)
      if (!uses(b, 'this')) for (const field of isThis(a) ? keyOf(resource) : fixedBy(c, a)) fixed.add(field);
  }
  return uniqueKeys(resource).some((key) => key.every((field) => fixed.has(field)));
}

const isThis = (expr: Expr): boolean => expr.op === 'name' && expr.name === 'this';

/** The field that is known once `expr` is: itself, or the reference whose target no other row has the value of. */
function fixedBy(c: Checking, expr: Expr): string[] {
  if (expr.op !== 'get') return [];
  if (expr.of.op === 'name') return expr.of.name === 'this' && !expr.derived ? [expr.member] : [];
  if (expr.of.type.kind !== 'row' || expr.derived) return [];
  const target = c.r.resourceNamed(expr.of.type.resource);
  const alone = target && uniqueKeys(target).some((key) => key.length === 1 && key[0] === expr.member);
  return alone ? fixedBy(c, expr.of) : [];
}
