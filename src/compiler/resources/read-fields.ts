import type { Cells } from '../../language/read.ts';
import { type Located, readCell, readElse, readName, takeName } from '../../syntax/names.ts';
import type { Notes, Phrase } from '../../syntax/phrase.ts';
import type { Field, Giving, Uniqueness } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import type { Blanks, FieldColumn } from './read-blanks.ts';
import { readAllowed, readFormat, readType } from './read-values.ts';

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
  if (!/^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,4}$/i.test(name.text))
    notes.findings.push(d.report.fieldName(name, { found: name.text }));
  const cell = <T>(column: FieldColumn, read: (phrase: Phrase) => T | null): Located<T> | null => {
    const text = blank.meaning(column, cells[column], notes.findings);
    if (text) return readCell(text, notes, read);
    blank.addBlank(column, { ...name, text: `${resource}.${name.text}` });
    return null;
  };
  return {
    name,
    span: cells.span,
    type: cell('Type', (phrase) => readType(phrase, notes)),
    format: cell('Format', (phrase) => readFormat(phrase)),
    allowed: cell('Allowed values', (phrase) => readAllowed(phrase, notes)),
    givenBy: cell('Given by', (phrase) => readGivings(phrase)),
    presence: cell('Presence', (phrase) => phrase.choose(['always', 'optional'])),
    unique: cell('Unique', (phrase) => readUniqueness(phrase)),
  };
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

/** What may stand under “Given by”, for who has never seen it. */
const SOURCES =
  '“request” (the caller sends it), “on create” with an expression in inline code such as `uuid()`, “operator”, “steps”, “transitions” or “sequence”';

function readGiving(phrase: Phrase): Giving | null {
  if (phrase.take('on')) {
    const moment = takeName(phrase, 'use', 'create, change or a transition');
    const value =
      moment && phrase.code('expression', 'an expression in inline code, such as `uuid()`, `now()` or `caller`');
    return value && { from: 'moment', moment, value };
  }
  const from = phrase.choose(['request', 'operator', 'steps', 'transitions', 'sequence'], SOURCES);
  if (from === 'sequence') return { from, per: phrase.take('per') ? takeName(phrase, 'use', 'a reference') : null };
  if (from !== 'request') return from && { from };
  return { from, otherwise: phrase.take(', else') ? phrase.code('expression', 'an expression in inline code') : null };
}

function readUniqueness(phrase: Phrase): Uniqueness | null {
  const kind = phrase.choose(['no', 'identity', 'yes']);
  if (kind !== 'yes') return kind && { kind };
  return { kind, ignoringCase: phrase.take(', ignoring case'), code: readElse(phrase) };
}
