import { language } from '../../source/language.ts';
import type { Notes, Phrase } from '../../source/phrase.ts';
import {
  type Cells,
  type Name,
  readCell,
  readElse,
  readName,
  refuseRepeats,
  type Said,
  takeName,
} from '../../source/read.ts';
import type { Blanks, FieldColumn } from './blanks.ts';
import { resourcesDiagnostics as d } from './diagnostics.ts';
import type { Allowed, Field, FieldType, Format, Giving, Uniqueness } from './model.ts';

/** What the language has for types, formats and values but this version does not enforce. */
const LATER_TYPES = ['decimal', 'date', 'duration', 'map of'];
const LATER_FORMATS = ['uri', 'hostname', 'ipv4', 'ipv6', 'password', 'time zone'];

/** Reads one row of a field table. A blank cell means what the part's `Blank cells` says, and is a question without. */
export function readField(
  cells: Cells<'Field' | FieldColumn>,
  blank: Blanks,
  resource: string,
  notes: Notes,
): Field | null {
  if (!cells.Field) {
    notes.findings.push(d.report.fieldUnnamed(cells.span));
    return null;
  }
  const name = readName(cells.Field, notes, 'declaration', 'the name of a field');
  if (!name) return null;
  if (!/^[a-z][a-z0-9_]*$/i.test(name.text)) notes.findings.push(d.report.fieldName(name, { name: name.text }));
  const cell = <T>(column: FieldColumn, read: (phrase: Phrase) => T | null): Said<T> | null => {
    const text = blank.meaning(column, cells[column], notes.findings);
    if (text) return readCell(text, notes, read);
    const written = cells.Field!;
    notes.findings.push(d.report.blankCell(written, { column, field: `${resource}.${name.text}` }));
    return null;
  };
  return {
    name,
    span: cells.span,
    type: cell('Type', (phrase) => readType(phrase, notes)),
    format: cell('Format', (phrase) => readFormat(phrase, notes)),
    allowed: cell('Allowed values', (phrase) => readAllowed(phrase, notes)),
    givenBy: cell('Given by', (phrase) => readGivings(phrase)),
    presence: cell('Presence', (phrase) => phrase.choose(['always', 'optional'])),
    unique: cell('Unique', (phrase) => readUniqueness(phrase)),
  };
}

/** Reads a type: a word of the language, or the name of a resource. */
export function readType(phrase: Phrase, notes: Notes): FieldType | null {
  for (const later of LATER_TYPES)
    if (phrase.take(later)) {
      notes.findings.push(language.report.notYet(phrase.span, { what: `The type “${later}”` }));
      phrase.rest();
      return null;
    }
  for (const kind of ['list', 'set'] as const)
    if (phrase.take(`${kind} of`)) {
      const of = readType(phrase, notes);
      if (of?.kind !== 'reference') return of && { kind, of };
      notes.findings.push(language.report.notYet(phrase.span, { what: `A ${kind} of references` }));
      return null;
    }
  for (const kind of ['string', 'integer', 'boolean', 'timestamp'] as const) if (phrase.take(kind)) return { kind };
  if (!/^[A-Z]/.test(phrase.peek()?.text ?? '')) {
    phrase.fail();
    return null;
  }
  const resource = takeName(phrase, 'use', 'a type');
  return resource && { kind: 'reference', resource };
}

function readFormat(phrase: Phrase, notes: Notes): Format | null {
  for (const format of ['none', 'uuid', 'email'] as const) if (phrase.take(format)) return format;
  for (const later of LATER_FORMATS)
    if (phrase.take(later)) {
      notes.findings.push(language.report.notYet(phrase.span, { what: `The format “${later}”` }));
      return null;
    }
  phrase.fail();
  return null;
}

/**
 * Reads allowed values: `any`, `N to M`, `N to M characters`, `at most N characters`, `/pattern/`, `one of a, b`,
 * `N to M items, each …`, `at most N items, each …`.
 */
export function readAllowed(phrase: Phrase, notes: Notes): Allowed | null {
  if (phrase.take('any')) return { kind: 'any' };
  if (phrase.peek()?.kind === 'code') return readPattern(phrase, notes);
  if (phrase.take('one of')) {
    const values: Name[] = [];
    do {
      const value = takeName(phrase, 'declaration', 'a value');
      if (!value) return null;
      values.push(value);
    } while (phrase.mark(','));
    refuseRepeats(values, notes.findings);
    return { kind: 'one of', values };
  }
  if (phrase.take('at most')) {
    const max = phrase.positive('a number from 1');
    const unit = max !== null && phrase.choose(['characters', 'items']);
    if (max === null || !unit) return null;
    return unit === 'items' ? readItems(phrase, 0, max, notes) : { kind: 'length', min: 0, max };
  }
  if (!/^-?\d/.test(phrase.peek()?.text ?? '')) {
    phrase.fail();
    return null;
  }
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
  if (unit === 'items') return readItems(phrase, min, max, notes);
  return { kind: unit ? 'length' : 'range', min, max };
}

/** What follows `N to M items`: what each of them has to be. */
function readItems(phrase: Phrase, min: number, max: number, notes: Notes): Allowed | null {
  if (!phrase.expect(', each')) return null;
  const each = readAllowed(phrase, notes);
  return each && { kind: 'items', min, max, each };
}

function readPattern(phrase: Phrase, notes: Notes): Allowed | null {
  const token = phrase.code('value', 'a pattern between slashes')!;
  const match = /^\/(.*)\/$/s.exec(token.text);
  if (!match) {
    notes.findings.push(d.report.notPattern(token, { found: token.text }));
    return null;
  }
  return { kind: 'pattern', source: match[1]! };
}

function readGivings(phrase: Phrase): readonly Giving[] | null {
  const givings: Giving[] = [];
  do {
    const giving = readGiving(phrase);
    if (!giving) return null;
    givings.push(giving);
  } while (phrase.mark(';'));
  return givings;
}

function readGiving(phrase: Phrase): Giving | null {
  if (phrase.take('on')) {
    const moment = takeName(phrase, 'use', 'create, change or a transition');
    const value = moment && phrase.code('expression', 'an expression in inline code');
    return value && { from: 'moment', moment, value };
  }
  const from = phrase.choose(['request', 'operator', 'steps', 'transitions', 'sequence']);
  if (from === 'sequence') return { from, per: phrase.take('per') ? takeName(phrase, 'use', 'a reference') : null };
  if (from !== 'request') return from && { from };
  return { from, otherwise: phrase.take(', else') ? phrase.code('expression', 'an expression in inline code') : null };
}

function readUniqueness(phrase: Phrase): Uniqueness | null {
  const kind = phrase.choose(['no', 'identity', 'yes']);
  if (kind !== 'yes') return kind && { kind };
  return { kind, code: readElse(phrase) };
}
