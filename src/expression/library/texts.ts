import { trimWhiteSpace } from '../../text/white-space.ts';
import type { LibraryFn } from '../tree/library-names.ts';
import * as t from '../tree/types.ts';
import { always, type Overload, TEXT, WHOLE, writtenOut } from './overload.ts';
import { isPattern, matches } from './patterns.ts';
import { lastPlaceOf, partsOf, placeOf } from './search.ts';
import { slug } from './slug.ts';

const PATTERN = writtenOut('a pattern of RE2 syntax, written out', isPattern);
const text = always(t.STRING);
const texts = always({ kind: 'list', of: t.STRING, nullable: false });

/** An overload whose first argument is a string. */
function ofText(id: string, does: Overload['does'], more: Partial<Overload> = {}): readonly Overload[] {
  return [{ id, takes: [TEXT], gives: text, does, ...more }];
}

/** cel-spec’s extension “strings”, and functions of Unicode. Positions count code points, from 0. */
export const TEXTS: Partial<Record<LibraryFn, readonly Overload[]>> = {
  lowerAscii: ofText('lower_ascii', (s: string) => s.replace(/[A-Z]/g, (c) => c.toLowerCase())),
  upperAscii: ofText('upper_ascii', (s: string) => s.replace(/[a-z]/g, (c) => c.toUpperCase())),
  lower: ofText('lower', (s: string) => s.toLowerCase()),
  upper: ofText('upper', (s: string) => s.toUpperCase()),
  trim: ofText('trim', trimWhiteSpace),
  slug: ofText('slug', slug),
  reverse: ofText('reverse', (s: string) => [...s].reverse().join('')),
  replace: ofText('replace', (s: string, old: string, by: string, most?: number) => replaced(s, old, by, most), {
    takes: [TEXT, TEXT, TEXT, WHOLE],
    optional: 1,
  }),
  split: ofText('split', (s: string, by: string, most?: number) => split(s, by, most), {
    takes: [TEXT, TEXT, WHOLE],
    optional: 1,
    gives: texts,
  }),
  substring: ofText('substring', (s: string, from: number, to?: number) => substring(s, from, to), {
    takes: [TEXT, WHOLE, WHOLE],
    optional: 1,
  }),
  charAt: ofText('char_at', (s: string, at: number) => (at < 0 ? '' : ([...s][at] ?? '')), { takes: [TEXT, WHOLE] }),
  indexOf: ofText('index_of', (s: string, part: string, from?: number) => indexOf(s, part, from), {
    takes: [TEXT, TEXT, WHOLE],
    optional: 1,
    gives: always(t.INTEGER),
  }),
  lastIndexOf: ofText('last_index_of', (s: string, part: string, from?: number) => lastIndexOf(s, part, from), {
    takes: [TEXT, TEXT, WHOLE],
    optional: 1,
    gives: always(t.INTEGER),
  }),
  matches: ofText('matches', matches, { takes: [TEXT, PATTERN], gives: always(t.BOOLEAN) }),
};

/**
 * Replaces the first `most` occurrences of `old`, or all. The empty string occurs before each character and at the end.
 */
function replaced(s: string, old: string, by: string, most = -1): string | null {
  return bounded(split(s, old, most < 0 ? -1 : most + 1, old === ''), by);
}

/** The longest string that functions join, in UTF-16 units: repeated replacements would make strings grow fast. */
const LONGEST = 1_048_576;

/** Joins strings; null if the result would be too long. */
export function bounded(parts: readonly string[], between: string): string | null {
  const length = parts.reduce((sum, part) => sum + part.length, 0) + between.length * (parts.length - 1);
  return length > LONGEST ? null : parts.join(between);
}

/** Splits a string into at most `most` parts, or into all; by the empty string, into characters. */
function split(s: string, by: string, most = -1, ends = false): string[] {
  if (most === 0) return [];
  const parts = by === '' ? (ends ? ['', ...s, ''] : [...s]) : partsOf(s, by);
  if (most < 0 || parts.length <= most) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(by)];
}

/** The characters from one position to another; positions outside of the string are moved to its nearest end. */
function substring(s: string, from: number, to?: number): string {
  const start = Math.max(from, 0);
  return [...s].slice(start, to === undefined ? undefined : Math.max(to, start)).join('');
}

function indexOf(s: string, part: string, from = 0): number {
  const characters = [...s];
  const skipped = characters.slice(0, Math.max(from, 0)).join('');
  const at = placeOf(s, part, skipped.length);
  return at < 0 ? -1 : [...s.slice(0, at)].length;
}

/** The last position at or before `from`. */
function lastIndexOf(s: string, part: string, from = Number.MAX_SAFE_INTEGER): number {
  if (from < 0) return -1;
  const most = [...s].slice(0, from).join('').length;
  const at = lastPlaceOf(s, part, most);
  return at < 0 ? -1 : [...s.slice(0, at)].length;
}
