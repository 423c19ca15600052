import { showDuration } from '../text/units.ts';
import { showCron } from './cron.ts';
import type { ScheduleTimes } from './due-instants.ts';

/** The times and the runs of a schedule, as the document states them. */
export interface ScheduleFacts extends ScheduleTimes {
  /** The due instants that are made up for after a stop. */
  readonly missed: 'each' | 'run once' | 'skipped';
  /** How long after its due instant a run may begin, in milliseconds; null where missed instants are not skipped. */
  readonly missedAfter: number | null;
  /** Whether an instant that falls due while a run is under way runs after it, or not at all. */
  readonly overlap: 'waits' | 'skipped';
  /** The longest time of one run, in milliseconds. */
  readonly within: number;
}

/** The times of a schedule, in words. */
export const whenText = ({ cron, zone }: Pick<ScheduleFacts, 'cron' | 'zone'>): string =>
  `${showCron(cron)} in ${zone}`;

/** The facts of a schedule besides its times, in words, each after its name. */
export function scheduleRows(facts: Omit<ScheduleFacts, 'cron' | 'zone'>): Array<[name: string, text: string]> {
  const { skipped, repeated, missed, missedAfter, overlap, within } = facts;
  return [
    ...(skipped ? [['skipped times', skipped] as [string, string]] : []),
    ...(repeated ? [['repeated times', repeated] as [string, string]] : []),
    ['missed', missedAfter === null ? missed : `${missed} after ${showDuration(missedAfter)}`],
    ['overlap', overlap],
    ['within', showDuration(within)],
  ];
}
