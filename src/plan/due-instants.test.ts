import assert from 'node:assert/strict';
import { test } from 'node:test';
import { share } from '../../test/share.ts';
import { civil } from '../expression/library/zones.ts';
import { cronOf, isDayOf, readCron, showCron } from './cron.ts';
import { DueInstants, type ScheduleTimes } from './due-instants.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const known = new Map<string, number>();

/** The date and time that clocks show, as milliseconds of a clock in UTC. */
function localAt(instant: number, zone: string): number {
  const key = `${zone} ${instant}`;
  const local = known.get(key) ?? instant + civil(instant, zone)!.offset;
  known.set(key, local);
  return local;
}

/** Due instants by the words of the reference: every minute is looked at, one after the other. */
function minuteByMinute({ cron, zone, skipped, repeated }: ScheduleTimes, from: number, to: number): number[] {
  const read = readCron(cron);
  assert.ok(!('fault' in read), cron);
  const shows = (local: number): boolean => {
    const at = new Date(local);
    const isDay = isDayOf(read, at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCDay());
    return isDay && read.hours.includes(at.getUTCHours()) && read.minutes.includes(at.getUTCMinutes());
  };
  const out: number[] = [];
  // The times of the last day and a half, to recognize one that is shown again.
  const shown = new Map<number, number>();
  let before = localAt(from - 2 * DAY, zone);
  for (let instant = from - 2 * DAY + MINUTE; instant <= to; instant += MINUTE) {
    const local = localAt(instant, zone);
    const isAgain = (shown.get(local) ?? Number.NEGATIVE_INFINITY) > instant - 1.5 * DAY;
    let isDue = shows(local) && (!isAgain || repeated === 'run twice');
    for (let passed = before + MINUTE; passed < local; passed += MINUTE)
      if (shows(passed) && skipped === 'run at the change') isDue = true;
    if (isDue && instant > from) out.push(instant);
    if (!isAgain) shown.set(local, instant);
    before = local;
  }
  return out;
}

function walked(times: ScheduleTimes, from: number, to: number): number[] {
  const instants = new DueInstants(times);
  const out: number[] = [];
  for (let at = instants.after(from); at !== null && at <= to; at = instants.after(at)) out.push(at);
  return out;
}

/** A change of clocks of each kind: at night, at midnight, of half an hour, and a day that there never was. */
const CHANGES: ReadonlyArray<readonly [zone: string, day: string]> = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['America/St_Johns', '2010-03-14'],
  ['America/St_Johns', '2010-11-07'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Asia/Beirut', '2026-03-29'],
  ['Asia/Beirut', '2026-10-25'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['Pacific/Apia', '2011-12-30'],
];

const CRONS = [
  '30 2 * * *',
  '*/15 * * * *',
  '0 0 * * *',
  '30 23 * * *',
  '0 3 * * 0',
  '7 0-3 * * 1-5',
  '59 1 1 * 0',
  '15 1,2 25-29 3,10 *',
];

for (const [zone, day] of share(CHANGES, 4).cases)
  test(`the clocks of ${zone} change about ${day}: each time is due as the reference says`, () => {
    const at = Date.parse(day);
    const [from, to] = [at - DAY, at + 2 * DAY];
    for (const cron of CRONS)
      for (const skipped of ['run at the change', 'not run'] as const)
        for (const repeated of ['run once', 'run twice'] as const) {
          const times = { cron, zone, skipped, repeated };
          const found = walked(times, from, to);
          assert.deepEqual(found, minuteByMinute(times, from, to), JSON.stringify(times));
          const instants = new DueInstants(times);
          for (const [i, one] of found.entries()) {
            assert.equal(instants.latest(one), one, `${JSON.stringify(times)} ${new Date(one).toISOString()}`);
            if (i > 0) assert.equal(instants.latest(one - 1), found[i - 1]);
          }
        }
  });

test('02:30 in Berlin, on the nights on which its clocks change', () => {
  const due = (skipped: ScheduleTimes['skipped'], repeated: ScheduleTimes['repeated'], day: string): string[] => {
    const at = Date.parse(day);
    const times = { cron: '30 2 * * *', zone: 'Europe/Berlin', skipped, repeated };
    return walked(times, at, at + DAY).map((one) => new Date(one).toISOString().slice(11, 16));
  };
  assert.deepEqual(due('run at the change', 'run once', '2026-03-29'), ['01:00']);
  assert.deepEqual(due('not run', 'run once', '2026-03-29'), []);
  assert.deepEqual(due('not run', 'run once', '2026-10-25'), ['00:30']);
  assert.deepEqual(due('not run', 'run twice', '2026-10-25'), ['00:30', '01:30']);
});

test('where both kinds of days are restricted, one of them is enough', () => {
  const times = { cron: '0 12 13 * 5', zone: 'UTC', skipped: null, repeated: null };
  const days = walked(times, Date.parse('2026-11-01'), Date.parse('2026-11-30')).map((one) =>
    new Date(one).getUTCDate(),
  );
  assert.deepEqual(days, [6, 13, 20, 27]);
  const thirteenth = walked(times, Date.parse('2026-12-01'), Date.parse('2026-12-31')).map((one) =>
    new Date(one).getUTCDate(),
  );
  assert.deepEqual(thirteenth, [4, 11, 13, 18, 25]);
});

test('a leap day is found over a century without one', () => {
  const instants = new DueInstants({ cron: '0 0 29 2 *', zone: 'UTC', skipped: null, repeated: null });
  assert.equal(instants.after(Date.parse('2096-03-01')), Date.parse('2104-02-29'));
  assert.equal(instants.latest(Date.parse('2104-02-28')), Date.parse('2096-02-29'));
});

test('a day that no month has is never due', () => {
  const instants = new DueInstants({ cron: '0 0 31 4,6 *', zone: 'UTC', skipped: null, repeated: null });
  assert.equal(instants.after(0), null);
  assert.equal(instants.latest(0), null);
});

test('what is no cron expression is refused, and what is one is read', () => {
  const faulty = [
    '',
    '* * * *',
    '* * * * * *',
    '*  * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 7',
    '5-1 * * * *',
    '*/0 * * * *',
    '5/10 * * * *',
    '1,,2 * * * *',
    '1, 2 * * *',
    'MON * * * *',
    '* * * JAN *',
    '@daily',
    '-1 * * * *',
    '1e1 * * * *',
    '* * */2 * 1',
    '* * 1 * */2',
    '٣ * * * *',
  ];
  for (const text of faulty) assert.ok('fault' in readCron(text), text);
  assert.deepEqual(readCron('*/20 9-17/4,23 1 1,6 0'), {
    minutes: [0, 20, 40],
    hours: [9, 13, 17, 23],
    days: [1],
    months: [1, 6],
    weekdays: [0],
  });
});

test('words and cron expressions for the same times are the same', () => {
  assert.equal(cronOf({ hour: 2, minute: 5 }, []), '5 2 * * *');
  assert.equal(cronOf({ hour: 18, minute: 30 }, ['Friday', 'Monday']), '30 18 * * 1,5');
  assert.equal(showCron('5 2 * * *'), 'every day at 02:05');
  assert.equal(showCron('30 18 * * 1,5'), 'every Monday, Friday at 18:30');
  assert.equal(showCron('*/5 * * * *'), 'cron */5 * * * *');
});
