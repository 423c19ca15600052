import { TABLES } from '../../language/columns.ts';
import { type Cells, readCells, readStatements, readTable, readValue } from '../../language/read.ts';
import {
  BLANK_CELLS,
  type BlankCell,
  FIELD,
  FIELD_NAME,
  type FieldColumn,
  onOneLine,
  RESOURCE,
  RESOURCE_NAME,
  RESOURCES,
} from '../../language/resources.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Section, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { isNameOfField, type Name, refuse, refuseLookalikes, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import type { Resource, Resources } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { type ReadField, readBytes } from './read-bytes.ts';

/** Reads `## Resources and their fields`. */
export function readResources(section: Section | null, notes: Notes): Resources {
  const { blank, ...rules } = readStatements(section, 'resources', RESOURCES, notes);
  if (!section) return { rules, list: [] };
  refuse(section, { tables: true, steps: true }, 'outside a resource', notes.findings);
  const blanks = new Blanks(blank?.value ?? [], notes.findings);
  const list = section.children.flatMap((child) => readResource(child, blanks, notes) ?? []);
  blanks.ask(notes.findings);
  blanks.refuseUnused(notes.findings);
  const names = list.map((resource) => resource.name);
  refuseRepeats(names, notes.findings, 'The resource ');
  refuseLookalikes(names, notes.findings, 'The resource ');
  return { rules, list };
}

/** Reads `### Order`: its fields, and the rules of its rows. */
function readResource(section: Section, blanks: Blanks, notes: Notes): Resource | null {
  const name = readValue(section.heading, notes, RESOURCE_NAME)?.value;
  if (!name) return null;
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name.text)) notes.findings.push(d.report.resourceName(name, { found: name.text }));
  refuse(section, { steps: true, children: true }, 'under a resource', notes.findings);
  const rows = section.tables.flatMap((table) => readTable(table, TABLES.field, notes, []));
  const read = rows.flatMap((cells) => readField(cells, blanks, name.text, notes) ?? []);
  const names = read.map((field) => field.name);
  refuseRepeats(names, notes.findings, 'The field ');
  refuseLookalikes(names, notes.findings, 'The field ');
  const all = read.map((field) => readBytes(field, `${name.text}.${field.name.text}`, notes.findings));
  const fields = all.flatMap((one) => one.fields);
  const bytes = all.flatMap((one) => one.bytes);
  return { name, fields, bytes, ...readRules(section, notes) };
}

/** Reads the bullets under a resource: derived fields, shown forms and rules. */
export function readRules(section: Section, notes: Notes): Omit<Resource, 'name' | 'fields' | 'bytes'> {
  const rules = readStatements(section, 'resource', RESOURCE, notes);
  for (const [key, { member }] of [
    ['Keeps', RESOURCE.Keeps],
    ['Removed with', RESOURCE['Removed with']],
    ['Cleared with', RESOURCE['Cleared with']],
  ] as const)
    refuseRepeats(
      rules[member].flatMap((rule) => rule.fields),
      notes.findings,
      `“${key}” for `,
    );
  const views = rules.views.map((view) => view.name);
  refuseRepeats(views, notes.findings, 'The view ');
  refuseLookalikes(views, notes.findings, 'The view ');
  return rules;
}

/**
 * Reads one row of a field table. A blank cell has the meaning in the part's `Blank cells`; without one, it is a
 * question.
 */
function readField(
  cells: Cells<'Field' | FieldColumn>,
  blanks: Blanks,
  resource: string,
  notes: Notes,
): ReadField | null {
  if (!cells.Field) {
    notes.findings.push(d.report.fieldUnnamed(cells.span));
    return null;
  }
  const name = readValue(cells.Field, notes, FIELD_NAME)?.value;
  if (!name) return null;
  if (!isNameOfField(name.text)) notes.findings.push(d.report.fieldName(name, { found: name.text }));
  const stated = readCells(FIELD, notes, (column) => {
    const text = blanks.meaning(column, cells[column], notes.findings);
    if (!text) blanks.addBlank(column, { ...name, text: `${resource}.${name.text}` });
    return text;
  });
  return { name, span: cells.span, ...stated };
}

/** The meanings of blank cells by column, as the bullet `Blank cells` states them; reports missing and unused ones. */
class Blanks {
  private readonly statements = new Map<FieldColumn, BlankCell & { used: boolean }>();
  private readonly blank = new Map<FieldColumn, [Name, ...Name[]]>();

  constructor(stated: readonly BlankCell[], findings: Finding[]) {
    for (const one of stated) {
      const column = one.column.text;
      if (!this.statements.has(column)) this.statements.set(column, { ...one, used: false });
      else findings.push(language.report.twice(one.column, { what: `What a blank cell under “${column}” means` }));
    }
  }

  /** The text of a cell, or the stated meaning of a blank one. Null where neither exists. */
  meaning(column: FieldColumn, cell: Text | null, findings: Finding[]): Text | null {
    const statement = this.statements.get(column);
    if (!cell) {
      if (statement) statement.used = true;
      return statement?.text ?? null;
    }
    if (statement && onOneLine(cell) === onOneLine(statement.text))
      findings.push(d.report.sameAsBlank(cell, { column }));
    return cell;
  }

  /** Records a field whose cell is blank, where no meaning is stated. */
  addBlank(column: FieldColumn, field: Name): void {
    const known = this.blank.get(column);
    if (known) known.push(field);
    else this.blank.set(column, [field]);
  }

  /** One question for each column, since one statement answers it for all of its blank cells. */
  ask(findings: Finding[]): void {
    const stated = this.statements.size ? [BLANK_CELLS.print([...this.statements.values()])] : [];
    const suggested = [...this.blank.keys()].map((column) => `${column} ${FIELD[column].meaning}`);
    const meanings = [...stated, ...suggested].join(', ');
    for (const [column, [first, ...others]] of this.blank) {
      const also = others.length > 1 ? `${others.length} others` : others[0]?.text;
      const fields = also === undefined ? `${first.text} says` : `${first.text} and ${also} say`;
      findings.push(
        d.report.blankCell(first, { column, fields, meanings, ...(also !== undefined && { others: also }) }),
      );
    }
  }

  refuseUnused(findings: Finding[]): void {
    for (const { column, used } of this.statements.values())
      if (!used) findings.push(d.report.blankUnused(column, { column: column.text }));
  }
}
