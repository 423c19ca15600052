import type { Forms } from '../../language/columns.ts';
import { blanks, ERROR, ERRORS, MORE, PAYLOAD_MEMBER, PROBLEM_TYPE } from '../../language/errors.ts';
import type { Grammar } from '../../language/grammar.ts';
import {
  type Cells,
  isBlank,
  readCells,
  readStatements,
  readTable,
  readValue,
  readWith,
  unreadColumn,
  withLesson,
} from '../../language/read.ts';
import { formsOf } from '../../language/statement.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Section, Table, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { type Located, type Name, refuse, refuseRepeats, takeName } from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { keysOf, ownMember } from '../../text/own-members.ts';
import { nearest } from '../../text/suggest.ts';
import {
  type Column,
  type ErrorRow,
  type Errors,
  memberName,
  type PayloadMember,
  type PayloadTable,
} from '../statements/errors.ts';
import { errorsDiagnostics as d } from './messages.ts';

const COLUMNS = keysOf(ERROR);
const OR_PAYLOAD = ', and none such as “Payload Failure”';

/** Reads `## Errors`. */
export function readErrors(section: Section | null, notes: Notes): Errors {
  const payloadTables = section?.tables.filter(isPayloadTable) ?? [];
  const errorTables = section?.tables.filter((table) => !payloadTables.includes(table)) ?? [];
  const headings = errorTables.flatMap(({ header }) => header.map((cell) => cell.source.slice(cell.from, cell.to)));
  const statements = { ...ERRORS, 'Blank cells': { member: 'blanks', value: blanks(headings) } } as const;
  const stated = readStatements(section, 'errors', statements, notes);
  if (section) refuse(section, { steps: true, children: true }, 'among the errors', notes.findings);
  const payloads = payloadTables.flatMap((table) => readPayloadTable(table, notes) ?? []);
  const columns: Column[] = [];
  // Problem details have one further column: the type of each code.
  const typed = payloadTables.length === 0 && stated.payload?.value.kind === 'RFC 9457';
  const rows = errorTables.flatMap((table) => {
    const own = payloadTables.length ? readColumns(table, notes) : typed ? readTypeColumn(table) : [];
    for (const column of own) if (!columns.some((other) => other.name === column.name)) columns.push(column);
    const forms: Record<string, Forms> = {
      ...formsOf(ERROR),
      ...Object.fromEntries(own.map((column) => [column.heading.text, []])),
    };
    return readTable<string>(table, forms, notes, COLUMNS, payloadTables.length ? OR_PAYLOAD : '').flatMap(
      (cells) => readRow(cells, own, typed ? PROBLEM_TYPE : MORE, notes) ?? [],
    );
  });
  refuseRepeats(
    rows.map((row) => row.code),
    notes.findings,
    'The code ',
  );
  return { ...stated, blanks: stated.blanks?.value ?? [], rows, columns, payloads };
}

/** The columns of the document's own, which hold further facts about errors for its payload. */
function readColumns(table: Table, notes: Notes): Column[] {
  return table.header.flatMap((cell) => {
    const text = cell.source.slice(cell.from, cell.to);
    if (!/^[A-Z][A-Za-z0-9]*(?: [A-Za-z0-9]+)*$/.test(text) || nearest(text, COLUMNS) !== null) return [];
    notes.marks.push({ from: cell.from, to: cell.to, role: 'declaration' });
    return [{ name: memberName(text), heading: { text, from: cell.from, to: cell.to } }];
  });
}

/** The column `Type` of problem details. */
const readTypeColumn = ({ header }: Table): Column[] =>
  header.flatMap(({ source, from, to }) => {
    const text = source.slice(from, to);
    return text === 'Type' ? [{ name: memberName(text), heading: { text, from, to } }] : [];
  });

function readRow(
  cells: Cells<string>,
  columns: readonly Column[],
  more: Grammar<string | null>,
  notes: Notes,
): ErrorRow | null {
  const { Code: named = null, Status: stated, When: when, Title: title } = cells;
  const code = named && readValue(named, notes, ERROR.Code.value)?.value;
  if (!code) {
    if (!named) notes.findings.push(d.report.blankCell(cells.span, { code: 'This error', column: 'Code' }));
    return null;
  }
  for (const column of ['Status', 'When', 'Title'] as const)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(code, { code: code.text, column }));
  const status = stated ? readValue(stated, notes, ERROR.Status.value) : null;
  if (status && (status.value < 400 || status.value > 599))
    notes.findings.push(d.report.status(status, { status: `${status.value}` }));
  return {
    code,
    status,
    when: when ? readWhen(when, notes) : [],
    title: title ? readValue(title, notes, ERROR.Title.value) : null,
    more: Object.fromEntries(
      columns.map(({ name, heading }) => {
        const cell = ownMember(cells as Readonly<Record<string, Text | null>>, heading.text) ?? null;
        return [name, cell && readMore(cell, more, notes)];
      }),
    ),
    span: cells.span,
  };
}

