import { civil } from '../../expression/library/zones.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';

const DAY_MS = 86_400_000;

/** The cases of a time by the calendar in which other ways to count would give another instant, with their words. */
export const CALENDAR_CASES = {
  'due at the end of a shorter month': 'it is made at the end of a month that is too short for the day',
  'due after other days': 'it is made where a month has not 30 days, and a year not 365',
  'due over a change of clocks': 'it is made where the clocks of its zone change in between',
} as const;

type CalendarCase = keyof typeof CALENDAR_CASES;

type Call = Extract<Expr, { op: 'call' }>;

/** The call that counts months or years from an instant; null for any other instant. */
export const calendarOf = (instant: Expr | null): Call | null =>
  instant?.op === 'call' && (instant.fn === 'addMonths' || instant.fn === 'addYears') ? instant : null;

/** Whether the clocks of a zone that the document names change in a year. */
export function changesClocks({ args }: Call): boolean {
  const zone = args[2]?.op === 'const' ? String(args[2].value) : 'UTC';
  return civil(Date.UTC(2026, 0, 15), zone)?.offset !== civil(Date.UTC(2026, 6, 15), zone)?.offset;
}

/** The cases that an instant is of: `from`, `count` and `zone` are the arguments of the call that gives it. */
export function casesOf(
  { fn }: Call,
  [from = null, count = null, zone = null]: readonly Value[],
  at: number,
): CalendarCase[] {
  if (typeof from !== 'number' || typeof count !== 'number' || typeof zone !== 'string') return [];
  const [begun, ended] = [civil(from, zone), civil(at, zone)];
  if (!begun || !ended) return [];
  const days = count * (fn === 'addMonths' ? 30 : 365);
  const cases: ReadonlyArray<readonly [CalendarCase, boolean]> = [
    ['due at the end of a shorter month', begun.day !== ended.day],
    ['due after other days', Math.round((at - from) / DAY_MS) !== days],
    ['due over a change of clocks', begun.offset !== ended.offset],
  ];
  return cases.flatMap(([one, is]) => (is ? [one] : []));
}
