import { transitionsIn } from './machines.ts';
import { effectOf, type Slot, slotsOf } from './slots.ts';
import type { InsideStep, OrderKey, OrderPlan, Plan } from './step.ts';

/** Each step inside the transaction, with all nested steps, in the order of the document. */
export function* allNested(steps: readonly InsideStep[]): Generator<InsideStep> {
  for (const step of steps) {
    yield step;
    for (const list of nestedLists(step)) yield* allNested(list);
  }
}

/** The lists of steps of endpoints, after transitions and of schedules, without nested lists. */
export const stepLists = ({ endpoints, resources, schedules = [] }: Plan): ReadonlyArray<readonly InsideStep[]> => [
  ...endpoints.map(({ inside }) => inside),
  ...resources.flatMap(({ machines }) => transitionsIn(machines).map(({ then }) => then)),
  ...schedules.map(({ steps }) => steps),
];

/** The steps of a document that emit events, those after handlers too. */
export const emitsIn = (plan: Plan): ReadonlyArray<Extract<InsideStep, { do: 'emit' }>> =>
  [...stepLists(plan), ...plan.handlers.flatMap(({ answers, failing }) => [answers, failing])]
    .flatMap((steps) => [...allNested(steps)])
    .filter((step) => step.do === 'emit');

/** The nested lists of a step. */
export const nestedLists = (step: InsideStep): ReadonlyArray<readonly InsideStep[]> =>
  slotsOf(step).flatMap((slot) => (isNested(slot) ? [slot.value] : []));

const isNested = (slot: Slot): slot is Extract<Slot, { role: 'branch' | 'rounds' }> =>
  slot.role === 'branch' || slot.role === 'rounds';

/** Replaces the nested lists of a step. */
export function withNested(
  step: InsideStep,
  otherOf: (steps: readonly InsideStep[]) => readonly InsideStep[],
): InsideStep {
  const others = slotsOf(step).flatMap((slot) => (isNested(slot) ? [[slot.member, otherOf(slot.value)]] : []));
  return others.length === 0 ? step : { ...step, ...(Object.fromEntries(others) as object) };
}

/** Changes each step, and each nested step. */
export const mapInside = (
  steps: readonly InsideStep[],
  change: (step: InsideStep) => InsideStep,
): readonly InsideStep[] => steps.map((step) => withNested(change(step), (held) => mapInside(held, change)));

/**
 * The sort keys of an order, first to last. `at`: the place of the name that the request chooses, and `descending`: the
 * direction that it chooses, where it does.
 */
export function sortKeys(order: OrderPlan, at: number, descending: boolean): readonly OrderKey[] {
  if ('by' in order) {
    const { then = [], ...first } = order;
    return [first, ...then];
  }
  const named = order.keys[at];
  if (!named) throw new Error('An order has no key');
  const { then = [], name: _, ...first } = named;
  return [...[first, ...then].map((key) => ({ descending, ...key })), ...(order.then ?? [])];
}

/** The sort keys of each order that a request can choose, in the direction `asc`; of a fixed order, these alone. */
export const eachSortKeys = (order: OrderPlan): ReadonlyArray<readonly OrderKey[]> =>
  'by' in order ? [sortKeys(order, 0, false)] : order.keys.map((_, at) => sortKeys(order, at, false));

/** Whether a step issues a credential of a scheme, or the secret of a row. */
const isIssue = (step: InsideStep): step is Extract<InsideStep, { do: 'issue' | 'issue secret' }> =>
  step.do === 'issue' || step.do === 'issue secret';

/** Whether a step or any nested step issues a credential. */
export function issues(steps: readonly InsideStep[]): boolean {
  for (const step of allNested(steps)) if (isIssue(step)) return true;
  return false;
}

/**
 * The names of the credentials that the branches of an If issue: later steps know them, as null where the branch did not
 * run.
 */
export const issuedIn = ({ then, else: otherwise }: Extract<InsideStep, { do: 'if' }>): string[] => [
  ...new Set(
    [...then, ...otherwise].flatMap((step) => {
      if (step.do === 'if') return issuedIn(step);
      return isIssue(step) ? [step.as] : [];
    }),
  ),
];

/** Whether a step itself changes rows or credentials, or queues a call of a handler. */
export const isWriting = (step: InsideStep): boolean => effectOf(step) !== 'none';

/** Whether steps, or any nested in them, do so. */
export const writes = (steps: readonly InsideStep[]): boolean => [...allNested(steps)].some(isWriting);

/** The names of the endpoints that have a step of a kind. */
export function endpointsWith({ endpoints }: Plan, fits: (step: InsideStep) => boolean): ReadonlySet<string> {
  return new Set(endpoints.filter(({ inside }) => [...allNested(inside)].some(fits)).map(({ name }) => name));
}
