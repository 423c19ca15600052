import { alwaysTrue } from '../../expression/tree/always.ts';
import { conjuncts, type Expr, type Fn, parts, show } from '../../expression/tree/expression.ts';
import type { HoldsRule, OverlapRule } from '../../language/resources.ts';
import { language } from '../../syntax/messages.ts';
import type { Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';
import { listed } from '../../text/suggest.ts';
import { auditsOf } from '../document/audits.ts';
import { checkCondition } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import { type Resource, uniqueKeys } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { isWritten } from './writers.ts';

const WRITES = ['Create', 'Change', 'Move', 'Remove'] as const;

/** Checks the rules that hold for every row at the end of each transaction. */
export function checkInvariants(r: Resolved, resource: Resource): void {
  for (const rule of resource.holds) checkHolds(r, resource, rule);
  for (const rule of resource.overlaps) checkOverlap(r, resource, rule);
  checkRepeated(r, resource);
}

/** Reports a rule that repeats an earlier one: it refuses nothing more, so that nobody receives its code. */
function checkRepeated(r: Resolved, { uniques, holds, overlaps }: Resource): void {
  const namesOf = (names: readonly Name[]): readonly string[] => names.map(({ text }) => text).sort();
  const rules = [
    // Unique rules without a condition are compared with all unique fields, in `check-uniques.ts`.
    ...uniques
      .filter(({ condition }) => condition !== null)
      .map(({ span, fields, ignoringCase, condition }) => ({
        span,
        says: ['Unique', namesOf(fields), namesOf(ignoringCase), condition?.text],
      })),
    ...holds.map(({ span, test }) => ({ span, says: ['Holds', test.text] })),
    ...overlaps.map(({ span, start, end, by, condition }) => ({
      span,
      says: ['No overlap', start.text, end.text, namesOf(by), condition?.text],
    })),
  ];
  const known = new Set<string>();
  for (const { span, says } of rules) {
    const text = JSON.stringify(says);
    if (known.has(text)) r.notes.findings.push(language.report.twice(span, { what: `This rule of “${says[0]}”` }));
    known.add(text);
  }
}

function checkHolds(r: Resolved, resource: Resource, rule: HoldsRule): void {
  const name = resource.name.text;
  const test = checkCondition(r, rule.test, r.scope(new Map(), name), '“Holds”', 'rows');
  if (rule.code) r.code(rule.code, 'rule');
  if (!test) return;
  if (alwaysTrue(test)) r.notes.findings.push(d.report.holdsAlways(rule.test, { resource: name }));
  if (r.asksTime(test)) r.notes.findings.push(d.report.holdsNow(rule.test));
  const read = [...readFrom(r, test, new Set([name]))];
  const entries = read.find((one) => one !== name && r.once(auditsOf).has(one));
  if (entries !== undefined) r.notes.findings.push(d.report.auditRule(rule.span, { entries }));
  const breaks = read.some((one) => isWritten(r, one, WRITES));
  if (!rule.code && breaks) r.notes.findings.push(d.report.holdsCode(rule.span, { resource: name }));
}

/** The resources that an expression depends on, through derived fields too. */
function readFrom(r: Resolved, expr: Expr, out: Set<string>): Set<string> {
  if (expr.op === 'rows') out.add(expr.resource);
  if (expr.op === 'get' && expr.of.type.kind === 'row') {
    const { resource } = expr.of.type;
    const derived = expr.derived && r.resourceNamed(resource)?.derived.find((one) => one.name.text === expr.member);
    const known = `${resource}.${expr.member}`;
    const value = derived ? r.expr(derived.value) : undefined;
    if (value && !out.has(known)) readFrom(r, value, out.add(known));
    out.add(resource);
  }
  for (const part of parts(expr)) readFrom(r, part, out);
  return out;
}

/** The kinds of values with an order, between which intervals can overlap. */
const ORDERED: readonly string[] = ['timestamp', 'date', 'integer', 'decimal'];

function checkOverlap(r: Resolved, resource: Resource, rule: OverlapRule): void {
  const name = resource.name.text;
  const bound = (token: Token): Expr | null => {
    const expr = r.type(token, r.scope(new Map(), name), null, '“No overlap”', 'row');
    if (expr && !ORDERED.includes(expr.type.kind)) r.notes.findings.push(d.report.overlapBound(token));
    return expr;
  };
  const [start, end] = [bound(rule.start), bound(rule.end)];
  if (start && end && start.type.kind !== end.type.kind) r.notes.findings.push(d.report.overlapBound(rule.end));
  for (const field of rule.by) r.field(resource, field);
  checkEverOverlaps(r, resource, rule, start, end);
  if (rule.condition) checkCondition(r, rule.condition, r.scope(new Map(), name), '“while”', 'row');
  if (rule.code) r.code(rule.code, 'rule');
  else if (isWritten(r, name, ['Create', 'Change', 'Move']))
    r.notes.findings.push(d.report.overlapCode(rule.span, { resource: name }));
}

/** A rule under which no two rows can overlap refuses none. */
function checkEverOverlaps(
  r: Resolved,
  resource: Resource,
  { start, end, by }: OverlapRule,
  from: Expr | null,
  to: Expr | null,
): void {
  const never = (at: Span, why: string): void => {
    r.notes.findings.push(d.report.overlapNever(at, { why }));
  };
  if (start.text === end.text) never(end, `Nothing lies between “${end.text}” and itself`);
  else if (from && to) {
    const line = notAfter(r, resource, to, from);
    if (line !== null) never(end, `By the rule in line ${line}, “${start.text}” is never before “${end.text}”`);
  }
  const fields = by.map((name) => name.text);
  const key = uniqueKeys(resource).find((names) =>
    names.every((one) => fields.includes(one) && r.fieldNamed(resource, one)?.presence?.value === 'always'),
  );
  const [first] = by;
  if (key && first) never(first, `No two rows of ${resource.name.text} have the same ${listed(key)}`);
}

/** The line of a rule of the resource by which one value is never later than another, wherever both are there. */
function notAfter(r: Resolved, resource: Resource, low: Expr, high: Expr): number | null {
  const [less, more] = [show(low), show(high)];
  const says = (test: Expr): boolean => {
    const [a, b] = test.op === 'call' ? test.args : [];
    if (test.op !== 'call' || !a || !b) return false;
    const texts = [show(a), show(b)];
    if (test.fn === 'or') return says(a) && says(b);
    if (test.fn === '==') return texts.includes('null') && (texts.includes(less) || texts.includes(more));
    return test.fn.startsWith('<')
      ? texts.join() === `${less},${more}`
      : ordersDown(test.fn) && texts.join() === `${more},${less}`;
  };
  const rule = resource.holds.find((one) => {
    const test = r.expr(one.test);
    return test && conjuncts(test).some((part) => !isNullTest(part) && says(part));
  });
  return rule ? r.line(rule.span.from) : null;
}

const ordersDown = (fn: Fn): boolean => fn === '>' || fn === '>=';
const isNullTest = (test: Expr): boolean => test.op === 'call' && test.fn === '==';
