import type { Finding } from '../../syntax/diagnostic.ts';
import type { Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import type { Name } from '../../syntax/names.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** The columns of a field table whose blank cells a document may give a meaning. */
export type FieldColumn = 'Type' | 'Format' | 'Allowed values' | 'Given by' | 'Presence' | 'Unique';

/** What blank cells of a column most often mean. */
const MEANINGS: Readonly<Record<FieldColumn, string>> = {
  Type: 'string',
  Format: 'none',
  'Allowed values': 'any',
  'Given by': 'request',
  Presence: 'always',
  Unique: 'no',
};

/** What `Blank cells` says of each column, and whether any cell needed it. */
export class Blanks {
  private readonly statements = new Map<FieldColumn, { name: Name; text: Text; used: boolean }>();
  private readonly blank = new Map<FieldColumn, [Name, ...Name[]]>();

  add(name: Name, column: FieldColumn, text: Text, findings: Finding[]): void {
    if (this.statements.has(column))
      findings.push(language.report.twice(name, { what: `What a blank cell under “${column}” means` }));
    else this.statements.set(column, { name, text, used: false });
  }

  /** What a cell says: its own text, or what blank ones mean. Null where neither is stated. */
  meaning(column: FieldColumn, cell: Text | null, findings: Finding[]): Text | null {
    const statement = this.statements.get(column);
    if (!cell) {
      if (statement) statement.used = true;
      return statement?.text ?? null;
    }
    if (statement && words(cell) === words(statement.text)) findings.push(d.report.sameAsBlank(cell, { column }));
    return cell;
  }

  /** A field whose cell is blank, where nothing says what that means. */
  addBlank(column: FieldColumn, field: Name): void {
    const known = this.blank.get(column);
    if (known) known.push(field);
    else this.blank.set(column, [field]);
  }

  /** One question for each column, since one statement answers it for all of its blank cells. */
  ask(findings: Finding[]): void {
    const stated = [...this.statements].map(([column, { text }]) => `${column} ${words(text)}`);
    const suggested = [...this.blank.keys()].map((column) => `${column} ${MEANINGS[column]}`);
    const write = `- Blank cells: ${[...stated, ...suggested].join(', ')}`;
    for (const [column, [first, ...others]] of this.blank) {
      const also = others.length > 1 ? `${others.length} others` : others[0]?.text;
      const fields = also === undefined ? `${first.text} says` : `${first.text} and ${also} say`;
      findings.push(d.report.blankCell(first, { column, fields, write }));
    }
  }

  refuseUnused(findings: Finding[]): void {
    for (const { name, used } of this.statements.values())
      if (!used) findings.push(d.report.blankUnused(name, { column: name.text }));
  }
}

const words = (text: Text): string => text.source.slice(text.from, text.to).replace(/\s+/g, ' ');