/** The conditions that are understood count beside one that is not. */
function readWhen(cell: Text, notes: Notes): ErrorRow['when'] {
  const phrase = new Phrase(cell, notes);
  const when = readWith(ERROR.When.value, phrase, notes) ?? [];
  phrase.end();
  return when;
}

function readMore(cell: Text, more: Grammar<string | null>, notes: Notes): Located<string | null> {
  const phrase = new Phrase(cell, notes);
  const value = readWith(more, phrase, notes) ?? null;
  phrase.end();
  return { value, from: cell.from, to: cell.to };
}

const MEMBER_COLUMNS = keysOf(PAYLOAD_MEMBER);
type MemberColumn = keyof typeof PAYLOAD_MEMBER;

/** Whether a table describes a payload, rather than the errors. */
function isPayloadTable(table: Table): boolean {
  return table.header.some(isNamed);
}

/** Whether a heading is `Payload Failure`, or a misspelling of it. */
function isNamed(cell: Text): boolean {
  const [, word] = /^(\S+)\s+\S+$/.exec(cell.source.slice(cell.from, cell.to)) ?? [];
  return word !== undefined && nearest(word, ['Payload']) !== null;
}

/** Reads `| Payload Failure | Type | Value |`. */
function readPayloadTable(table: Table, notes: Notes): PayloadTable | null {
  const columns: Array<MemberColumn | null> = [];
  const unread: Finding[] = [];
  let name: Name | null = null;
  for (const cell of table.header) {
    const own: Notes = { findings: [], marks: notes.marks };
    const phrase = new Phrase(cell, own);
    const column = phrase.take('Payload') ? 'Member' : phrase.choose(['Type', 'Value', 'Payload']);
    if (column === 'Member') name ??= takeName(phrase, 'declaration', 'the name of a payload');
    const second = phrase.tokens[1];
    if (column === null && second && isNamed(cell)) {
      // The word `Payload` is misspelt, which has a finding; the name after it declares the payload all the same.
      name ??= { text: second.text, from: second.from, to: second.to };
      columns.push('Member');
      notes.findings.push(...own.findings);
      continue;
    }
    const understood = phrase.end() && column !== 'Payload' ? column : null;
    unread.push(...own.findings);
    if (understood && columns.includes(understood))
      notes.findings.push(language.report.twice(cell, { what: `The column “${understood}”` }));
    columns.push(understood);
  }
  if (table.rows.length === 0) notes.findings.push(language.report.emptyTable(table.span));
  const absent = MEMBER_COLUMNS.filter((column) => !columns.includes(column));
  notes.findings.push(...(absent.length ? unread.map(unreadColumn) : unread));
  if (unread.length === 0)
    for (const column of absent)
      notes.findings.push(language.report.noColumn(table.header[0] ?? table.span, { column }));
  if (!name) return null;
  const members = table.rows.flatMap((row) => {
    const cell = (column: MemberColumn): Text | null => {
      const found = row.cells[columns.indexOf(column)];
      return found && found.from < found.to ? withLesson(found, PAYLOAD_MEMBER[column].value.samples) : null;
    };
    return readMember(name, cell, absent, notes) ?? [];
  });
  return { name, members };
}

function readMember(
  of: Name,
  cell: (column: MemberColumn) => Text | null,
  absent: readonly string[],
  notes: Notes,
): PayloadMember | null {
  const { name, ...stated } = readCells(PAYLOAD_MEMBER, notes, cell);
  if (!name) {
    if (!cell('Member')) notes.findings.push(d.report.blankCell(of, { code: of.text, column: 'Payload' }));
    return null;
  }
  for (const column of ['Type', 'Value'] as const)
    if (!cell(column) && !absent.includes(column))
      notes.findings.push(d.report.blankCell(name.value, { code: `${of.text}.${name.value.text}`, column }));
  return { name: name.value, ...stated };
}
