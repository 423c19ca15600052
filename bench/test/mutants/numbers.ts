import { type Choice, type Edit, each, edit } from './edit.ts';
import type { Place } from './places.ts';

/** A date, a decimal, or a whole number with commas between thousands or without; not one that is part of a name. */
const NUMBER = /\d{4}-\d{2}-\d{2}|-?\d+\.\d+|-?\d{1,3}(?:,\d{3})+|-?\d+/g;

/** The numbers of standards and of the published list of conditions are names. */
const NAMES =
  /\(?RFC \d+\)?|ISO 8601|RFC 3339|Ninefold common \d+|draft-[a-z-]+|[A-Z]{2}\d{3}|webhook-id|N \d+, r \d+, p \d+|OAuth 2/g;

/** A pattern, and a class of characters in one. */
const PATTERN = /`\/.*?\/`/g;
const CLASS = /\[[^\]]*\]/g;

/** Each number one more, one less and ten times as great; each date a day and a year later. */
export function numbers(place: Place): Choice[] {
  const written = place.source.slice(place.from, place.to);
  if (place.form === 'heading' || /Title|Lets the caller|Conditions|Scheme$/.test(place.kind)) return [];
  const blank = (found: string): string => ' '.repeat(found.length);
  // The end of a range of characters is no number: `[0-90]` allows what `[0-9]` does.
  const text = written.replace(NAMES, blank).replace(PATTERN, (pattern) => pattern.replace(CLASS, blank));
  return [...text.matchAll(NUMBER)].flatMap(({ 0: number, index }) => {
    const from = place.from + index;
    const put = (how: string, by: string): Edit => edit(place.kind, how, from, from + number.length, by);
    return each(others(number).map(([how, by]) => put(how, by)));
  });
}

function others(number: string): Array<readonly [how: string, by: string]> {
  if (/^\d{4}-/.test(number))
    return [
      ['a day later', day(number, 1)],
      ['a day earlier', day(number, -1)],
      ['a year later', day(number, 366)],
    ];
  const scale = /\.(\d+)$/.exec(number)?.[1]?.length ?? 0;
  const value = Number(number.replaceAll(',', ''));
  const form = (next: number): string =>
    next.toLocaleString('en', { useGrouping: number.includes(','), minimumFractionDigits: scale });
  return [
    ['number +1', form(value + 10 ** -scale)],
    ['number -1', form(value - 10 ** -scale)],
    ['number x10', form(value * 10)],
  ];
}

const day = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
