/// <reference lib="esnext.temporal" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/seeded.ts';
import { dayFrom, daysAfter, daysBetween, monthsAfter } from '../values/days.ts';
import { formatted, isFormat } from './format.ts';
import { instantFrom, showInstant, TIMES } from './times.ts';
import { civil, firstInstantFrom, instantOf } from './zones.ts';

/** Zones whose clocks have changed by half an hour, at midnight, by a day, at odd seconds, or never. */
const zones = fc.constantFrom(
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  'America/Sao_Paulo',
  'UTC',
);
const instants = fc.integer({ min: -62_000_000_000_000, max: 253_000_000_000_000 });
const lately = fc.integer({ min: 0, max: 2_000_000_000_000 });
const runs = { numRuns: 3000 };

test('the parts of an instant are those that Temporal gives', () => {
  fc.assert(
    fc.property(zones, fc.oneof(instants, lately), (zone, instant) => {
      const at = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
      const { offset, weekday, yearday, ...parts } = civil(instant, zone)!;
      assert.deepEqual(parts, {
        year: at.year,
        month: at.month,
        day: at.day,
        hour: at.hour,
        minute: at.minute,
        second: at.second,
        millisecond: at.millisecond,
      });
      assert.deepEqual([weekday, yearday], [at.dayOfWeek % 7, at.dayOfYear]);
      assert.equal(offset, at.offsetNanoseconds / 1e6);
    }),
    runs,
  );
});

test('a time that a clock shows is the instant that Temporal takes it for, also where clocks skip it or show it twice', () => {
  fc.assert(
    fc.property(zones, lately, (zone, local) => {
      const shown = Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, -1));
      assert.equal(instantOf(local, zone), shown.toZonedDateTime(zone).epochMilliseconds);
    }),
    runs,
  );
  const gap = Date.UTC(2026, 2, 29, 2, 30);
  assert.equal(showInstant(instantOf(gap, 'Europe/Berlin')!), '2026-03-29T01:30:00Z');
  const twice = Date.UTC(2026, 9, 25, 2, 30);
  assert.equal(showInstant(instantOf(twice, 'Europe/Berlin')!), '2026-10-25T00:30:00Z');
});

test('a day begins as Temporal says, also where clocks leave its midnight out', () => {
  const days = ['1919-03-30', '1919-03-31', '1919-04-01', '2011-12-30', '2018-11-04', '2026-03-29'];
  const zones = ['America/Toronto', 'America/Montreal', 'Canada/Eastern', 'America/Nipigon', 'America/Thunder_Bay'];
  for (const zone of [...zones, 'Pacific/Apia', 'America/Sao_Paulo', 'Europe/Berlin'])
    for (const day of days) {
      const begins = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone }).epochMilliseconds;
      assert.equal(firstInstantFrom(Date.parse(day), zone), begins, `${zone} ${day}`);
    }
  assert.equal(showInstant(firstInstantFrom(Date.parse('1919-03-31'), 'America/Toronto')!), '1919-03-31T04:30:00Z');
});

test('an instant that is shown is read as the same', () => {
  fc.assert(fc.property(instants, (instant) => assert.equal(instantFrom(showInstant(instant)), instant)));
});

test('what is no instant is none', () => {
  for (const text of [
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00.0001Z',
    '2026-01-01T00:00:00+24:00',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '',
  ])
    assert.equal(instantFrom(text), null, text);
  assert.equal(instantFrom('2026-01-01T00:00:00.1000Z'), instantFrom('2026-01-01T01:00:00.1+01:00'));
});

test('days are counted through the calendar, and end with the years of four digits', () => {
  assert.equal(daysAfter('2028-02-28', 1), '2028-02-29');
  assert.equal(daysAfter('2026-01-01', -1), '2025-12-31');
  assert.equal(daysBetween('2026-03-30', '2026-03-28'), 2);
  assert.equal(daysAfter('9999-12-31', 1), null);
  assert.equal(daysAfter('0001-01-01', -1), null);
  for (const text of ['2026-02-29', '0000-01-01', '2026-1-1', '2026-01-32', ''])
    assert.equal(dayFrom(text), null, text);
});

test('a format is of known letters, and text in quotes', () => {
  const at = civil(Date.UTC(2026, 8, 5, 0, 7, 9, 4), 'UTC')!;
  const written = (format: string): string => formatted(at, format);
  assert.equal(
    written('y yy yyyy M MM MMM MMMM d dd D DDD EEE EEEE'),
    '2026 26 2026 9 09 Sep September 5 05 248 248 Sat Saturday',
  );
  assert.equal(written('H HH h hh a m mm s ss SSS XXX xxx'), '0 00 12 12 AM 7 07 9 09 004 Z +00:00');
  assert.equal(written("d 'o''clock' '' ''d''"), "5 o'clock ' '5'");
  for (const format of ['YYYY', 'MMMMM', 'dd n', "'open d", "d '", '', '-', "'only text'"])
    assert.equal(isFormat(format, true), false, format);
  assert.ok(isFormat('HH:mm', true) && !isFormat('HH:mm', false));
});

