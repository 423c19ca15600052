import { TABLES } from '../../language/columns.ts';
import { readBullets, readTable } from '../../language/read.ts';
import type { DecimalForm } from '../../plan/value-forms.ts';
import type { Section } from '../../syntax/markdown.ts';
import { located, refuse, refuseLookalikes, refuseRepeats, takeName } from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/keys.ts';
import type { Resource, Resources, WireRules } from '../statements/resources.ts';
import { readHashing } from './check-passwords.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { Blanks } from './read-blanks.ts';
import { readField } from './read-fields.ts';
import { readRules } from './read-rules.ts';

const COLUMNS = keysOf(TABLES.field);

type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Reads `## Resources and their fields`. */
export function readResources(section: Section | null, notes: Notes): Resources {
  const rules: Draft<WireRules> = {
    timestamps: null,
    dates: null,
    durations: null,
    decimals: null,
    text: null,
    missing: null,
    nulls: null,
    emptyText: null,
    unknownFields: null,
    passwords: null,
  };
  if (!section) return { rules, list: [] };
  const blank = new Blanks();
  readBullets(
    section,
    'resources',
    {
      Timestamps: (value, span) => {
        if (value.expect('RFC 3339, UTC,')) rules.timestamps = located(span, value.choose(['milliseconds', 'seconds']));
      },
      Dates: (value, span) => {
        rules.dates = located(span, value.choose(['RFC 3339']));
      },
      Durations: (value, span) => {
        if (value.expect('ISO 8601,')) rules.durations = located(span, value.choose(['milliseconds', 'whole seconds']));
      },
      Decimals: (value, span) => {
        rules.decimals = located(span, readDecimalForm(value));
      },
      Text: (value, span) => {
        rules.text = located(span, value.choose(['trimmed', 'as sent']));
      },
      'Missing values in answers': (value, span) => {
        rules.missing = located(span, value.choose(['left out', 'null']));
      },
      'Null in requests': (value, span) => {
        rules.nulls = located(span, value.choose(['clears']));
      },
      'Empty text in requests': (value, span) => {
        rules.emptyText = located(span, value.choose(['kept', 'null']));
      },
      'Unknown fields': (value, span) => {
        rules.unknownFields = located(span, value.choose(['refused', 'ignored']));
      },
      Passwords: (value, span) => {
        rules.passwords = located(span, readHashing(value));
      },
      'Blank cells': (value) => readBlankCells(value, blank),
    },
    notes,
  );
  refuse(section, { tables: true, steps: true }, 'outside a resource', notes.findings);
  const list = section.children.flatMap((child) => readResource(child, blank, notes) ?? []);
  blank.ask(notes.findings);
  blank.refuseUnused(notes.findings);
  const names = list.map((resource) => resource.name);
  refuseRepeats(names, notes.findings, 'The resource ');
  refuseLookalikes(names, notes.findings, 'The resource ');
  return { rules, list };
}

/** `strings, more digits refused`, `numbers, rounded half even` */
function readDecimalForm(value: Phrase): DecimalForm | null {
  const as = value.choose(['strings', 'numbers']);
  if (!as || !value.mark(',')) {
    value.fail();
    return null;
  }
  if (value.take('more digits refused')) return { as, rounding: 'refused' };
  const rounding = value.expect('rounded') ? value.choose(['half even', 'half up', 'down']) : null;
  return rounding && { as, rounding };
}

/** `Format none, Allowed values any, …`: what each column means where its cell is blank. */
function readBlankCells(value: Phrase, blank: Blanks): void {
  const columns = COLUMNS.filter((column) => column !== 'Field');
  do {
    const start = value.peek()?.from ?? value.text.to;
    const column = value.choose(columns);
    const from = value.peek()?.from;
    if (!column || from === undefined) break;
    let to = from;
    while (value.peek() && value.peek()?.kind !== 'mark') to = value.word('word', 'a value')?.to ?? to;
    if (value.failed) break;
    const name = { text: column, from: start, to: start + column.length };
    blank.add(name, column, { source: value.text.source, from, to, inTable: false }, value.findings);
  } while (value.mark(','));
}

function readResource(section: Section, blank: Blanks, notes: Notes): Resource | null {
  const heading = new Phrase(section.heading, notes);
  const name = takeName(heading, 'declaration', 'the name of a resource');
  if (!heading.end() || !name) return null;
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name.text)) notes.findings.push(d.report.resourceName(name, { found: name.text }));
  refuse(section, { steps: true, children: true }, 'under a resource', notes.findings);
  const rows = section.tables.flatMap((table) => readTable(table, TABLES.field, notes, []));
  const fields = rows.flatMap((cells) => readField(cells, blank, name.text, notes) ?? []);
  const names = fields.map((field) => field.name);
  refuseRepeats(names, notes.findings, 'The field ');
  refuseLookalikes(names, notes.findings, 'The field ');
  return { name, fields, ...readRules(section, notes) };
}
