import type { Contract } from '../../contract/contract.ts';
import { lineKey } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { ownMember } from '../../text/own-member.ts';
import { isOfRows } from '../run/sought.ts';

export const GOAL_KINDS = ['endpoint', 'transition', 'event', 'code'] as const;

export type GoalKind = (typeof GOAL_KINDS)[number];

/** Something of a document that a request has to lead to: an endpoint that answers, a transition, an event, a code. */
export interface Goal {
  readonly kind: GoalKind;
  /** As the document calls it; of a transition with its resource, as in `Order.place`. */
  readonly name: string;
  /** The line that states it; null for an endpoint, which begins at its heading. */
  readonly line: number | null;
}

/** The key of a goal. */
export const goalKey = (kind: GoalKind, name: string): string => `${kind} ${name}`;

/**
 * All endpoints, transitions and events of a plan, and all codes with which steps, transitions and rules refuse a
 * request, in that order. The answer to a general condition is the same in all services.
 */
export function goalsOf({ endpoints, resources, lines }: Plan, { versions }: Contract): Goal[] {
  const at = (key: string): number | null => ownMember(lines, key) ?? null;
  const answers = versions[0]?.endpoints.flatMap((one) => one.answers.filter(isOfRows)) ?? [];
  const codes = new Set(answers.flatMap(({ code }) => code ?? []));
  const events = new Set(resources.flatMap((one) => one.events.map(({ name }) => name)));
  return [
    ...endpoints.map(({ name }): Goal => ({ kind: 'endpoint', name, line: null })),
    ...resources.flatMap(({ name: resource, states }) =>
      (states?.transitions ?? []).map(({ name }): Goal => {
        const line = at(lineKey.transition(resource, name));
        return { kind: 'transition', name: `${resource}.${name}`, line };
      }),
    ),
    ...[...events].map((name): Goal => ({ kind: 'event', name, line: at(lineKey.event(name)) })),
    ...[...codes].map((name): Goal => ({ kind: 'code', name, line: at(lineKey.code(name)) })),
  ];
}
