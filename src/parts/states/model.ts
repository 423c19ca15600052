import type { Token } from '../../source/phrase.ts';
import type { Name, Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';

/** When a transition may happen, or happens by itself. */
export type When =
  | { readonly kind: 'always' }
  | { readonly kind: 'guard'; readonly test: Token }
  | { readonly kind: 'after'; readonly milliseconds: number; readonly instant: Token };

export interface Transition {
  readonly name: Name;
  readonly from: readonly Name[];
  readonly to: Name | null;
  readonly when: Said<When> | null;
  /** The code of the refusal; `none` for what nobody asks for. */
  readonly otherwise: Said<Name | 'none'> | null;
  readonly span: Span;
}

/** The states of one field of one resource. */
export interface Machine {
  readonly resource: Name;
  readonly field: Name;
  readonly initial: Name | null;
  readonly final: Said<readonly Name[]> | null;
  readonly transitions: readonly Transition[];
  readonly span: Span;
}

/** The transitions that a step can make to come to a state. */
export function leadingTo(machine: Machine, state: string): Transition[] {
  return machine.transitions.filter(
    ({ to, when }) => to?.text === state && ['always', 'guard'].includes(when?.value.kind ?? ''),
  );
}

export interface States {
  /** True where the document says that nothing has states. */
  readonly none: boolean;
  readonly machines: readonly Machine[];
}
