import { type Expr, parts } from '../../expression/tree/expression.ts';
import { idText, type StatementId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { named } from '../../plan/named.ts';
import { allNested, endpointsWith } from '../../plan/nested-steps.ts';
import { effectOf, resourceOf, transitionsOf } from '../../plan/slots.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';

/** Whether a step makes or changes rows of one of some resources. */
const isWriting = (step: InsideStep, resources: ReadonlySet<string>): boolean =>
  ['creates', 'changes', 'moves'].includes(effectOf(step)) && resources.has(resourceOf(step) ?? '');

/** The resources of the rows that an expression reads. */
export function resourcesOf(expr: Expr): string[] {
  const own =
    expr.op === 'query' || expr.op === 'rows'
      ? [expr.resource]
      : expr.op === 'get' && expr.of.type.kind === 'row'
        ? [expr.of.type.resource]
        : [];
  return [...own, ...parts(expr).flatMap(resourcesOf)];
}

/** The names of the endpoints that make or change rows of some resources. */
export const endpointsWriting = (plan: Plan, resources: ReadonlySet<string>): ReadonlySet<string> =>
  endpointsWith(plan, (step) => isWriting(step, resources));

/** The resources whose rows a step asks for. */
export function askedIn(step: InsideStep): string[] {
  return [resourceOf(step) ?? [], testsOf(step).flatMap(resourcesOf)].flat();
}

/** The conditions of a step. */
const testsOf = (step: InsideStep): readonly Expr[] => [
  ...('test' in step ? [step.test] : []),
  ...('where' in step && step.where ? [step.where] : []),
];

/** The guards of the transitions that a step makes. */
function guardsOf({ resources }: Plan, step: InsideStep): readonly Expr[] {
  const by = transitionsOf(step);
  if (by.length === 0) return [];
  const transitions = transitionsIn(named(resources, resourceOf(step) ?? '').machines);
  return transitions.filter(({ name }) => by.includes(name)).flatMap(({ guard }) => guard ?? []);
}

/** The steps of an endpoint, with nested ones. */
export const stepsAt = ({ endpoints }: Plan, endpoint: string | undefined): readonly InsideStep[] => [
  ...allNested(endpoints.find(({ name }) => name === endpoint)?.inside ?? []),
];

/** The conditions that decide on the answer of an endpoint: those of its steps, and the guards of its transitions. */
const decidingAt = (plan: Plan, endpoint: string): readonly Expr[] =>
  stepsAt(plan, endpoint).flatMap((step) => [...testsOf(step), ...guardsOf(plan, step)]);

/**
 * The resources whose rows decide on the answer of an endpoint: those of its steps, and those that their conditions
 * read, also through derived fields.
 */
export function decidersOf(plan: Plan, endpoint: string): ReadonlySet<string> {
  const tests = decidingAt(plan, endpoint);
  const derived = derivedIn(plan, tests).map(({ value }) => value);
  return new Set([...stepsAt(plan, endpoint).flatMap(askedIn), ...[...tests, ...derived].flatMap(resourcesOf)]);
}

/** The derived fields that the conditions of an endpoint’s steps and transitions read, as the ids of their statements. */
export const derivedReadAt = (plan: Plan, endpoint: string): readonly StatementId[] =>
  derivedIn(plan, decidingAt(plan, endpoint)).map(({ id }) => id);

/**
 * The derived fields that expressions read, directly or through other derived fields, with their expressions.
 */
function derivedIn(
  { resources }: Plan,
  exprs: readonly Expr[],
): Array<{ readonly id: StatementId; readonly value: Expr }> {
  const found = new Map<string, { readonly id: StatementId; readonly value: Expr }>();
  const read = (expr: Expr): void => {
    if (expr.op === 'get' && expr.derived && expr.of.type.kind === 'row') {
      const { resource } = expr.of.type;
      const id = statementId.field(resource, expr.member);
      const key = idText(id);
      if (!found.has(key)) {
        const { value } = named(named(resources, resource).derived, expr.member);
        found.set(key, { id, value });
        read(value);
      }
    }
    for (const part of parts(expr)) read(part);
  };
  for (const expr of exprs) read(expr);
  return [...found.values()];
}
