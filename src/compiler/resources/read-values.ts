import { isoDuration, showIsoDuration } from '../../expression/values/duration.ts';
import { BOUNDED_FORMATS, OPEN_FORMATS } from '../../plan/value-forms.ts';
import { language } from '../../syntax/messages.ts';
import { type Name, refuseRepeats, takeName } from '../../syntax/names.ts';
import type { Notes, Phrase } from '../../syntax/phrase.ts';
import { readDuration } from '../../text/units.ts';
import type { Allowed, FieldType, Format } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';

const FORMAT_NAMES = ['none', 'uuid', ...OPEN_FORMATS, ...BOUNDED_FORMATS, 'password'] as const;
/** How many lists, sets and maps may stand one in another. */
const DEEPEST = 4;
const DEEPER = `at most ${DEEPEST} lists, sets or maps, one in another`;
/** The types that are words of the language. */
export const TYPES = ['string', 'integer', 'decimal', 'boolean', 'timestamp', 'date', 'duration'] as const;

const TYPE_FORMS = `${TYPES.map((type) => `“${type}”`).join(', ')}, “list of”, “set of” or “map of” one of these, or a resource`;

/** Reads a type: a word of the language, or the name of a resource. */
export function readType(phrase: Phrase, notes: Notes, rows = false, depth = 0): FieldType | null {
  for (const kind of ['list', 'set', 'map'] as const)
    if (phrase.take(`${kind} of`)) {
      if (depth === DEEPEST) {
        phrase.fail(DEEPER);
        return null;
      }
      const of = readType(phrase, notes, rows, depth + 1);
      if (rows || of?.kind !== 'reference') return of && { kind, of };
      notes.findings.push(language.report.notYet(phrase.span, { what: `A ${kind} of references` }));
      return null;
    }
  for (const kind of TYPES) if (phrase.take(kind)) return { kind };
  if (!/^[A-Z]/.test(phrase.peek()?.text ?? '')) {
    const format = FORMAT_NAMES.find((name) => name === phrase.peek()?.text);
    phrase.fail(format ? `“string”, with “${format}” in the column “Format”` : TYPE_FORMS);
    return null;
  }
  const resource = takeName(phrase, 'use', 'a type');
  return resource && { kind: 'reference', resource };
}

/** Reads a format: each is tied to its standard. */
export function readFormat(phrase: Phrase): Format | null {
  for (const format of FORMAT_NAMES) if (phrase.take(format)) return format;
  phrase.fail();
  return null;
}

/** How allowed values are written, as a message lists them. */
const ALLOWED_FORMS =
  '“any”, “one of” and values, bounds such as “1 to 100”, “1 to 80 characters” or “at most 20 items, each …”, “whole minutes”, or a pattern between slashes in inline code';

/**
 * Reads allowed values: `any`, `N to M`, `N to M characters`, `at most N characters`, `/pattern/`, `one of a, b`,
 * `N to M items, each …`, `at most N items, keys …, each …`, `whole minutes`. Numbers are whole, decimal or durations.
 */
export function readAllowed(phrase: Phrase, notes: Notes, depth = 0, keys = false): Allowed | null {
  if (phrase.take('any')) return { kind: 'any' };
  if (phrase.take('whole')) return phrase.expect('minutes') ? { kind: 'whole minutes' } : null;
  if (phrase.peek()?.kind === 'code') return readPattern(phrase, notes);
  if (phrase.take('one of')) {
    const values: Name[] = [];
    do {
      const value = takeValue(phrase);
      if (!value) return null;
      values.push(value);
      // After the values of keys comes what each item may be.
    } while (!(keys && phrase.peek(1)?.text === 'each') && phrase.mark(','));
    refuseRepeats(values, notes.findings);
    for (const value of values)
      if (QUOTED.test(value.text)) notes.findings.push(d.report.valueQuoted(value, { value: value.text.slice(1, -1) }));
    return { kind: 'one of', values };
  }
  if (phrase.take('at most')) {
    const max = phrase.positive('a number from 1');
    const unit = max !== null && phrase.choose(['characters', 'items']);
    if (max === null || !unit) return null;
    return unit === 'items' ? readItems(phrase, { min: 0, max }, notes, depth) : { kind: 'length', min: 0, max };
  }
  const first = phrase.peek()?.text ?? '';
  if (/^-?P/.test(first)) return readDurations(phrase, notes);
  if (/^-?\d+\.\d/.test(first)) return readDecimals(phrase, notes);
  if (refusesDuration(phrase)) return null;
  if (/^-?\d/.test(first)) return readRange(phrase, notes, depth);
  phrase.fail(ALLOWED_FORMS);
  return null;
}

/** Reports a bound such as `5m` or `5 minutes`: the bounds of a duration are durations of ISO 8601. */
function refusesDuration(phrase: Phrase): boolean {
  const [first, second] = [phrase.peek(), phrase.peek(1)];
  for (const last of [second, first]) {
    const found = last === first ? first?.text : `${first?.text} ${second?.text}`;
    const milliseconds = first && last && found ? readDuration(found, LONGEST_BOUND_MS) : null;
    if (!first || !last || milliseconds === null) continue;
    const write = showIsoDuration(milliseconds);
    phrase.refuse(d.report.durationBound({ from: first.from, to: last.to }, { found: found ?? '', write }));
    return true;
  }
  return false;
}

