import { TABLES } from '../../../language/columns.ts';
import { HANDLER } from '../../../language/handlers.ts';
import { readStatements } from '../../../language/read.ts';
import type { Section, Table } from '../../../syntax/markdown.ts';
import { type Name, refuse, refuseRepeats } from '../../../syntax/names.ts';
import { type Notes, Phrase } from '../../../syntax/phrase.ts';
import type { Handler, HandlerSteps, Parameter } from '../../statements/endpoints.ts';
import { handlersDiagnostics as d } from '../messages/handlers.ts';
import { readArguments } from '../read/parameters.ts';
import { readSteps } from '../read/steps.ts';

/** Reads the section `### Handler quote`; the caller has read the name. */
export function readHandler(section: Section, name: Name, notes: Notes): Handler {
  const out: { -readonly [K in keyof Handler]: Handler[K] } = {
    ...readStatements(section, 'handler', HANDLER, notes),
    name,
    takes: [],
    gives: [],
    answers: null,
    failing: null,
    span: section.heading,
  };
  refuse(section, { steps: true }, 'under a handler', notes.findings);
  for (const table of section.tables) {
    const [key, fields] = readFields(table, notes);
    out[key] = [...out[key], ...fields];
  }
  for (const fields of [out.takes, out.gives])
    refuseRepeats(
      fields.map((field) => field.name),
      notes.findings,
    );
  for (const child of section.children) {
    const heading = new Phrase(child.heading, notes);
    const phrases = [`When ${name.text} answers`, `When ${name.text} fails`] as const;
    const found = heading.choose(phrases);
    if (!found || !heading.end()) continue;
    refuse(child, { tables: true, bullets: true, children: true }, 'when a handler has run', notes.findings);
    const list: HandlerSteps = { steps: readSteps(child.steps, notes), span: child.heading };
    if (child.steps.length === 0) notes.findings.push(d.report.handlerEmpty(child.heading));
    if (found === phrases[0]) out.answers = list;
    else out.failing = list;
  }
  return out;
}

/** Reads a table of the inputs (`Takes`) or outputs (`Gives`) of a handler, by the heading of its first column. */
function readFields(table: Table, notes: Notes): ['takes' | 'gives', Parameter[]] {
  const [first] = table.header;
  const gives = first !== undefined && first.source.slice(first.from, first.to).trim() === 'Gives';
  const fields = gives
    ? readArguments(table, TABLES.gives, 'Gives', notes)
    : readArguments(table, TABLES.takes, 'Takes', notes);
  return [gives ? 'gives' : 'takes', fields];
}
