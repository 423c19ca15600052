import type { Expr } from '../../expression/tree/expression.ts';
import * as t from '../../expression/tree/types.ts';
import type { EachValue, MemberType } from '../../language/errors.ts';
import { COMMON_1, type Condition, FAULT, type Outcome, TEXT } from '../../plan/conditions.ts';
import { CODE_IN_TYPE, problemType } from '../../plan/problem-type.ts';
import { allowing } from '../../syntax/diagnostic.ts';
import { type Name, refuseNested } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';
import { ownMember } from '../../text/own-members.ts';
import { isUri } from '../../validation/formats.ts';
import type { Resolved } from '../document/resolve.ts';
import { type Column, type Errors, isOptional, type PayloadMember, type PayloadTable } from '../statements/errors.ts';
import { errorsDiagnostics as d } from './messages.ts';

/** Checks the payload tables: each used, without circles, and every member of the type that it states. */
export function checkPayload(r: Resolved): void {
  const { payload, payloads } = r.model.errors;
  const used = new Set<PayloadTable>();
  if (payload?.value.kind === 'RFC 9457') checkProblemType(r, payload.value.type);
  if (payload?.value.kind === 'table') {
    const { name, mediaType } = payload.value;
    if (mediaType && !JSON_TYPE.test(mediaType.text))
      r.notes.findings.push(d.report.mediaType(mediaType.inner, { found: mediaType.text }));
    const root = payloadNamed(r, name);
    if (root) new PayloadChecker(r, used).table(root, false, []);
  }
  for (const [i, table] of payloads.entries()) {
    const { name } = table;
    if (payloads.findIndex((other) => other.name.text === name.text) < i)
      r.notes.findings.push(d.report.payloadTwice(name, { name: name.text }));
    else if (!used.has(table) && !r.isSuggested(name.text))
      r.notes.findings.push(d.report.payloadUnused(name, { name: name.text }));
  }
}

