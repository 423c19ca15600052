import type { TABLES } from '../../../language/columns.ts';
import { PARAMETER } from '../../../language/endpoints.ts';
import { type Cells, isBlank, readValue } from '../../../language/read.ts';
import { ALLOWED, TYPE } from '../../../language/values.ts';
import type { Text } from '../../../syntax/markdown.ts';
import { located, readCell, takePath } from '../../../syntax/names.ts';
import type { Notes, Phrase } from '../../../syntax/phrase.ts';
import type { Parameter, ParameterType } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** The columns that say of each parameter what its contract is. */
export const PARAMETER_OWED = ['In', 'Type', 'Allowed values', 'Presence'] as const;

/** Reads one row of a parameter table. `Otherwise` and `Keeps rows where` may be blank: they state something more. */
export function readParameter(
  cells: Cells<keyof typeof TABLES.parameter>,
  notes: Notes,
  owed: ReadonlyArray<keyof typeof TABLES.parameter> = PARAMETER_OWED,
): Parameter | null {
  const name = cells.Parameter && readValue(cells.Parameter, notes, PARAMETER.Parameter)?.value;
  if (!name) {
    if (!cells.Parameter)
      notes.findings.push(d.report.blankCell(cells.span, { parameter: 'This parameter', column: 'Parameter' }));
    return null;
  }
  for (const column of owed)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(name, { parameter: `“${name.text}”`, column }));
  const allowed = cells['Allowed values'];
  const keeps = cells['Keeps rows where'];
  return {
    name,
    in: cells.In && readValue(cells.In, notes, PARAMETER.In),
    type: cells.Type && readCell(cells.Type, notes, readParameterType),
    allowed: allowed && readValue(allowed, notes, ALLOWED),
    ...readPresence(cells.Presence, notes),
    otherwise: (cells.Otherwise && readValue(cells.Otherwise, notes, PARAMETER.Otherwise)?.value) ?? null,
    keeps: (keeps && readValue(keeps, notes, PARAMETER['Keeps rows where'])?.value) ?? null,
    span: cells.span,
  };
}

/** `always`, `optional` or ``else `e` ``. */
function readPresence(cell: Text | null, notes: Notes): Pick<Parameter, 'presence' | 'fallback'> {
  const stated = cell && readValue(cell, notes, PARAMETER.Presence);
  if (!stated) return { presence: null, fallback: null };
  const { value } = stated;
  const presence = typeof value === 'string' ? value : 'else';
  return { presence: located(stated, presence), fallback: typeof value === 'string' ? null : value };
}

/** `Order.id`, or a type of the language; `separated by commas`, how a list is written in an address. */
function readParameterType(phrase: Phrase): ParameterType | null {
  if (!phrase.peek()?.text.includes('.')) {
    const type = TYPE.read(phrase);
    return type === undefined ? null : { kind: 'plain', type, separated: readSeparated(phrase) };
  }
  const path = takePath(phrase, 'a field, such as Order.id');
  return path && { kind: 'field', ...path, separated: readSeparated(phrase) };
}

function readSeparated(phrase: Phrase): boolean {
  return phrase.mark(',') && phrase.expect('separated by') && phrase.expect('commas');
}
