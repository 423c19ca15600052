import type { Contract, ScheduleContract } from '../contract/contract.ts';
import { whenText } from '../plan/schedule-facts.ts';
import { showDuration } from '../text/units.ts';
import { type Compare, follows, listed, members, value } from './compare.ts';
import { BREAKS, KEEPS } from './difference.ts';
import { steps } from './steps.ts';

const schedule: Compare<ScheduleContract> = (old, next, here) =>
  members<ScheduleContract>({
    name: follows('schedules are compared by their names'),
    cron: (_was, _is, at) => value('“When”', BREAKS.otherwise)(whenText(old), whenText(next), at),
    zone: follows('the times are compared with their zone'),
    skippedTimes: value('“Skipped times”', BREAKS.otherwise),
    repeatedTimes: value('“Repeated times”', BREAKS.otherwise),
    missed: (_was, _is, at) => value('“Missed”', BREAKS.otherwise)(missed(old), missed(next), at),
    missedAfterMilliseconds: follows('missed runs are compared with it'),
    overlap: value('“Overlap”', BREAKS.otherwise),
    withinMilliseconds: value('“Within”', KEEPS.unmet, showDuration),
    steps: steps('in its run, '),
  })(old, next, here);

function missed({ missed: kind, missedAfterMilliseconds: after }: ScheduleContract): string {
  return after === null ? kind : `${kind} after ${showDuration(after)}`;
}

const list = listed<ScheduleContract>({
  what: 'the schedule',
  all: 'the schedules',
  name: (one) => one.name,
  compare: schedule,
  // Rows change without a request, or no longer do.
  added: BREAKS.otherwise,
  removed: BREAKS.otherwise,
  here: (here, one) => ({ ...here, of: `schedule ${one.name}` }),
});

/** Compares the schedules of two documents. */
export const schedules: Compare<Contract['schedules']> = (old = [], next = [], here) => list(old, next, here);
