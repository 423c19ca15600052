import { BLANK_CELLS, type BlankCell, FIELD, type FieldColumn, onOneLine } from '../../language/resources.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import type { Name } from '../../syntax/names.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** The meanings of blank cells by column, as the bullet `Blank cells` states them; reports missing and unused ones. */
export class Blanks {
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
    const write = `- Blank cells: ${[...stated, ...suggested].join(', ')}`;
    for (const [column, [first, ...others]] of this.blank) {
      const also = others.length > 1 ? `${others.length} others` : others[0]?.text;
      const fields = also === undefined ? `${first.text} says` : `${first.text} and ${also} say`;
      findings.push(d.report.blankCell(first, { column, fields, write }));
    }
  }

  refuseUnused(findings: Finding[]): void {
    for (const { column, used } of this.statements.values())
      if (!used) findings.push(d.report.blankUnused(column, { column: column.text }));
  }
}
