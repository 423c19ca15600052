import type { Expr } from '../expression/tree/expression.ts';
import type { Condition } from './conditions.ts';
import type { InsideStep, OverPlan } from './inside-step.ts';
import { type Effect, OVER, type Role, type Roles, STEP_KINDS, type StepKind, type Try } from './step-kinds.ts';

/** A member of a step, with its role and its value. */
export type Slot = {
  readonly [R in Role]: { readonly member: string; readonly role: R; readonly value: Roles[R] };
}[Role];

const kindOf = (step: InsideStep): StepKind => STEP_KINDS[step.do];

/** The members of a step, in the order of its kind. */
export const slotsOf = (step: InsideStep): readonly Slot[] => slotsIn(STEP_KINDS[step.do].slots, step);

/** The members of a loop’s list or rows. */
export const slotsOfOver = (over: OverPlan): readonly Slot[] => slotsIn(OVER[over.kind].slots, over);

const slotsIn = (roles: Readonly<Record<string, Role>>, of: object): Slot[] => {
  const values = of as Readonly<Record<string, unknown>>;
  return Object.entries(roles).map(([member, role]) => ({ member, role, value: values[member] }) as Slot);
};

/** The values of the members of a step that have a role. */
export const valuesOf = <R extends Role>(step: InsideStep, role: R): Array<Roles[R]> =>
  slotsOf(step).flatMap((slot) => (slot.role === role ? [slot.value as Roles[R]] : []));

const factOf = <T>(fact: T | { fact(step: InsideStep): T }['fact'], step: InsideStep): T =>
  typeof fact === 'function' ? (fact as (step: InsideStep) => T)(step) : fact;

/** The description of a step in `plan`: a template with a place for each member (`Parts`). */
export const templateOf = (step: InsideStep): string => factOf(kindOf(step).says, step);

export const effectOf = (step: InsideStep): Effect => factOf(kindOf(step).effect, step);

/** The effect of all steps of a kind, by the kind’s name; `keeps` where each step decides. */
export function effectOfKind(kind: string): Effect {
  const effect = kindNamed(kind)?.effect;
  return typeof effect === 'string' ? effect : 'keeps';
}

/** Whether steps of a kind can refuse a request, whatever their members are. */
export function refusesByKind(kind: string): boolean {
  const { slots = {}, refusals } = kindNamed(kind) ?? {};
  return Object.values(slots).includes('code') || Array.isArray(refusals);
}

/** Whether steps of a kind have a name that later steps use. */
export const declaresByKind = (kind: string): boolean =>
  Object.values(kindNamed(kind)?.slots ?? {}).includes('declared');

/** The members of steps of a kind, each with its role; empty for an unknown kind. */
export const rolesOfKind = (kind: string): Array<[member: string, role: Role]> =>
  Object.entries(kindNamed(kind)?.slots ?? {});

const kindNamed = (kind: string): StepKind | null =>
  Object.hasOwn(STEP_KINDS, kind) ? STEP_KINDS[kind as InsideStep['do']] : null;

/** Whether a step lists rows, in any way. */
export const isList = (step: InsideStep): step is Extract<InsideStep, { do: 'list' | 'list streamed' }> =>
  step.do === 'list' || step.do === 'list streamed';

/** The variations of a step that `test` has to try. */
export const triesOf = (step: InsideStep): readonly Try[] => factOf(kindOf(step).tries, step);

/** The general conditions under which a step itself can refuse a request. */
export const conditionsRaised = (step: InsideStep): readonly Condition[] => factOf(kindOf(step).refusals, step) ?? [];

/** The names that a step gives later or nested steps. */
export const declaredBy = (step: InsideStep): string[] =>
  valuesOf(step, 'declared').filter((name) => typeof name === 'string');

/** The transitions that a step can make. */
export const transitionsOf = (step: InsideStep): string[] => valuesOf(step, 'transitions').flat();

/** Whether a step can make a transition of rows of a resource. */
export const makesTransition = (step: InsideStep, resource: string, transition: string): boolean =>
  resourceOf(step) === resource && transitionsOf(step).includes(transition);

/** The fields that a step sets, from a body or by itself. */
export const assignedBy = (step: InsideStep): string[] => [
  ...valuesOf(step, 'from').flatMap((from) => from?.fields ?? []),
  ...valuesOf(step, 'values').flatMap((values) => values.map(({ field }) => field)),
];

/** The conditions of a step: its requirement, those of its rows or of a loop’s rows, and members of groups. */
export const conditionsOf = (step: InsideStep): Expr[] => slotsOf(step).flatMap(conditionsIn);

function conditionsIn(slot: Slot): Expr[] {
  if (slot.role === 'over') return slotsOfOver(slot.value).flatMap(conditionsIn);
  if (slot.role === 'members') return slot.value.map(({ value }) => value);
  if (slot.role === 'test' || slot.role === 'lookUp') return [slot.value];
  return slot.role === 'where' && slot.value ? [slot.value] : [];
}

/** The resource of a step’s rows; null where it has none. */
export const resourceOf = (step: InsideStep): string | null => valuesOf(step, 'resource')[0] ?? null;
