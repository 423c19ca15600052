import { type Expr, parts, show, some } from '../../expression/tree/expression.ts';
import type { StatementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested, stepLists } from '../../plan/nested-steps.ts';
import { isList, conditionsOf as stepConditions } from '../../plan/slots.ts';
import type { Plan, ResourcePlan } from '../../plan/step.ts';
import { type Need, need, type SetupMember } from './statement.ts';

type Call = Extract<Expr, { op: 'call' }>;
type Constant = Extract<Expr, { op: 'const' }>;

/** Comparisons that include their bound, and those that do not. */
const OTHER_AT_BOUND: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

const isOrdering = (expr: Expr): expr is Call => expr.op === 'call' && Object.hasOwn(OTHER_AT_BOUND, expr.fn);

/** No caller chooses the instant at which a service reads its clock. */
const isTimed = (expr: Expr): boolean => some(expr, (part) => part.op === 'call' && part.fn === 'now');

/** The trace that an answer has ruled out the comparison with the other outcome at its bound. */
const equalSides = (comparison: Call): string => `equal ${show(comparison)}`;

/** The trace that an answer has ruled out another number in a comparison. */
const otherNumber = (comparison: Call, other: Constant): string => `not ${show(other)} ${show(comparison)}`;

/**
 * The needs of the bounds in a statement’s conditions: an answer that would be different if a bound were one step off.
 */
export function boundNeeds(plan: Plan, id: StatementId, setup: readonly SetupMember[]): Need[] {
  const found = new Map<string, Need>();
  for (const comparison of conditionsOf(plan, id).flatMap(comparisonsIn)) {
    const what = equalSides(comparison);
    found.set(what, need(`“${show(comparison)}” decides with equal sides`, id, what, setup));
    for (const own of comparison.args)
      for (const other of own.op === 'const' ? neighbours(own) : []) {
        const told = otherNumber(comparison, other);
        const name = `an answer tells ${show(own)} from ${show(other)} in “${show(comparison)}”`;
        found.set(told, need(name, id, told, setup));
      }
  }
  return [...found.values()];
}

const SECOND_MS = 1000;

/** A number or a length of time that is one step more or less. */
export function* neighbours(expr: Constant): Generator<Constant> {
  const { value, type } = expr;
  const step = type.kind === 'duration' ? SECOND_MS : type.kind === 'integer' || type.kind === 'decimal' ? 1 : 0;
  if (typeof value !== 'number' || step === 0) return;
  yield { ...expr, value: value + step };
  yield { ...expr, value: value - step };
}

/** The comparisons in a condition for which requests can contain a value exactly at the bound. */
function comparisonsIn(expr: Expr): Call[] {
  const own = isOrdering(expr) && !isTimed(expr) ? [expr] : [];
  return [...own, ...parts(expr).flatMap(comparisonsIn)];
}

/**
 * The trace of the bound in which two plans differ: an answer that rules out the other plan tries it. Null if they
 * differ in no bound.
 */
export function boundTold(own: Plan, other: Plan, id: StatementId): string | null {
  const others = conditionsOf(other, id);
  const all = conditionsOf(own, id);
  if (others.length !== all.length) return null;
  const [difference, ...more] = all.flatMap((one, i) => {
    const another = others[i];
    return another === undefined || another === one ? [] : [changedBound(one, another)];
  });
  return more.length > 0 ? null : (difference ?? null);
}

function changedBound(own: Expr, other: Expr): string | null {
  const [all, others] = [parts(own), parts(other)];
  if (own.op !== other.op || all.length !== others.length) return null;
  const at = all.findIndex((one, i) => one !== others[i]);
  const [part, another] = [all[at], others[at]];
  if (own.op === 'call' && other.op === 'call' && own.fn !== other.fn)
    return at < 0 && isOrdering(own) && other.fn === OTHER_AT_BOUND[own.fn] ? equalSides(own) : null;
  if (!part || !another) return null;
  if (isOrdering(own) && part.op === 'const' && another.op === 'const') return otherNumber(own, another);
  return changedBound(part, another);
}

/** The conditions of a statement: of a step, a transition, a rule, a resource's visibility, or a parameter's filter. */
function conditionsOf(plan: Plan, id: StatementId): readonly Expr[] {
  switch (id.kind) {
    case 'step':
      return stepLists(plan)
        .flatMap((steps) => [...allNested(steps)])
        .flatMap((step) => (step.line === id.line ? stepConditions(step) : []));
    case 'parameter': {
      const endpoint = plan.endpoints.find(({ name }) => name === id.endpoint);
      return [...allNested(endpoint?.inside ?? [])].flatMap((step) =>
        isList(step)
          ? step.filters.flatMap((one) => (one.in === id.place && one.parameter === id.parameter ? [one.where] : []))
          : [],
      );
    }
    default: {
      const resource = 'resource' in id ? plan.resources.find(({ name }) => name === id.resource) : undefined;
      const condition = resource && conditionOf(resource, id);
      return condition ? [condition] : [];
    }
  }
}

/** The condition of a statement about a resource; null or undefined where it has none. */
function conditionOf(
  { visible, uniques, holds, overlaps, machines }: ResourcePlan,
  id: StatementId,
): Expr | null | undefined {
  switch (id.kind) {
    case 'resource':
      return id.fact === 'visible' ? visible : null;
    case 'unique':
      return uniques[id.index]?.condition;
    case 'holds':
      return holds[id.index]?.test;
    case 'overlap':
      return overlaps[id.index]?.condition;
    case 'transition':
      return transitionsIn(machines).find(({ name }) => name === id.transition)?.guard;
    default:
      return null;
  }
}