/** A thousand years. */
const LONGEST_BOUND_MS = 365_000 * 86_400_000;

/** Quotation marks around a value, which would be part of it. */
const QUOTED = /^["'“”„«‘’].*["'“”»‘’]$/;

/** One value of an enumeration: a word, or several with single spaces between them. */
function takeValue(phrase: Phrase): Name | null {
  let value = takeName(phrase, 'declaration', 'a value');
  while (value && phrase.peek()?.kind === 'word') {
    const more = takeName(phrase, 'declaration', 'a value');
    value = more && { text: `${value.text} ${more.text}`, from: value.from, to: more.to };
  }
  return value;
}

function readRange(phrase: Phrase, notes: Notes, depth: number): Allowed | null {
  const min = phrase.integer('a number');
  if (!phrase.expect('to')) return null;
  const max = phrase.integer('a number');
  if (min === null || max === null) return null;
  const unit = ['characters', 'items'].find((one) => phrase.take(one)) ?? null;
  if (unit && (min < 0 || max < 1)) notes.findings.push(d.report.emptyLength(phrase.span, { unit }));
  else if (max < min) {
    const params = { min: `${min}`, max: `${max}`, unit: unit ? ` ${unit}` : '' };
    notes.findings.push(d.report.emptyRange(phrase.span, params));
  }
  if (unit === 'items') return readItems(phrase, { min, max }, notes, depth);
  return { kind: unit ? 'length' : 'range', min, max };
}

/** `PT0S to P14D` */
function readDurations(phrase: Phrase, notes: Notes): Allowed | null {
  const [least, most] = readPair(phrase, 'a duration of ISO 8601 in days or less, such as P14D', isoDuration);
  if (!least || !most) return null;
  refuseEmpty(phrase, least, most, notes);
  return { kind: 'durations', min: least.value, max: most.value };
}

/** `0.00 to 999.99`: as many digits after each point as the values have. */
function readDecimals(phrase: Phrase, notes: Notes): Allowed | null {
  const [least, most] = readPair(phrase, 'a decimal, such as 999.99, of at most 15 digits', decimalBound);
  if (!least || !most) return null;
  const scale = digitsAfter(least.text);
  if (digitsAfter(most.text) !== scale) {
    notes.findings.push(d.report.decimalScale(phrase.span, { what: 'These bounds' }));
    return null;
  }
  refuseEmpty(phrase, least, most, notes);
  return { kind: 'decimals', min: least.value, max: most.value, scale };
}

interface Bound {
  readonly text: string;
  readonly value: number;
}

function readPair(phrase: Phrase, what: string, read: (text: string) => number | null): (Bound | null)[] {
  const one = (): Bound | null => {
    const value = read(phrase.peek()?.text ?? '');
    const token = value === null ? null : phrase.word('value', what);
    if (value !== null && token) return { text: token.text, value };
    phrase.fail(what);
    return null;
  };
  const least = one();
  return phrase.expect('to') ? [least, one()] : [];
}

function refuseEmpty(phrase: Phrase, least: Bound, most: Bound, notes: Notes): void {
  if (most.value >= least.value) return;
  notes.findings.push(d.report.emptyRange(phrase.span, { min: least.text, max: most.text, unit: '' }));
}

const digitsAfter = (text: string): number => text.length - text.indexOf('.') - 1;

/** A decimal as a whole number of its last digit. Fifteen digits are exact in every JSON reader. */
function decimalBound(text: string): number | null {
  if (!/^-?(?:0|[1-9]\d*)\.\d+$/.test(text)) return null;
  const digits = text.replace(/^-|\./g, '').replace('.', '');
  if (digits.replace(/^0+/, '').length > 15) return null;
  return text.startsWith('-') ? 0 - Number(digits) : Number(digits);
}

/** What follows `N to M items`: what keys have to be, and each of them. */
function readItems(
  phrase: Phrase,
  { min, max }: { readonly min: number; readonly max: number },
  notes: Notes,
  depth: number,
): Allowed | null {
  if (depth === DEEPEST) {
    phrase.fail(DEEPER);
    return null;
  }
  const keyed = phrase.take(', keys');
  const keys = keyed ? readAllowed(phrase, notes, depth + 1, true) : null;
  if ((keyed && !keys) || !phrase.expect(', each')) return null;
  const each = readAllowed(phrase, notes, depth + 1);
  return each && { kind: 'items', min, max, keys, each };
}

function readPattern(phrase: Phrase, notes: Notes): Allowed | null {
  const token = phrase.code('value', 'a pattern between slashes');
  if (!token) return null;
  const [, source] = /^\/(.*)\/$/s.exec(token.text) ?? [];
  if (source === undefined) {
    notes.findings.push(d.report.notPattern(token, { found: token.text }));
    return null;
  }
  return { kind: 'pattern', source };
}
