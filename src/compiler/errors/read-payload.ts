import { TABLES } from '../../language/columns.ts';
import { unreadColumn, withLesson } from '../../language/read.ts';
import { CODE_IN_TYPE } from '../../plan/problem-type.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Table, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { type Name, readCell, readName, takeName } from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/keys.ts';
import { nearest } from '../../text/suggest.ts';
import { isUri } from '../../validation/formats.ts';
import type { EachValue, MemberType, MemberValue, Payload, PayloadMember, PayloadTable } from '../statements/errors.ts';
import { errorsDiagnostics as d } from './messages.ts';

const PLAIN = ['string', 'integer', 'boolean'] as const;
const PAYLOAD_COLUMNS = keysOf(TABLES.payload);
const EXPRESSION = 'an expression in inline code';

const PAYLOADS =
  '“RFC 9457” (problem details, which replaces RFC 7807), “none”, or the name of a payload that a table under “Errors” declares, such as “Failure” for the column “Payload Failure”';

/** `RFC 9457`, ``RFC 9457, type `https://example.com/problems/{code}` ``, `none`, `Failure`, or ``Failure as `application/vnd.example+json` `` */
export function readPayload(value: Phrase, notes: Notes): Payload | null {
  if (value.take('RFC 9457')) return readProblems(value, notes);
  if (value.take('none')) return { kind: 'none' };
  const [first, second] = [value.peek(), value.peek(1)];
  // A standard, or a media type, was not meant as the name of a payload.
  if (/^RFC-?\d+$|\//i.test(first?.text ?? '') || (second?.kind === 'word' && second.text !== 'as')) {
    value.fail(PAYLOADS);
    return null;
  }
  const name = takeName(value, 'use', PAYLOADS);
  if (!name) return null;
  if (!value.take('as')) return { kind: 'table', name, mediaType: 'application/json' };
  const token = value.code('value', 'a media type in inline code');
  if (!token) return null;
  const json = /^application\/(?:json|[a-z0-9][a-z0-9!#$&^_.+-]*\+json)$/.test(token.text);
  if (!json) notes.findings.push(d.report.mediaType(token.inner, { found: token.text }));
  return { kind: 'table', name, mediaType: token.text };
}

/** The words after `RFC 9457`. */
function readProblems(value: Phrase, notes: Notes): Payload | null {
  if (!value.take(', type')) return { kind: 'RFC 9457' };
  const token = value.code('value', 'a URI with `{code}` in it, in inline code');
  if (!token) return null;
  const [before = '', after, ...more] = token.text.split(CODE_IN_TYPE);
  if (after !== undefined && more.length === 0 && isUri(`${before}code${after}`))
    return { kind: 'RFC 9457', type: token.text };
  notes.findings.push(d.report.problemType(token.inner, { found: token.text }));
  return { kind: 'RFC 9457' };
}

/** Whether a table says what a payload holds, rather than which errors there are. */
export function isPayloadTable(table: Table): boolean {
  return table.header.some(isNamed);
}

/** `Payload Failure`, or what was meant so. */
function isNamed(cell: Text): boolean {
  const [, word] = /^(\S+)\s+\S+$/.exec(cell.source.slice(cell.from, cell.to)) ?? [];
  return word !== undefined && nearest(word, ['Payload']) !== null;
}

/** Reads `| Payload Failure | Type | Value |`. */
export function readPayloadTable(table: Table, notes: Notes): PayloadTable | null {
  const columns: Array<'Member' | 'Type' | 'Value' | null> = [];
  const unread: Finding[] = [];
  let name: Name | null = null;
  for (const cell of table.header) {
    const own: Notes = { findings: [], marks: notes.marks };
    const phrase = new Phrase(cell, own);
    const column = phrase.take('Payload') ? 'Member' : phrase.choose(['Type', 'Value', 'Payload']);
    if (column === 'Member') name ??= takeName(phrase, 'declaration', 'the name of a payload');
    const second = phrase.tokens[1];
    if (column === null && second && isNamed(cell)) {
      // The word before it is misspelt, and told; what it names is there all the same.
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
  const absent = PAYLOAD_COLUMNS.filter((column) => !columns.includes(column));
  notes.findings.push(...(absent.length ? unread.map(unreadColumn) : unread));
  if (unread.length === 0)
    for (const column of absent)
      notes.findings.push(language.report.noColumn(table.header[0] ?? table.span, { column }));
  if (!name) return null;
  const members = table.rows.flatMap((row) => {
    const cell = (column: keyof typeof TABLES.payload): Text | null => {
      const found = row.cells[columns.indexOf(column)];
      return found && found.from < found.to ? withLesson(found, TABLES.payload[column]) : null;
    };
    return readMember(name, cell('Member'), cell('Type'), cell('Value'), absent, notes) ?? [];
  });
  return { name, members };
}

function readMember(
  of: Name,
  member: Text | null,
  type: Text | null,
  value: Text | null,
  absent: readonly string[],
  notes: Notes,
): PayloadMember | null {
  const name = member && readName(member, notes, 'declaration', 'the name of a member');
  if (!name) {
    if (!member) notes.findings.push(d.report.blankCell(of, { code: of.text, column: 'Payload' }));
    return null;
  }
  for (const [cell, column] of [
    [type, 'Type'],
    [value, 'Value'],
  ] as const)
    if (!cell && !absent.includes(column))
      notes.findings.push(d.report.blankCell(name, { code: `${of.text}.${name.text}`, column }));
  return { name, type: type && readCell(type, notes, readType), value: value && readCell(value, notes, readValue) };
}

/** `string`, `FieldError`, `list of FieldError`, `map of list of string` */
function readType(phrase: Phrase): MemberType | null {
  const many = phrase.take('map of list of') ? 'map of list' : phrase.take('list of') ? 'list' : 'one';
  const plain = PLAIN.find((one) => phrase.take(one));
  if (plain) return { many, of: { kind: 'plain', type: plain } };
  if (!/^[A-Z]/.test(phrase.peek()?.text ?? '')) phrase.fail('the name of a payload');
  const name = takeName(phrase, 'use', 'a type');
  return name && { many, of: { kind: 'payload', name } };
}

/** `` `e` ``, or for each fault ``each `e` by `k`, else `e` by `k` `` */
function readValue(phrase: Phrase): MemberValue | null {
  if (!phrase.take('each')) {
    const value = phrase.code('expression', `${EXPRESSION}, or each and one`);
    return value && { kind: 'one', value };
  }
  const each = readEach(phrase);
  if (!each) return null;
  const otherwise = phrase.take(', else') ? readEach(phrase) : null;
  return { kind: 'each', ...each, otherwise };
}

function readEach(phrase: Phrase): EachValue | null {
  const value = phrase.code('expression', EXPRESSION);
  if (!value) return null;
  const key = phrase.take('by') ? phrase.code('expression', EXPRESSION) : null;
  return { value, key };
}
