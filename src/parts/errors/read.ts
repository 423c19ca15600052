import { language } from '../../source/language.ts';
import type { Section } from '../../source/markdown.ts';
import { type Notes, Phrase } from '../../source/phrase.ts';
import {
  type Cells,
  readBullets,
  readCell,
  readName,
  readTable,
  refuse,
  refuseRepeats,
  type Said,
  said,
} from '../../source/read.ts';
import { CONDITIONS } from './conditions.ts';
import { errorsDiagnostics as d } from './diagnostics.ts';
import type { ErrorRow, Errors } from './model.ts';

const COLUMNS = ['Code', 'Status', 'When', 'Title'] as const;

/** Reads `## Errors`. */
export function readErrors(section: Section | null, notes: Notes): Errors {
  const out: { payload: Errors['payload']; common: Errors['common'] } = { payload: null, common: null };
  if (!section) return { ...out, rows: [] };
  readBullets(
    section,
    {
      Payload: (value, span) => {
        out.payload = said(span, value.choose(['RFC 9457']));
      },
      Conditions: (value, span) => {
        out.common = said(span, value.choose(['Ninefold common 1']));
      },
    },
    notes,
  );
  refuse(section, { steps: true, children: true }, 'among the errors', notes.findings);
  const rows = section.tables.flatMap((table) =>
    readTable(table, COLUMNS, notes).flatMap((cells) => readRow(cells, notes) ?? []),
  );
  refuseRepeats(
    rows.map((row) => row.code),
    notes.findings,
    'The code ',
  );
  return { ...out, rows };
}

function readRow(cells: Cells<(typeof COLUMNS)[number]>, notes: Notes): ErrorRow | null {
  const code = cells.Code && readName(cells.Code, notes, 'declaration', 'an error code');
  if (!code) {
    if (!cells.Code) notes.findings.push(d.report.blankCell(cells.span, { code: 'This error', column: 'Code' }));
    return null;
  }
  for (const column of ['Status', 'When', 'Title'] as const)
    if (!cells[column]) notes.findings.push(d.report.blankCell(code, { code: code.text, column }));
  const status = cells.Status && readCell(cells.Status, notes, (phrase) => phrase.integer('a status code'));
  if (status && (status.value < 400 || status.value > 599))
    notes.findings.push(d.report.status(status, { status: `${status.value}` }));
  return {
    code,
    status,
    when: cells.When ? readWhen(new Phrase(cells.When, notes)) : [],
    title: cells.Title && readCell(cells.Title, notes, (phrase) => phrase.rest()),
    span: cells.span,
  };
}

function readWhen(phrase: Phrase): ErrorRow['when'] {
  const out: Array<ErrorRow['when'][number]> = [];
  do {
    const from = phrase.peek()?.from ?? phrase.text.from;
    const condition = phrase.choose([...CONDITIONS, 'a step says so', 'a rule says so'] as const);
    if (!condition) return out;
    const one: Said<typeof condition> = { value: condition, from, to: phrase.peek()?.from ?? phrase.text.to };
    if (out.some((other) => other.value === condition))
      phrase.findings.push(language.report.twice(one, { what: `“${condition}”` }));
    out.push(one);
  } while (phrase.mark(','));
  phrase.end();
  return out;
}
