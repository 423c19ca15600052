import type { MakerContract } from '../contract/contract.ts';
import { type Compare, words } from './compare.ts';
import { BREAKS, KEEPS } from './difference.ts';

const handler = words('it is made by the handler', { added: BREAKS.otherwise, removed: BREAKS.otherwise });
const operator = words('it is made by', { added: KEEPS.unmet, removed: KEEPS.unmet });

/**
 * Compares the makers of a transition or an event. The comparison of steps reports those by endpoints, transitions and
 * schedules.
 */
export const otherMakers: Compare<readonly MakerContract[] | undefined> = (old = [], next = [], here) => {
  const named = (all: readonly MakerContract[], of: MakerContract['kind'], word = ''): string[] =>
    all.flatMap(({ kind, name }) => (kind === of ? [`${word}${name}`] : []));
  return [
    ...handler(named(old, 'handler'), named(next, 'handler'), here),
    ...operator(named(old, 'operator', 'the '), named(next, 'operator', 'the '), here),
  ];
};
