import { TABLES } from '../../language/columns.ts';
import { type Cells, isBlank, readCells, readStatements, readTable } from '../../language/read.ts';
import { VERSION, VERSIONING } from '../../language/versioning.ts';
import type { Section } from '../../syntax/markdown.ts';
import { located, refuse } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/own-members.ts';
import type { Version, Versioning } from '../statements/versioning.ts';
import { versioningDiagnostics as d } from './messages.ts';

const COLUMNS = keysOf(VERSION);

/** Reads `## Versioning`. */
export function readVersioning(section: Section | null, notes: Notes): Versioning {
  const { scheme: stated, current, without, policy } = readStatements(section, 'versioning', VERSIONING, notes);
  const scheme = stated && stated.value !== 'none' ? located(stated, stated.value) : null;
  if (section) refuse(section, { steps: true, children: true }, 'in this part', notes.findings);
  return {
    none: stated?.value === 'none',
    scheme,
    header: scheme && 'header' in scheme.value ? located(scheme, scheme.value.header) : null,
    vary: scheme !== null && 'vary' in scheme.value && scheme.value.vary,
    current: current && located(current.value, current.value.text),
    without,
    policy,
    versions: (section?.tables ?? []).flatMap((table) =>
      readTable(table, TABLES.version, notes).flatMap((cells) => readVersion(cells, notes) ?? []),
    ),
  };
}

function readVersion(cells: Cells<keyof typeof VERSION>, notes: Notes): Version | null {
  for (const column of COLUMNS)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(cells.span, { column }));
  const { name, state, ...stated } = readCells(VERSION, notes, (column) => cells[column]);
  return name && { name: name.value.text, at: name.value, state: state?.value ?? null, ...stated, span: cells.span };
}