/** One of the functions that move an instant, in a zone. */
const moving =
  (fn: 'addMonths' | 'addYears' | 'addDays') =>
  (instant: number, by: number, zone: string): number | null =>
    TIMES[fn]?.find(({ id }) => id.startsWith('timestamp_'))?.does(...([instant, by, zone] as never[])) as
      | number
      | null;

test('a day some months later is the one that Temporal gives, clamped to the end of the month', () => {
  const days = fc
    .integer({ min: -719_162, max: 2_932_896 })
    .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
  fc.assert(
    fc.property(
      days,
      fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -130_000, max: 130_000 })),
      (day, n) => {
        const to = Temporal.PlainDate.from(day).add({ months: n }, { overflow: 'constrain' });
        assert.equal(monthsAfter(day, n), to.year < 1 || to.year > 9999 ? null : to.toString());
      },
    ),
    runs,
  );
  for (const [day, months, to] of [
    ['2026-01-31', 1, '2026-02-28'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2028-02-29', 48, '2032-02-29'],
    ['2026-03-31', -1, '2026-02-28'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2000-01-31', 1, '2000-02-29'],
    ['1900-01-31', 1, '1900-02-28'],
    ['9999-12-01', 1, null],
    ['0001-01-31', -1, null],
    ['2026-01-31', Number.MAX_SAFE_INTEGER, null],
    ['0000-12-31', 1, null],
  ] as const)
    assert.equal(monthsAfter(day, months), to, `${day} ${months}`);
});

test('an instant some months, years or days later is the one that Temporal gives, but where clocks skip it', () => {
  const units = fc.constantFrom(['addMonths', 'months'], ['addYears', 'years'], ['addDays', 'days'] as const);
  let skipped = 0;
  fc.assert(
    fc.property(zones, lately, fc.integer({ min: -60, max: 60 }), units, (zone, instant, n, [fn, unit]) => {
      const found = moving(fn as 'addMonths')(instant, n, zone);
      const to = Temporal.Instant.fromEpochMilliseconds(instant)
        .toZonedDateTimeISO(zone)
        .add({ [unit as string]: n });
      const local = to.toPlainDateTime();
      const asked = Temporal.Instant.fromEpochMilliseconds(instant)
        .toZonedDateTimeISO(zone)
        .toPlainDateTime()
        .add({ [unit as string]: n });
      if (local.equals(asked)) assert.equal(found, to.epochMilliseconds);
      else {
        // The instant at which the clocks change: the last one with the offset before it is a millisecond earlier.
        skipped++;
        const before = Temporal.Instant.fromEpochMilliseconds((found ?? 0) - 1).toZonedDateTimeISO(zone);
        assert.ok(Temporal.PlainDateTime.compare(before.toPlainDateTime(), asked) < 0);
        assert.ok((found ?? 0) <= to.epochMilliseconds);
      }
    }),
    { ...runs, examples: [['Europe/Berlin', Date.UTC(2026, 0, 29, 1, 30), 2, ['addMonths', 'months']]] as never },
  );
  assert.ok(skipped > 0);
  for (const [instant, n, fn, zone, to] of [
    ['2026-01-31T22:30:00Z', 1, 'addMonths', 'Europe/Berlin', '2026-02-28T22:30:00Z'],
    ['2026-01-31T23:30:00Z', 1, 'addMonths', 'Europe/Berlin', '2026-02-28T23:30:00Z'],
    ['2026-01-31T23:30:00Z', 1, 'addMonths', 'UTC', '2026-02-28T23:30:00Z'],
    ['2026-03-28T12:00:00Z', 1, 'addDays', 'Europe/Berlin', '2026-03-29T11:00:00Z'],
    ['2026-01-29T01:30:00Z', 2, 'addMonths', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['2026-09-25T00:30:00Z', 1, 'addMonths', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['2026-10-25T01:30:00Z', 0, 'addMonths', 'Europe/Berlin', '2026-10-25T01:30:00Z'],
    ['2028-02-29T10:00:00Z', 1, 'addYears', '+01:00', '2029-02-28T10:00:00Z'],
    ['2011-12-29T20:00:00Z', 1, 'addDays', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['9999-12-31T23:59:59.999Z', 1, 'addDays', 'UTC', null],
    ['0001-01-01T00:00:00Z', 1, 'addMonths', 'America/New_York', null],
  ] as const)
    assert.equal(
      moving(fn)(Date.parse(instant), n, zone),
      to === null ? null : Date.parse(to),
      `${instant} ${n} ${fn} ${zone}`,
    );
});
