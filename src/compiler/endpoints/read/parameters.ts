import type { Forms, TABLES } from '../../../language/columns.ts';
import { PARAMETER } from '../../../language/endpoints.ts';
import { type Cells, isBlank, readCells, readTable } from '../../../language/read.ts';
import { blanksOf } from '../../../language/statement.ts';
import type { Table } from '../../../syntax/markdown.ts';
import { located } from '../../../syntax/names.ts';
import type { Notes } from '../../../syntax/phrase.ts';
import { keysOf } from '../../../text/own-members.ts';
import type { Parameter } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** The columns that every parameter must fill. */
export const PARAMETER_OWED = keysOf(blanksOf(PARAMETER)).filter((column) => column !== 'Parameter');

/** Reads one row of a parameter table. */
export function readParameter(
  cells: Cells<keyof typeof TABLES.parameter>,
  notes: Notes,
  owed: ReadonlyArray<keyof typeof TABLES.parameter> = PARAMETER_OWED,
): Parameter | null {
  const { name: declared, presence, otherwise, keeps, ...stated } = readCells(PARAMETER, notes, (key) => cells[key]);
  if (!declared) {
    if (!cells.Parameter)
      notes.findings.push(d.report.blankCell(cells.span, { parameter: 'This parameter', column: 'Parameter' }));
    return null;
  }
  const name = declared.value;
  for (const column of owed)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(name, { parameter: `“${name.text}”`, column }));
  const fallback = presence && typeof presence.value !== 'string' ? presence.value : null;
  return {
    name,
    ...stated,
    presence: presence && located(presence, typeof presence.value === 'string' ? presence.value : 'else'),
    fallback,
    otherwise: otherwise?.value ?? null,
    keeps: keeps?.value ?? null,
    span: cells.span,
  };
}

/** The columns of a table of values that are no parameters: inputs and outputs of handlers, and claims of tokens. */
const ARGUMENT_COLUMNS = ['Type', 'Allowed values', 'Presence'] as const;
type Arguments<C extends string> = Readonly<Record<C | (typeof ARGUMENT_COLUMNS)[number], Forms>>;

/** Reads a table of values whose names stand under `first`: members of a JSON object, like parameters in a body. */
export function readArguments<C extends string>(
  table: Table,
  forms: Arguments<C>,
  first: C,
  notes: Notes,
): Parameter[] {
  return readTable(table, forms, notes, ARGUMENT_COLUMNS).flatMap((row) => {
    const none = { In: null, Otherwise: null, 'Keeps rows where': null };
    const one = readParameter({ ...row, Parameter: row[first], ...none }, notes, ARGUMENT_COLUMNS);
    return one ? [{ ...one, in: { value: 'body' as const, ...row.span } }] : [];
  });
}
