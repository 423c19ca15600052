import { PAYLOAD_MEMBER } from '../../language/errors.ts';
import { readCells, unreadColumn, withLesson } from '../../language/read.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Table, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { type Name, takeName } from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/keys.ts';
import { nearest } from '../../text/suggest.ts';
import type { PayloadMember, PayloadTable } from '../statements/errors.ts';
import { errorsDiagnostics as d } from './messages.ts';

const COLUMNS = keysOf(PAYLOAD_MEMBER);
type MemberColumn = keyof typeof PAYLOAD_MEMBER;

/** Whether a table describes a payload, rather than the errors. */
export function isPayloadTable(table: Table): boolean {
  return table.header.some(isNamed);
}

/** Whether a heading is `Payload Failure`, or a misspelling of it. */
function isNamed(cell: Text): boolean {
  const [, word] = /^(\S+)\s+\S+$/.exec(cell.source.slice(cell.from, cell.to)) ?? [];
  return word !== undefined && nearest(word, ['Payload']) !== null;
}

/** Reads `| Payload Failure | Type | Value |`. */
export function readPayloadTable(table: Table, notes: Notes): PayloadTable | null {
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
  const absent = COLUMNS.filter((column) => !columns.includes(column));
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
