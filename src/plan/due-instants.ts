import { offsetAt } from '../expression/library/zones.ts';
import { type Cron, isDayOf, readCron } from './cron.ts';

/** The times of a schedule, and the treatment of times that the clocks of its zone skip or repeat. */
export interface ScheduleTimes {
  readonly cron: string;
  readonly zone: string;
  /** Null in a zone whose clocks never change. */
  readonly skipped: 'run at the change' | 'not run' | null;
  readonly repeated: 'run once' | 'run twice' | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Around a century without a leap day, 8 years lie between two of them. */
const MOST_DAYS = 9 * 366;
/** The number of days whose due instants are kept: neighbours are often needed again. */
const DAYS_KEPT = 8;

/** Whether clocks of a zone may change: those of UTC and of an offset do not. */
export const mayChangeClocks = (zone: string): boolean => !/^(?:UTC|[+-]?\d\d:\d\d)$/.test(zone);

/** The instants at which a schedule is due. */
export class DueInstants {
  private readonly times: ScheduleTimes;
  private readonly cron: Cron;
  private readonly days = new Map<number, readonly number[]>();

  /** Throws where the times hold no cron expression. */
  constructor(times: ScheduleTimes) {
    const cron = readCron(times.cron);
    if ('fault' in cron) throw new Error(cron.fault);
    this.times = times;
    this.cron = cron;
  }

  /** The first due instant after an instant; null where there is none. */
  after(instant: number): number | null {
    const first = this.dayAt(instant) - 1;
    for (let day = first; day < first + MOST_DAYS; day++) {
      const later = (each: number): number[] => this.onDay(each).filter((at) => at > instant);
      const own = later(day);
      // Clocks that are set back over midnight show times of a day after times of the next one.
      if (own.length > 0) return Math.min(...own, ...later(day + 1));
    }
    return null;
  }

  /** The last due instant up to an instant; null where there is none. */
  latest(until: number): number | null {
    const last = this.dayAt(until) + 1;
    for (let day = last; day > last - MOST_DAYS; day--) {
      const earlier = (each: number): number[] => this.onDay(each).filter((at) => at <= until);
      const own = earlier(day);
      if (own.length > 0) return Math.max(...own, ...earlier(day - 1));
    }
    return null;
  }

  /** The number of the day that clocks show at an instant, from 1970-01-01 on. */
  private dayAt(instant: number): number {
    return Math.floor((instant + this.offset(instant)) / DAY);
  }

  /** The due instants of a day of the calendar. */
  private onDay(day: number): readonly number[] {
    const known = this.days.get(day);
    if (known) return known;
    if (this.days.size >= DAYS_KEPT) this.days.clear();
    const found = this.ofDay(day);
    this.days.set(day, found);
    return found;
  }

  private ofDay(day: number): readonly number[] {
    const start = day * DAY;
    const date = new Date(start);
    if (!isDayOf(this.cron, date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay())) return [];
    // An offset is less than a day, and clocks change at most once within these days.
    const [from, to] = [start - DAY, start + 2 * DAY];
    const [before, after] = [this.offset(from), this.offset(to)];
    const change = before === after ? null : this.changeBetween(from, to);
    return this.cron.hours.flatMap((hour) =>
      this.cron.minutes.flatMap((minute) => {
        const local = start + hour * HOUR + minute * MINUTE;
        return change === null ? [local - before] : this.aroundChange(local - before, local - after, change);
      }),
    );
  }

  /** The due instants of a time: the instants that it is by the clocks before and after a change. */
  private aroundChange(byOld: number, byNew: number, change: number): readonly number[] {
    const [isOld, isNew] = [byOld < change, byNew >= change];
    if (!isOld && !isNew) return this.times.skipped === 'run at the change' ? [change] : [];
    if (isOld && isNew && this.times.repeated === 'run twice') return [byOld, byNew];
    return [isOld ? byOld : byNew];
  }

  /** The first instant after a change of clocks between two instants. */
  private changeBetween(from: number, to: number): number {
    const before = this.offset(from);
    let [less, more] = [from, to];
    while (more - less > 1) {
      const middle = Math.floor((less + more) / 2);
      if (this.offset(middle) === before) less = middle;
      else more = middle;
    }
    return more;
  }

  private offset(instant: number): number {
    return offsetAt(instant, this.times.zone) ?? 0;
  }
}
