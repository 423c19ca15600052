import { show } from '../../expression/tree/expression.ts';
import type { TimedShape } from '../shape.ts';
import { type ChangeKind, no, PLAIN } from './change-kind.ts';

export const addTimer: ChangeKind<'add timer'> = {
  ...PLAIN,
  text: ({ resource, timed }) => `${resource}: ${timed.name} happens by itself, ${timingText(timed)}`,
  // A node with the old document would write rows without the instant.
  besides: no,
  widens: true,
};

export const dropTimer: ChangeKind<'drop timer'> = {
  ...PLAIN,
  text: ({ resource, timed }) => `${resource}: ${timed.name} no longer happens by itself`,
  besides: no,
  widens: true,
};

export const changeTimer: ChangeKind<'change timer'> = {
  ...PLAIN,
  text: ({ resource, timed, before }) =>
    `${resource}: ${timed.name} happens ${timingText(timed)}, and did ${timingText(before)}`,
  besides: no,
  widens: true,
};

const timingText = ({ timing, condition, from }: TimedShape): string => {
  const since = timing.instant ? `\`${show(timing.instant)}\`` : timing.move;
  const states = from.length ? ` from ${from.join(', ')}` : '';
  const when = timing.after === 0 ? `at ${since}` : `${timing.after / 1000} seconds after ${since}`;
  return `${when}${states}${condition ? ` while \`${show(condition)}\`` : ''}`;
};