/** JSON, or a type with the suffix of RFC 6839. */
const JSON_TYPE = /^application\/(?:json|[a-z0-9][a-z0-9!#$&^_.+-]*\+json)$/;

/** `about:blank`, an absolute URI, or a reference with a whole path, which is relative to the address of the request. */
const isProblemType = (text: string): boolean =>
  text === BLANK || isUri(text) || (/^\/(?!\/)/.test(text) && isUri(`https://service.example${text}`));

const BLANK = 'about:blank';

/** A type of all problems is `about:blank`, or a URI with the code in it once; a type of one code is a URI. */
function checkProblemType(r: Resolved, type: Token | null): void {
  const { columns, rows } = r.model.errors;
  const [column] = columns;
  if (column && !type) r.notes.findings.push(d.report.typeColumn(column.heading));
  if (type) {
    const [before = '', after, ...more] = type.text.split(CODE_IN_TYPE);
    const isTemplate = after !== undefined && more.length === 0 && isProblemType(`${before}code${after}`);
    if (!isTemplate && type.text !== BLANK)
      r.notes.findings.push(d.report.problemType(type.inner, { found: type.text }));
  }
  if (!column) return;
  const cells = rows.map((row) => ownMember(row.more, column.name) ?? null);
  if (rows.length > 0 && cells.every((cell) => !cell)) r.notes.findings.push(d.report.typeColumnBlank(column.heading));
  for (const [i, cell] of cells.entries()) {
    if (!cell?.value) continue;
    if (!isProblemType(cell.value)) r.notes.findings.push(d.report.problemTypeOf(cell, { found: cell.value }));
    else if (type && cell.value === problemType(type.text, rows[i]?.code.text ?? ''))
      r.notes.findings.push(d.report.problemTypeSame(cell, { found: cell.value }));
  }
}

/**
 * Returns the payload table of that name. A misspelt name is reported, and resolves to the table with the nearest name.
 */
function payloadNamed(r: Resolved, name: Name): PayloadTable | null {
  const { payloads } = r.model.errors;
  const found = payloads.find((table) => table.name.text === name.text);
  if (found) return found;
  const names = payloads.map((table) => table.name.text);
  r.unknown(name, 'payload', names);
  const suggestion = r.nearest(name.text, names);
  return payloads.find((table) => table.name.text === suggestion) ?? null;
}

const blankCells = (code: string, others: number, column: string): Record<string, string> => ({
  code,
  column,
  further: 'yes',
  ...(others ? { others: `${others}` } : {}),
});

/**
 * Checks the further columns: each has a value for every error, and the payload uses it. The published list answers the
 * conditions in `common`.
 */
export function checkColumns(r: Resolved, common: readonly Condition[]): void {
  const { columns, rows, blanks } = r.model.errors;
  const { findings } = r.notes;
  // A blank cell of the column of problem details has the type that `Payload` states.
  if (r.model.errors.payload?.value.kind === 'RFC 9457' && r.model.errors.payloads.length === 0) return;
  for (const column of columns) {
    const { name, heading } = column;
    const blank = blanks.find((one) => one.column.text === heading.text);
    if (!r.columnUses.has(name) && !r.isSuggested(name))
      findings.push(d.report.columnUnused(heading, { column: heading.text }));
    const [unsaid, ...others] = blank ? [] : rows.filter((row) => !ownMember(row.more, name));
    // One column is one question, however many rows leave it open.
    if (unsaid)
      findings.push(d.report.blankCell(unsaid.code, blankCells(unsaid.code.text, others.length, heading.text)));
    for (const row of rows) {
      const cell = ownMember(row.more, name);
      if (cell && blank && cell.value === blank.value)
        findings.push(d.report.sameAsBlank(cell, { column: heading.text }));
    }
    const [condition] = common;
    if (condition !== undefined && !blank)
      findings.push(d.report.commonColumn(r.model.errors.common, { column: heading.text, condition }));
    if (blank && !common.length && rows.every((row) => ownMember(row.more, name)))
      findings.push(d.report.blankUnused(blank.column, { column: heading.text }));
  }
  const known = columns.map((column) => column.heading.text);
  for (const { column } of blanks) if (!known.includes(column.text)) r.unknown(column, 'column of errors', known);
}

class PayloadChecker {
  private readonly r: Resolved;
  private readonly used: Set<PayloadTable>;
  private readonly typed = new Set<PayloadTable>();
  private readonly error: t.Type;

  constructor(r: Resolved, used: Set<PayloadTable>) {
    this.r = r;
    this.used = used;
    this.error = errorType(r);
  }

  /** Checks a table. `perFault`: the table describes one fault. `above`: the tables that contain this one. */
  table(table: PayloadTable, perFault: boolean, above: readonly PayloadTable[]): void {
    if (above.includes(table)) {
      this.r.notes.findings.push(d.report.payloadCircle(table.name, { name: table.name.text }));
      return;
    }
    this.used.add(table);
    if (this.typed.has(table)) return;
    this.typed.add(table);
    const seen = new Set<string>();
    refuseNested(
      table.members.map((member) => member.name),
      this.r.notes.findings,
    );
    for (const member of table.members) {
      const { text } = member.name;
      if (seen.has(text)) this.r.notes.findings.push(d.report.payloadTwice(member.name, { name: text }));
      seen.add(text);
      this.member(member, perFault, [...above, table]);
    }
  }

  private member({ name, type, value }: PayloadMember, perFault: boolean, above: readonly PayloadTable[]): void {
    if (!type || !value) return;
    const { many, of } = type.value;
    if (of.kind === 'payload') {
      this.nested(type.value, value.value.kind === 'one' ? value.value.value : null, value, perFault, above);
      return;
    }
    const wanted = { ...(of.type === 'string' ? t.STRING : { kind: of.type }), nullable: true } as t.Type;
    if (many === 'one') {
      if (value.value.kind === 'one') {
        const expr = this.type(value.value.value, wanted, perFault);
        if (expr?.type.nullable)
          this.r.nullableAnswers.push({ ...name, value: `The member \`${name.text}\` of errors` });
      } else this.misplaced(value, 'one value: an expression in inline code');
      return;
    }
    const form = many === 'list' ? 'each `fault.message`' : 'each `fault.message` by `fault.field`';
    if (value.value.kind === 'one' || perFault) {
      this.misplaced(value, perFault ? 'one value: it stands in a fault already' : form);
      return;
    }
    this.each(value.value, wanted, many, form, true);
    if (value.value.otherwise) this.each(value.value.otherwise, wanted, many, form, false);
  }

  private each(one: EachValue, wanted: t.Type, many: string, form: string, perFault: boolean): void {
    if ((one.key === null) === (many === 'map of list')) this.misplaced(one.value, form);
    this.type(one.value, t.nullable(wanted, !perFault), perFault);
    if (one.key) this.type(one.key, perFault ? t.STRING : TEXT, perFault);
  }

  /**
   * Checks a member whose type is another table. Its value is `error`, or `fault` in a table for a fault; for a list,
   * `error.each`.
   */
  private nested(
    type: MemberType,
    token: Token | null,
    span: Span,
    perFault: boolean,
    above: readonly PayloadTable[],
  ): void {
    if (type.of.kind !== 'payload') return;
    const { name } = type.of;
    const table = payloadNamed(this.r, name);
    const own = perFault ? 'fault' : 'error';
    const wanted = type.many === 'one' ? own : type.many === 'list' && !perFault ? 'error.each' : null;
    if (wanted === null || token?.text !== wanted) {
      const legal = wanted === null ? [] : [wanted];
      const form = wanted === null ? 'something else: a table stands in a fault once, and in no map' : `\`${wanted}\``;
      this.misplaced(token ? token.inner : span, form, legal);
    } else this.r.notes.marks.push({ ...token.inner, role: 'word' });
    if (table) this.table(table, perFault || type.many === 'list', above);
  }

  private misplaced(span: Span, takes: string, legal: readonly string[] = []): void {
    this.r.notes.findings.push(allowing(d.report.memberValue(span, { takes }), legal));
  }

  private type(token: Token, wanted: t.Type, perFault: boolean): Expr | null {
    const names = new Map<string, t.Type>([['error', this.error]]);
    if (perFault) names.set('fault', { kind: 'object', members: FAULT, nullable: false });
    const expr = this.r.type(token, this.r.scope(names, null), wanted, 'The member', 'row');
    if (expr) this.r.noteColumns(expr);
    return expr;
  }
}

/**
 * The type of `error` in expressions: title, code, status, and one member for each further column of the table of
 * errors.
 */
function errorType(r: Resolved): t.Type {
  const { columns } = r.model.errors;
  const code = { ...t.STRING, oneOf: codesOf(r.model.errors), owner: 'the error codes' };
  const { titles, statuses } = toldOf(r.model.errors);
  const title = titles ? { ...t.STRING, oneOf: titles, owner: 'the titles of errors' } : t.STRING;
  const status: t.Type = statuses
    ? { kind: 'integer', nullable: false, oneOf: statuses, owner: 'the statuses of errors' }
    : t.INTEGER;
  const members: Record<string, t.Type> = { title, code, status };
  for (const column of columns) {
    const { text } = column.heading;
    const columnType = { ...t.STRING, oneOf: valuesUnder(r.model.errors, column), owner: `the column “${text}”` };
    members[column.name] = t.nullable(columnType, isOptional(r.model.errors, column));
  }
  return { kind: 'object', members, nullable: false };
}

/** The codes that an error may have: those of the table, and of the published list where it is adopted. */
function codesOf(errors: Errors): string[] {
  return [...new Set([...errors.rows.map((row) => row.code.text), ...adopted(errors).map(({ code }) => code)])];
}

/** The titles and the statuses that an error may have; null while some row doesn't state its own. */
function toldOf(errors: Errors): { titles: string[] | null; statuses: number[] | null } {
  const { rows } = errors;
  const others = adopted(errors);
  const titles = rows.flatMap(({ title }) => (title ? [title.value] : []));
  const statuses = rows.flatMap(({ status }) => (status ? [status.value] : []));
  const all = <T>(stated: T[], published: T[]): T[] | null =>
    stated.length === rows.length ? [...new Set([...stated, ...published])] : null;
  return {
    titles: all(
      titles,
      others.map((one) => one.title),
    ),
    statuses:
      all(
        statuses,
        others.map((one) => one.status),
      )?.sort((a, b) => a - b) ?? null,
  };
}

/** The outcomes of the published list for conditions without a row in the table; none where the list is not adopted. */
function adopted({ rows, common }: Errors): Outcome[] {
  const stated = new Set(rows.flatMap(({ when }) => when.map(({ value }) => value as string)));
  return common ? [...COMMON_1].flatMap(([condition, outcome]) => (stated.has(condition) ? [] : [outcome])) : [];
}

/** The values of a further column in all rows, and the value of its blank cells. */
function valuesUnder({ rows, blanks }: Errors, { name, heading }: Column): string[] {
  const blank = blanks.find((one) => one.column.text === heading.text)?.value;
  const cells = rows.map((row) => ownMember(row.more, name)?.value);
  return [...new Set([...cells, blank].filter((value) => typeof value === 'string'))];
}
