import type { TABLES } from '../../../language/columns.ts';
import { type Cells, isBlank } from '../../../language/read.ts';
import type { Text } from '../../../syntax/markdown.ts';
import { readCell, readName, takePath } from '../../../syntax/names.ts';
import { type Notes, Phrase } from '../../../syntax/phrase.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { readAllowed, readType } from '../../resources/read-values.ts';
import { PARAMETER_PLACES, type Parameter, type ParameterType } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** The columns that say of each parameter what its contract is. */
export const PARAMETER_OWED = ['In', 'Type', 'Allowed values', 'Presence'] as const;

/** Reads one row of a parameter table. `Otherwise` and `Keeps rows where` may be blank: they state something more. */
export function readParameter(
  cells: Cells<keyof typeof TABLES.parameter>,
  notes: Notes,
  owed: ReadonlyArray<keyof typeof TABLES.parameter> = PARAMETER_OWED,
): Parameter | null {
  const name = cells.Parameter && readName(cells.Parameter, notes, 'declaration', 'the name of a parameter');
  if (!name) {
    if (!cells.Parameter)
      notes.findings.push(d.report.blankCell(cells.span, { parameter: 'This parameter', column: 'Parameter' }));
    return null;
  }
  for (const column of owed)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(name, { parameter: `“${name.text}”`, column }));
  const keeps = cells['Keeps rows where'];
  const phrase = keeps && new Phrase(keeps, notes);
  const condition = phrase?.code('expression', 'a condition in inline code') ?? null;
  phrase?.end();
  const allowed = cells['Allowed values'];
  return {
    name,
    in: cells.In && readCell(cells.In, notes, (text) => text.choose(PARAMETER_PLACES)),
    type: cells.Type && readCell(cells.Type, notes, (text) => readParameterType(text, notes)),
    allowed: allowed && readCell(allowed, notes, (text) => readAllowed(text, notes)),
    ...readPresence(cells.Presence, notes),
    otherwise: cells.Otherwise && readName(cells.Otherwise, notes, 'use', 'an error code'),
    keeps: condition,
    span: cells.span,
  };
}

/** `always`, `optional` or ``else `e` ``. */
function readPresence(cell: Text | null, notes: Notes): Pick<Parameter, 'presence' | 'fallback'> {
  let fallback: Token | null = null;
  const presence =
    cell &&
    readCell(cell, notes, (phrase) => {
      const chosen = phrase.choose(['always', 'optional', 'else'] as const);
      if (chosen === 'else') fallback = phrase.code('expression', 'an expression in inline code');
      return chosen;
    });
  return { presence, fallback };
}

/** `Order.id`, or a type of the language; `separated by commas`, how a list is written in an address. */
function readParameterType(phrase: Phrase, notes: Notes): ParameterType | null {
  if (!phrase.peek()?.text.includes('.')) {
    const type = readType(phrase, notes);
    return type && { kind: 'plain', type, separated: readSeparated(phrase) };
  }
  const path = takePath(phrase, 'a field, such as Order.id');
  return path && { kind: 'field', ...path, separated: readSeparated(phrase) };
}

function readSeparated(phrase: Phrase): boolean {
  return phrase.mark(',') && phrase.expect('separated by') && phrase.expect('commas');
}
