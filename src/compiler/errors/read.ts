import { type Forms, TABLES } from '../../language/columns.ts';
import { type Cells, isBlank, readBullets, readTable } from '../../language/read.ts';
import { CONDITIONS } from '../../plan/conditions.ts';
import type { Section, Table, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import {
  type Located,
  located,
  type Name,
  readCell,
  readName,
  refuse,
  refuseRepeats,
  takeName,
} from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/keys.ts';
import { ownMember } from '../../text/own-member.ts';
import { nearest } from '../../text/suggest.ts';
import { type Blank, type Column, type ErrorRow, type Errors, memberName } from '../statements/errors.ts';
import { errorsDiagnostics as d } from './messages.ts';
import { isPayloadTable, readPayload, readPayloadTable } from './read-payload.ts';

const COLUMNS = keysOf(TABLES.error);
const OR_PAYLOAD = ', and none such as “Payload Failure”';

/** Reads `## Errors`. */
export function readErrors(section: Section | null, notes: Notes): Errors {
  const out: { payload: Errors['payload']; common: Errors['common'] } = { payload: null, common: null };
  const blanks: Blank[] = [];
  if (!section) return { ...out, rows: [], columns: [], blanks, payloads: [] };
  const payloadTables = section.tables.filter(isPayloadTable);
  const headings = section.tables
    .filter((table) => !payloadTables.includes(table))
    .flatMap(({ header }) => header.map((cell) => cell.source.slice(cell.from, cell.to)));
  readBullets(
    section,
    'errors',
    {
      Payload: (value, span) => {
        out.payload = located(span, readPayload(value, notes));
      },
      Conditions: (value, span) => {
        out.common = located(span, value.choose(['Ninefold common 1']));
      },
      'Blank cells': (value) => {
        blanks.push(...readBlanks(value, headings));
      },
    },
    notes,
  );
  refuse(section, { steps: true, children: true }, 'among the errors', notes.findings);
  const payloads = payloadTables.flatMap((table) => readPayloadTable(table, notes) ?? []);
  const columns: Column[] = [];
  const rows = section.tables.flatMap((table) => {
    if (payloadTables.includes(table)) return [];
    const own = payloadTables.length ? readColumns(table, notes) : [];
    for (const column of own) if (!columns.some((other) => other.name === column.name)) columns.push(column);
    const forms: Record<string, Forms> = {
      ...TABLES.error,
      ...Object.fromEntries(own.map((column) => [column.heading.text, []])),
    };
    return readTable<string>(table, forms, notes, COLUMNS, payloadTables.length ? OR_PAYLOAD : '').flatMap(
      (cells) => readRow(cells, own, notes) ?? [],
    );
  });
  refuseRepeats(
    rows.map((row) => row.code),
    notes.findings,
    'The code ',
  );
  return { ...out, rows, columns, blanks, payloads };
}

/** The columns beside the language's own: where the document says what its payload holds, its errors may say more. */
function readColumns(table: Table, notes: Notes): Column[] {
  return table.header.flatMap((cell) => {
    const text = cell.source.slice(cell.from, cell.to);
    if (!/^[A-Z][A-Za-z0-9]*(?: [A-Za-z0-9]+)*$/.test(text) || nearest(text, COLUMNS) !== null) return [];
    notes.marks.push({ from: cell.from, to: cell.to, role: 'declaration' });
    return [{ name: memberName(text), heading: { text, from: cell.from, to: cell.to } }];
  });
}

/** `Field none, Help page general` */
function readBlanks(phrase: Phrase, headings: readonly string[]): Blank[] {
  const out: Blank[] = [];
  do {
    const column = takeColumn(phrase, headings);
    if (!column) break;
    if (phrase.take('none')) out.push({ column, value: null });
    else {
      const word = phrase.word('value', '“none”, or a value');
      if (word) out.push({ column, value: word.text });
    }
  } while (phrase.mark(','));
  refuseRepeats(
    out.map((one) => one.column),
    phrase.findings,
    'What a blank cell means under ',
  );
  return out;
}

/** A heading of several words is one name. What is no heading is all but the last word, which is the value. */
function takeColumn(phrase: Phrase, headings: readonly string[]): Name | null {
  const words: string[] = [];
  for (let next = phrase.peek(); next?.kind === 'word'; next = phrase.peek(words.length)) words.push(next.text);
  const stands = (count: number): boolean => headings.includes(words.slice(0, count).join(' '));
  const known = words.map((_, i) => i + 1).findLast(stands);
  const what = 'a column of the errors';
  const count = known ?? words.length - 1;
  return count > 1 ? phrase.several(count, 'use', what) : takeName(phrase, 'use', what);
}

function readRow(cells: Cells<string>, columns: readonly Column[], notes: Notes): ErrorRow | null {
  const text = (column: (typeof COLUMNS)[number]): Text | null => cells[column] ?? null;
  const named = text('Code');
  const code = named && readName(named, notes, 'declaration', 'an error code');
  if (!code) {
    if (!named) notes.findings.push(d.report.blankCell(cells.span, { code: 'This error', column: 'Code' }));
    return null;
  }
  for (const column of ['Status', 'When', 'Title'] as const)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(code, { code: code.text, column }));
  const [stated, when, title] = [text('Status'), text('When'), text('Title')];
  const status = stated && readCell(stated, notes, (phrase) => phrase.integer('a status code'));
  if (status && (status.value < 400 || status.value > 599))
    notes.findings.push(d.report.status(status, { status: `${status.value}` }));
  return {
    code,
    status,
    when: when ? readWhen(new Phrase(when, notes)) : [],
    title: title && readCell(title, notes, (phrase) => phrase.rest()),
    more: Object.fromEntries(
      columns.map(({ name, heading }) => {
        const cell = ownMember(cells as Readonly<Record<string, Text | null>>, heading.text) ?? null;
        return [name, cell && readMore(cell, notes)];
      }),
    ),
    span: cells.span,
  };
}

function readMore(cell: Text, notes: Notes): Located<string | null> {
  const phrase = new Phrase(cell, notes);
  const value = phrase.tokens.length === 1 && phrase.take('none') ? null : phrase.rest();
  return { value, from: cell.from, to: cell.to };
}

/** What a code may answer, as the column “When” says it: first what authors write most. */
const RAISED_BY = ['a step says so', 'a rule says so', ...CONDITIONS] as const;

function readWhen(phrase: Phrase): ErrorRow['when'] {
  const out: Array<ErrorRow['when'][number]> = [];
  do {
    const from = phrase.peek()?.from ?? phrase.text.from;
    const condition = phrase.choose(RAISED_BY, RAISED_BY.map((one) => `“${one}”`).join(', '));
    if (!condition) return out;
    const one: Located<typeof condition> = { value: condition, from, to: phrase.peek()?.from ?? phrase.text.to };
    if (out.some((other) => other.value === condition))
      phrase.findings.push(language.report.twice(one, { what: `“${condition}”` }));
    out.push(one);
  } while (phrase.mark(','));
  phrase.end();
  return out;
}
