import { conjuncts, type Expr, fieldsOf, mapParts } from '../../../expression/tree/expression.ts';
import { NULL, type Type } from '../../../expression/tree/types.ts';
import type { Value } from '../../../expression/values/value.ts';
import type { FromPlan, GivenPlan, KeyPlan } from '../../../plan/step.ts';
import { listed } from '../../../text/suggest.ts';
import { outcomesAt } from '../../document/conditions.ts';
import { ensuredRules, filledRules, requestedBy } from '../../document/writes.ts';
import { misnamesUnique } from '../../resources/check-uniques.ts';
import { constantValue } from '../../resources/constants.ts';
import type { Field, Resource } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking, Of } from './checking.ts';
import { noticeExactEnsure } from './exact-look-up.ts';
import { reportIdle } from './unique-look-up.ts';

/** The values that a step gives a new row. */
interface Made {
  readonly from: FromPlan | null;
  readonly with: readonly GivenPlan[];
}

/** Checks the unique rules by which an Ensure finds an existing row; returns their plans, null where one is not settled. */
export function checkEnsured(
  c: Checking,
  step: Of<'Ensure'>,
  resource: Resource,
  made: Made | null,
): readonly KeyPlan[] | null {
  const name = resource.name.text;
  const { ignoringCase: at, condition } = step;
  const known = resource.fields.map((field) => field.name.text);
  const fills = [...requestedBy(step, c.one), ...step.with.map((one) => one.field.text)];
  const rules = ensuredRules(step, resource, c.one);
  if (fills.every((field) => known.includes(field)) && !misnamesUnique(resource)) {
    const conditions = filledRules(step, resource, c.one).flatMap((rule) => rule.condition?.text ?? []);
    if (condition && !rules.some((rule) => rule.condition))
      c.findings.push(
        d.report.ensureWhile(condition, {
          resource: name,
          conditions: listed(conditions.map((text) => `while \`${text}\``)),
        }),
      );
    else if (rules.length === 0)
      c.findings.push(d.report.ensureUnique(step.span, { resource: name, condition: conditions[0] ?? '' }));
    else if (at.value && !rules.some((rule) => rule.ignoringCase.length > 0)) reportIdle(c, resource, at, 'Ensure');
  }
  if (!at.value) noticeExactEnsure(c, resource, rules, step.resource);
  const keys = rules.flatMap((rule): KeyPlan[] => {
    const test = rule.condition && c.r.expr(rule.condition);
    if (test === undefined) return [];
    return [{ fields: rule.fields, ignoringCase: at.value ? rule.ignoringCase : [], while: test }];
  });
  // All of these rules have the same condition.
  const test = keys.find((key) => key.while)?.while;
  if (test && made) checkCounted(c, step, resource, { ...made, while: test });
  return keys.length === rules.length ? keys : null;
}

/**
 * Reports an Ensure whose new row may be one that the unique rule does not count: the next request would not find the
 * row, and create another one.
 */
function checkCounted(
  c: Checking,
  step: Of<'Ensure'>,
  resource: Resource,
  made: Made & { readonly while: Expr },
): void {
  const outcomes = outcomesAt(c.r, c.one.parameters);
  const unsure = new Set<string>();
  for (const test of conjuncts(made.while)) {
    const ofNew = withFields(test, (read) => readOfNewRow(c, resource, made, read));
    const value = constantValue(ofNew);
    if (value === true || (value === undefined && outcomes.decided(ofNew) === 'always')) continue;
    const open = fieldsOf(ofNew, 'this');
    for (const field of open.size > 0 ? open : fieldsOf(test, 'this')) unsure.add(field);
  }
  if (unsure.size === 0 || !step.condition) return;
  const params = { condition: step.condition.text, fields: listed([...unsure].map((field) => `\`${field}\``)) };
  c.findings.push(d.report.ensureOutside(step.condition, params));
}

type Get = Extract<Expr, { op: 'get' }>;

/** An expression in which each field of \`this\` is replaced. */
const withFields = (expr: Expr, by: (read: Get) => Expr): Expr =>
  expr.op === 'get' && expr.of.op === 'name' && expr.of.name === 'this'
    ? by(expr)
    : mapParts(expr, (part) => withFields(part, by));

/** Replaces a field of the new row by its value where that is constant; otherwise, says where the field is present. */
function readOfNewRow(c: Checking, resource: Resource, made: Made, read: Get): Expr {
  const given = made.with.find((one) => one.field === read.member)?.value;
  if (given) return knownAs(read, given);
  const field = c.r.fieldNamed(resource, read.member);
  return field && !made.from?.fields.includes(read.member) ? initialOf(c, resource, field, read) : read;
}

/** The value of a field that no step gives the new row. */
function initialOf(c: Checking, resource: Resource, { name, givenBy }: Field, read: Get): Expr {
  const machine = c.r.machines(resource.name.text).find((one) => one.field.text === name.text);
  for (const giving of givenBy?.value ?? []) {
    const isCreated = giving.from === 'moment' && giving.moment.text === 'create';
    const source = giving.from === 'request' ? giving.otherwise : isCreated ? giving.value : null;
    const value = source && c.r.expr(source);
    if (source) return value ? knownAs(read, value) : read;
    if (giving.from === 'sequence' || giving.from === 'audit') return read;
    const initial = giving.from === 'transitions' && machine?.initial;
    if (initial) return constant(read, initial.text);
  }
  return read.type.nullable ? constant(read, null) : read;
}

/** A field that has the value of an expression: the constant, or the field, which is present where the value is. */
function knownAs(read: Get, value: Expr): Expr {
  const known = constantValue(value);
  if (known !== undefined) return constant(read, known);
  return value.type.nullable ? read : { ...read, type: present(read.type) };
}

function constant({ type }: Get, value: Value): Expr {
  if (value === null || typeof value === 'object') return { op: 'const', value: null, type: NULL };
  return { op: 'const', value, type: present(type) };
}

const present = (type: Type): Type => (type.kind === 'null' ? type : { ...type, nullable: false });
