/** The fields of a cron expression, in their order (POSIX crontab), with the bounds of their values. */
const FIELDS = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12 },
  { name: 'day of the week', least: 0, most: 6 },
] as const;

/** The values of the fields of a cron expression, each in ascending order; null for a field that is `*`. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[] | null;
  readonly months: readonly number[] | null;
  /** 0 is Sunday. */
  readonly weekdays: readonly number[] | null;
}

/** The days of the week, from 0 on, as a document names them. */
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

type Weekday = (typeof WEEKDAYS)[number];

/** Reads a cron expression of five fields; returns the fault as a sentence where it is not one. */
export function readCron(text: string): Cron | { readonly fault: string } {
  const fields = text.split(' ');
  if (fields.length !== FIELDS.length || fields.includes(''))
    return {
      fault:
        'A cron expression has five fields with one space between them: minute, hour, day of the month, month, day of the week',
    };
  const read: Array<readonly number[] | null> = [];
  for (const [i, field] of fields.entries()) {
    const values = valuesOf(field, FIELDS[i]!);
    if (typeof values === 'string') return { fault: values };
    read.push(values);
  }
  const [minutes, hours, days, months, weekdays] = read as [...typeof read, undefined] as typeof read;
  const [, , day, , weekday] = fields as [string, string, string, string, string];
  if (days && weekdays && (day.startsWith('*') || weekday.startsWith('*')))
    return {
      fault: `Programs that run cron expressions disagree about “${day}” and “${weekday}” together. List the days instead of a step`,
    };
  return {
    minutes: minutes ?? all(FIELDS[0]),
    hours: hours ?? all(FIELDS[1]),
    days: days ?? null,
    months: months ?? null,
    weekdays: weekdays ?? null,
  };
}

type Field = (typeof FIELDS)[number];

const all = ({ least, most }: Field): number[] => Array.from({ length: most - least + 1 }, (_, i) => least + i);

/** The values of a field; null for `*`; a sentence about its fault. */
function valuesOf(field: string, about: Field): readonly number[] | null | string {
  if (field === '*') return null;
  const values = new Set<number>();
  for (const item of field.split(',')) {
    const match = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(item);
    const [, star, first, last, step] = match ?? [];
    if (!match || (step !== undefined && star === undefined && last === undefined))
      return `“${item}” is no value of the field “${about.name}”. Allowed are numbers, ranges such as 1-5, steps such as */15 or 9-17/2, and several of these joined by commas`;
    const from = star ? about.least : Number(first);
    const to = star ? about.most : Number(last ?? first);
    const by = Number(step ?? 1);
    const { least, most } = about;
    if (from < least || to > most || from > to || by < 1)
      return `“${item}” is not allowed as ${about.name}: its numbers are from ${least} to ${most}${about === FIELDS[4] ? ' (0 is Sunday)' : ''}, a range ascends, and a step is at least 1`;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

/** Whether a day is one of the expression: where both kinds of days are restricted, one of them is enough (POSIX). */
export function isDayOf({ days, months, weekdays }: Cron, month: number, day: number, weekday: number): boolean {
  if (months && !months.includes(month)) return false;
  if (days && weekdays) return days.includes(day) || weekdays.includes(weekday);
  return (days?.includes(day) ?? true) && (weekdays?.includes(weekday) ?? true);
}

/** The cron expression of a time each day, or on some days of the week. */
export function cronOf({ hour, minute }: TimeOfDay, weekdays: readonly Weekday[]): string {
  const numbers = weekdays.map((name) => WEEKDAYS.indexOf(name)).sort((a, b) => a - b);
  return `${minute} ${hour} * * ${numbers.length ? numbers.join(',') : '*'}`;
}

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** A cron expression in words where a document can state it in words; else the expression. */
export function showCron(cron: string): string {
  const [, minute = '', hour = '', weekdays = ''] = /^(\d+) (\d+) \* \* (\*|\d(?:,\d)*)$/.exec(cron) ?? [];
  if (weekdays === '') return `cron ${cron}`;
  const names =
    weekdays === '*'
      ? 'day'
      : weekdays
          .split(',')
          .map((one) => WEEKDAYS[Number(one)])
          .join(', ');
  return `every ${names} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}
