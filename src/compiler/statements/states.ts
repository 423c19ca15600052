import type { When } from '../../language/states.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Step } from './endpoints.ts';

/** Whether the service makes the transition by itself. */
export const isTimed = (when: When | undefined): boolean => when?.kind === 'after' || when?.kind === 'after move';

/** Steps that follow each of some transitions, in the same transaction: `#### After cancel, expire`. */
export interface Reaction {
  readonly transitions: readonly Name[];
  readonly steps: readonly Step[];
  readonly span: Span;
}

/** The names of the transitions of a reaction, as its heading has them. */
export const namesOf = ({ transitions }: Pick<Reaction, 'transitions'>): string =>
  transitions.map(({ text }) => text).join(', ');

export interface Transition {
  readonly name: Name;
  readonly from: readonly Name[];
  readonly to: Name | null;
  readonly when: Located<When> | null;
  /** The code of the refusal; `none` for a transition that no request makes. */
  readonly otherwise: Located<Name | 'none'> | null;
  readonly span: Span;
}

/** The states of one field of one resource. */
export interface Machine {
  readonly resource: Name;
  readonly field: Name;
  readonly initial: Name | null;
  readonly final: Located<readonly Name[]> | null;
  readonly transitions: readonly Transition[];
  readonly reactions: readonly Reaction[];
  readonly span: Span;
}

/** The transitions to a state that a step can make. */
export function leadingTo(machine: Machine, state: string): Transition[] {
  return machine.transitions.filter(
    ({ to, when }) => to?.text === state && ['always', 'guard'].includes(when?.value.kind ?? ''),
  );
}

export interface States {
  /** True where the document states that there are no states. */
  readonly none: boolean;
  readonly machines: readonly Machine[];
}
