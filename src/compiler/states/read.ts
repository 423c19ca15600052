import { TABLES } from '../../language/columns.ts';
import { type Cells, isBlank, readCells, readStatements, readTable, readValue } from '../../language/read.ts';
import { MACHINE, MACHINE_NAME, REACTION_NAME, STATES, TRANSITION } from '../../language/states.ts';
import type { Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { refuse, refuseLookalikes, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/own-members.ts';
import { checkStepsAsProse, readSteps } from '../endpoints/read/steps.ts';
import { type Machine, namesOf, type Reaction, type States, type Transition } from '../statements/states.ts';
import { statesDiagnostics as d } from './messages.ts';

/** Reads `## States and transitions`. */
export function readStates(section: Section | null, notes: Notes): States {
  if (!section) return { none: false, machines: [] };
  const { none } = readStatements(section, 'states', STATES, notes);
  refuse(section, { tables: true, steps: true }, 'outside the states of a field', notes.findings);
  const machines = section.children.flatMap((child) => readMachine(child, notes) ?? []);
  for (const own of Map.groupBy(machines, ({ resource }) => resource.text).values()) refuseShared(own, notes);
  return { none: none !== null, machines };
}

/** Reports a field whose states are stated twice, and transitions of two fields of a resource with one name. */
function refuseShared(machines: readonly Machine[], notes: Notes): void {
  const fields = new Set<string>();
  const taken = new Map<string, string>();
  for (const { resource, field, transitions, span } of machines) {
    const path = `${resource.text}.${field.text}`;
    if (fields.has(path)) {
      notes.findings.push(language.report.twice(span, { what: `The states of ${path}` }));
      continue;
    }
    fields.add(path);
    for (const { name } of transitions) {
      const lower = name.text.toLowerCase();
      const other = taken.get(lower) ?? path;
      taken.set(lower, other);
      if (other !== path)
        notes.findings.push(
          d.report.nameShared(name, { name: name.text, field: other, free: `${field.text}_${name.text}` }),
        );
    }
  }
}

/** Reads `### Order.status`. */
export function readMachine(section: Section, notes: Notes): Machine | null {
  const path = readValue(section.heading, notes, MACHINE_NAME)?.value;
  if (!path) return null;
  const { initial, final } = readStatements(section, 'machine', MACHINE, notes);
  refuse(section, { steps: true }, 'under a field’s states', notes.findings);
  const reactions = section.children.flatMap((child) => readReaction(child, notes) ?? []);
  refuseRepeats(
    reactions.flatMap((reaction) => reaction.transitions),
    notes.findings,
    'What follows ',
  );
  const transitions = section.tables.flatMap((table) =>
    readTable(table, TABLES.transition, notes).flatMap((cells) => readTransition(cells, notes) ?? []),
  );
  const names = transitions.map((transition) => transition.name);
  refuseRepeats(names, notes.findings, 'The transition ');
  refuseLookalikes(names, notes.findings, 'The transition ');
  return { ...path, initial: initial?.value ?? null, final, transitions, reactions, span: section.heading };
}

/** `#### After cancel, expire`, then steps */
function readReaction(section: Section, notes: Notes): Reaction | null {
  const transitions = readValue(section.heading, notes, REACTION_NAME)?.value;
  if (!transitions) return null;
  refuse(section, { tables: true, bullets: true, children: true }, 'after a transition', notes.findings);
  checkStepsAsProse(section, notes);
  if (section.steps.length === 0)
    notes.findings.push(d.report.reactionEmpty(section.heading, { transition: namesOf({ transitions }) }));
  return { transitions, steps: readSteps(section.steps, notes), span: section.heading };
}

/** The likely content of a cell of a transition, suggested where the cell is blank. */
const LIKELY: Readonly<Record<string, (transition: string) => string>> = {
  When: () => 'always',
  Otherwise: (transition) => `cannot_${transition}`,
};

function readTransition(cells: Cells<keyof typeof TRANSITION>, notes: Notes): Transition | null {
  if (!cells.Transition) {
    notes.findings.push(d.report.blankCell(cells.span, { column: 'Transition', transition: 'This row' }));
    return null;
  }
  const { name, from, to, ...stated } = readCells(TRANSITION, notes, (column) => cells[column]);
  if (!name) return null;
  const { text } = name.value;
  for (const column of keysOf(TRANSITION))
    if (isBlank(cells, column)) {
      const params = { column, transition: `The transition “${text}”`, write: LIKELY[column]?.(text) ?? '' };
      notes.findings.push(d.report.blankCell(name.value, params));
    }
  return { name: name.value, from: from?.value ?? [], to: to?.value ?? null, ...stated, span: cells.span };
}
