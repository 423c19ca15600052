import type { Plan } from '../../plan/step.ts';

/** A day at which a service begins, unless a version isn’t in force then. */
const START = Date.UTC(2026, 0, 5, 9);
const DAY_MS = 86_400_000;

/** A time at which every version that is described is in force: past its deprecation, and before its sunset. */
export function firstInstant({ versions }: Plan): number {
  const all = versions?.older ?? [];
  const deprecated = all.flatMap((one) => (one.deprecated === null || one.retired ? [] : [one.deprecated + DAY_MS]));
  const sunsets = all.flatMap((one) => (one.sunset === null || one.retired ? [] : [one.sunset - DAY_MS]));
  return Math.min(Math.max(START, ...deprecated), ...sunsets);
}
