import type { MachinePlan, TransitionPlan } from './rows.ts';

type Machines = readonly MachinePlan[];

/** The transitions of all fields with states of a resource, in the order of the document. */
export const transitionsIn = (machines: Machines): readonly TransitionPlan[] =>
  machines.flatMap(({ transitions }) => transitions);

/** The transition with a name, and the field that it changes: no two transitions of a resource have the same name. */
export function transitionIn(machines: Machines, name: string): TransitionPlan & { readonly field: string } {
  for (const { field, transitions } of machines) {
    const found = transitions.find((one) => one.name === name);
    if (found) return { ...found, field };
  }
  throw new Error(`The plan has no transition ${name}`);
}

/** Machines with other transitions in place of some: `otherOf` returns the transition itself to keep it. */
export const mapTransitions = (machines: Machines, otherOf: (transition: TransitionPlan) => TransitionPlan): Machines =>
  machines.map((one) => ({ ...one, transitions: one.transitions.map(otherOf) }));
