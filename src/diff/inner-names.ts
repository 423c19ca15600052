import { type Lines, movedLines, statementId } from '../plan/lines.ts';
import { mapTransitions } from '../plan/machines.ts';
import { mapData } from '../plan/map-data.ts';
import { rolesOfKind } from '../plan/slots.ts';
import type { Plan, ResourcePlan, TransitionPlan } from '../plan/step.ts';
import { type Difference, difference, type Here, KEEPS, statedAt } from './difference.ts';
import { onlyPairs } from './renamed.ts';

/** A transition or scheme that has another name in the new document, and is otherwise the same. */
interface InnerName {
  readonly kind: 'scheme' | 'transition';
  /** The new name of the transition's resource; null for a scheme. */
  readonly resource: string | null;
  readonly from: string;
  readonly to: string;
}

/**
 * Finds renamed transitions and schemes, whose names appear in no request or answer. A transition is identified by its
 * source and target states, a scheme by the header and word of its credentials; both only if each document has a single
 * match.
 */
export function innerNames(old: Plan, next: Plan): InnerName[] {
  const schemes = namesOf(old.schemes, next.schemes, ({ kind, header, scheme, mark, resource }) =>
    [kind, header, scheme, mark, resource].join('\n'),
  );
  const transitions = old.resources.flatMap(({ name, machines }) => {
    const others = next.resources.find((one) => one.name === name)?.machines ?? [];
    // The only field with states may have another name.
    const only = machines.length === 1 && others.length === 1 ? others[0] : undefined;
    return machines.flatMap(({ field, transitions }) => {
      const other = others.find((one) => one.field === field) ?? only;
      const pairs = namesOf(transitions, other?.transitions ?? [], statesOf);
      return pairs.map((pair): InnerName => ({ kind: 'transition', resource: name, ...pair }));
    });
  });
  return [...schemes.map((pair): InnerName => ({ kind: 'scheme', resource: null, ...pair })), ...transitions];
}

const statesOf = ({ from, to, timed }: TransitionPlan): string => JSON.stringify([from.toSorted(), to, timed === null]);

/** The old and new names of removed and added items that are alike. */
function namesOf<T extends { readonly name: string }>(
  old: readonly T[],
  next: readonly T[],
  alike: (one: T) => string,
): Array<{ readonly from: string; readonly to: string }> {
  const without = (list: readonly T[], others: readonly T[]): T[] =>
    list.filter(({ name }) => !others.some((one) => one.name === name));
  const pairs = onlyPairs(without(old, next), without(next, old), alike);
  return pairs.map(([was, is]) => ({ from: was.name, to: is.name }));
}

/** The difference for a renamed transition or scheme, which no caller can notice. */
export const innerNameTold = ({ kind, resource, from, to }: InnerName, service: Here): Difference => {
  const text = `the ${kind} is called ${to}, and was called ${from}`;
  if (resource === null) {
    const here = statedAt(service, statementId.scheme(to, 'name'));
    return difference({ ...here, of: to }, text, KEEPS.unmet);
  }
  const here = statedAt(service, statementId.transition(resource, to));
  return difference({ ...here, of: `${resource}.${to}` }, text, KEEPS.unmet);
};

/** The plan with the new names of transitions and schemes. */
export function withInnerNames(plan: Plan, names: readonly InnerName[]): Plan {
  if (names.length === 0) return plan;
  const called = (kind: InnerName['kind'], resource: string | null, name: string): string =>
    names.find((one) => one.kind === kind && one.resource === resource && one.from === name)?.to ?? name;
  const transition = (resource: unknown, name: unknown): string => called('transition', String(resource), String(name));
  const stepped = mapData(plan, (was, copy) => {
    for (const [member, role] of rolesOfKind(String(was.do))) {
      const value = was[member];
      if (role === 'scheme') copy[member] = called('scheme', null, String(value));
      if (role === 'transitions')
        copy[member] = Array.isArray(value)
          ? value.map((one) => transition(was.resource, one))
          : transition(was.resource, value);
    }
    if (was.do === 'authenticate' && Array.isArray(was.schemes))
      copy.schemes = was.schemes.map((one) => called('scheme', null, String(one)));
  });
  return {
    ...stepped,
    schemes: stepped.schemes.map((one) => ({ ...one, name: called('scheme', null, one.name) })),
    resources: stepped.resources.map((one) => renamedStates(one, (name) => transition(one.name, name))),
    lines: { ...stepped.lines, ...renamedLines(plan.lines, names) },
  };
}

const renamedStates = (resource: ResourcePlan, called: (name: string) => string): ResourcePlan => ({
  ...resource,
  givings: resource.givings.map((one) => ({ ...one, moment: called(one.moment) })),
  events: resource.events.map((one) => ({ ...one, by: one.by.map(called) })),
  machines: mapTransitions(resource.machines, (one) => ({
    ...one,
    name: called(one.name),
    timed: one.timed && one.timed.move !== null ? { ...one.timed, move: called(one.timed.move) } : one.timed,
  })),
});

/** The lines of renamed transitions and schemes, by their new names. */
const renamedLines = (lines: Lines, names: readonly InnerName[]): Lines =>
  movedLines(lines, (id) => {
    const isOf = ({ resource, from }: InnerName): boolean =>
      id.kind === 'transition'
        ? id.resource === resource && id.transition === from
        : id.kind === 'scheme' && resource === null && id.scheme === from;
    const name = names.find(isOf);
    if (!name) return null;
    return id.kind === 'scheme'
      ? statementId.scheme(name.to, id.fact)
      : statementId.transition(name.resource ?? '', name.to);
  });
