import type { Expr } from '../expression/tree/expression.ts';
import type { InsideStep, OrderPlan, Plan } from './step.ts';

/** Each step inside the transaction and every step nested in it, in the order in which they stand. */
export function* allNested(steps: readonly InsideStep[]): Generator<InsideStep> {
  for (const step of steps) {
    yield step;
    for (const list of nestedLists(step)) yield* allNested(list);
  }
}

/** The lists of steps of endpoints, and of what follows transitions, without those within steps. */
export const stepLists = ({ endpoints, resources }: Plan): ReadonlyArray<readonly InsideStep[]> => [
  ...endpoints.map(({ inside }) => inside),
  ...resources.flatMap(({ states }) => (states?.transitions ?? []).map(({ then }) => then)),
];

/** The lists of steps that a step holds. */
export function nestedLists(step: InsideStep): ReadonlyArray<readonly InsideStep[]> {
  if ('then' in step) return [step.then, step.else];
  return 'steps' in step ? [step.steps] : [];
}

/** Steps with each of them, and each nested in one, changed. */
export function mapInside(steps: readonly InsideStep[], change: (step: InsideStep) => InsideStep): InsideStep[] {
  return steps.map((step) => {
    const own = change(step);
    if ('then' in own) return { ...own, then: mapInside(own.then, change), else: mapInside(own.else, change) };
    return 'steps' in own ? { ...own, steps: mapInside(own.steps, change) } : own;
  });
}

/** What an order can put rows in order by. */
export function orderKeys(order: OrderPlan): readonly Expr[] {
  return 'by' in order ? [order.by] : order.keys.map((key) => key.by);
}

/** True if a step, or any nested in one, hands out a credential. */
export function issues(steps: readonly InsideStep[]): boolean {
  for (const step of allNested(steps)) if (step.do === 'issue') return true;
  return false;
}

/** Whether a kind of step changes rows, or else what outlasts the request: always, never, or as it stands in the plan. */
const WRITES: { readonly [D in InsideStep['do']]: boolean | ((step: Extract<InsideStep, { do: D }>) => boolean) } = {
  'find references': false,
  'refuse parameters': false,
  find: false,
  list: false,
  verify: false,
  require: false,
  match: false,
  preconditions: false,
  create: true,
  ensure: true,
  change: true,
  move: true,
  'move to': true,
  remove: true,
  'remove every': true,
  run: (step) => step.as === null,
  issue: (step) => step.kept,
  revoke: true,
  // What they hold is asked for itself.
  if: false,
  'for each': false,
};

/** Whether a step itself changes rows, or who may call, or queues something for a handler; what it holds is asked for itself. */
export function isWriting(step: InsideStep): boolean {
  const known = WRITES[step.do];
  return typeof known === 'function' ? (known as (one: InsideStep) => boolean)(step) : known;
}

/** The same of steps and any nested in them. */
export const writes = (steps: readonly InsideStep[]): boolean => [...allNested(steps)].some(isWriting);

/** The names of the endpoints that have a step of a kind. */
export function endpointsWith({ endpoints }: Plan, fits: (step: InsideStep) => boolean): ReadonlySet<string> {
  return new Set(endpoints.filter(({ inside }) => [...allNested(inside)].some(fits)).map(({ name }) => name));
}
