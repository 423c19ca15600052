import type { Db } from './database.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A time of every day in a time zone. */
export interface Daily {
  readonly hour: number;
  readonly minute: number;
  readonly zone: string;
}

/** The difference between the time of a zone and UTC at an instant, in milliseconds. */
function offsetAt(zone: string, instant: number): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0] = /GMT(?:([+-])(\d+):(\d+))?/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

/**
 * The instant of a daily time on a day of the calendar, given as the midnight of that day in UTC. A time that the clocks
 * skip is the moment of the change, and of one that they repeat it is the first.
 */
function instantOn(day: number, { hour, minute, zone }: Daily): number {
  const local = day + (hour * 60 + minute) * MINUTE;
  const [before, after] = [offsetAt(zone, local - DAY), offsetAt(zone, local + DAY)];
  const candidates = [local - before, local - after].filter((instant) => instant + offsetAt(zone, instant) === local);
  if (candidates.length > 0) return Math.min(...candidates);
  let change = local - Math.max(before, after);
  while (offsetAt(zone, change) === before) change += MINUTE;
  return change;
}

/** The last instant of a daily time up to now. */
export function lastInstant(daily: Daily, now: number): number {
  const day = Math.floor((now + offsetAt(daily.zone, now)) / DAY) * DAY;
  const today = instantOn(day, daily);
  return today <= now ? today : instantOn(day - DAY, daily);
}

/** Work of every day: what was missed while nothing ran is made up for once. */
export class Schedule {
  private readonly db: Db;
  private readonly name: string;
  private readonly daily: Daily;
  private readonly work: (scheduled: number) => void;

  constructor(db: Db, name: string, daily: Daily, work: (scheduled: number) => void) {
    this.db = db;
    this.name = name;
    this.daily = daily;
    this.work = work;
    // A service that is new has missed nothing.
    db.prepare('INSERT OR IGNORE INTO schedule VALUES (?, ?)').run(name, Date.now());
  }

  /** Runs the work where it is due. */
  run(): void {
    const scheduled = lastInstant(this.daily, Date.now());
    this.db
      .transaction(() => {
        const last = this.db.prepare('SELECT last_run FROM schedule WHERE name = ?').pluck().get(this.name) as number;
        if (last >= scheduled) return;
        this.db.prepare('UPDATE schedule SET last_run = ? WHERE name = ?').run(scheduled, this.name);
        this.work(scheduled);
      })
      .immediate();
  }
}
