import { TABLES } from '../../language/columns.ts';
import { type Cells, isBlank, readBullets, readTable } from '../../language/read.ts';
import type { Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import {
  located,
  type Name,
  readCell,
  readName,
  refuse,
  refuseLookalikes,
  refuseRepeats,
  takeName,
  takeNames,
  takePath,
} from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { takeDuration } from '../../syntax/units.ts';
import { checkStepsAsProse, readSteps } from '../endpoints/read/steps.ts';
import type { Machine, Reaction, States, Transition, When } from '../statements/states.ts';
import { statesDiagnostics as d } from './messages.ts';

/** Reads `## States and transitions`. */
export function readStates(section: Section | null, notes: Notes): States {
  if (!section) return { none: false, machines: [] };
  let none = false;
  readBullets(
    section,
    'states',
    {
      States: (value) => {
        none = value.expect('none');
      },
    },
    notes,
  );
  refuse(section, { tables: true, steps: true }, 'outside the states of a field', notes.findings);
  const machines = section.children.flatMap((child) => readMachine(child, notes) ?? []);
  const before = new Map<string, Set<string>>();
  for (const machine of machines) {
    const fields = before.get(machine.resource.text) ?? new Set();
    const what = `${machine.resource.text}.${machine.field.text}`;
    if (fields.has(machine.field.text))
      notes.findings.push(language.report.twice(machine.span, { what: `The states of ${what}` }));
    else if (fields.size)
      notes.findings.push(
        language.report.notYet(machine.span, { what: `A second field with states of ${machine.resource.text}` }),
      );
    before.set(machine.resource.text, fields.add(machine.field.text));
  }
  return { none, machines };
}

/** Reads `### Order.status`. */
export function readMachine(section: Section, notes: Notes): Machine | null {
  const heading = new Phrase(section.heading, notes);
  const path = takePath(heading, 'a field, such as Order.status');
  if (!heading.end() || !path) return null;
  const out: { initial: Name | null; final: Machine['final'] } = { initial: null, final: null };
  readBullets(
    section,
    'machine',
    {
      Initial: (value) => {
        out.initial = takeName(value, 'use', 'a state');
      },
      Final: (value, span) => {
        out.final = located(span, value.take('none') ? [] : takeNames(value, 'a state'));
      },
    },
    notes,
  );
  refuse(section, { steps: true }, 'under a field’s states', notes.findings);
  const reactions = section.children.flatMap((child) => readReaction(child, notes) ?? []);
  refuseRepeats(
    reactions.map((reaction) => reaction.transition),
    notes.findings,
    'What follows ',
  );
  const transitions = section.tables.flatMap((table) =>
    readTable(table, TABLES.transition, notes).flatMap((cells) => readTransition(cells, notes) ?? []),
  );
  const names = transitions.map((transition) => transition.name);
  refuseRepeats(names, notes.findings, 'The transition ');
  refuseLookalikes(names, notes.findings, 'The transition ');
  return {
    ...path,
    ...out,
    transitions,
    reactions,
    span: section.heading,
  };
}

/** `#### After cancel`, then steps */
function readReaction(section: Section, notes: Notes): Reaction | null {
  const heading = new Phrase(section.heading, notes);
  const transition = heading.expect('After') ? takeName(heading, 'use', 'a transition') : null;
  if (!heading.end() || !transition) return null;
  refuse(section, { tables: true, bullets: true, children: true }, 'after a transition', notes.findings);
  checkStepsAsProse(section, notes);
  if (section.steps.length === 0)
    notes.findings.push(d.report.reactionEmpty(section.heading, { transition: transition.text }));
  return { transition, steps: readSteps(section.steps, notes), span: section.heading };
}

/** What stands in a cell of a transition where there is nothing more to say. */
const LIKELY: Readonly<Record<string, (transition: string) => string>> = {
  When: () => 'always',
  Otherwise: (transition) => `cannot_${transition}`,
};

function readTransition(cells: Cells<keyof typeof TABLES.transition>, notes: Notes): Transition | null {
  const name = cells.Transition && readName(cells.Transition, notes, 'declaration', 'the name of a transition');
  if (!name) {
    if (!cells.Transition)
      notes.findings.push(d.report.blankCell(cells.span, { column: 'Transition', transition: 'This row' }));
    return null;
  }
  const ask = (column: string) =>
    notes.findings.push(
      d.report.blankCell(name, {
        column,
        transition: `The transition “${name.text}”`,
        write: LIKELY[column]?.(name.text) ?? '',
      }),
    );
  for (const column of ['From', 'To', 'When', 'Otherwise'] as const) if (isBlank(cells, column)) ask(column);
  return {
    name,
    from: (cells.From && readCell(cells.From, notes, (phrase) => takeNames(phrase, 'a state'))?.value) ?? [],
    to: cells.To && readName(cells.To, notes, 'use', 'a state'),
    when: cells.When && readCell(cells.When, notes, (phrase) => readWhen(phrase)),
    otherwise:
      cells.Otherwise &&
      readCell(cells.Otherwise, notes, (phrase) =>
        phrase.take('none') ? 'none' : takeName(phrase, 'use', 'an error code, or none'),
      ),
    span: cells.span,
  };
}

/** ``always``, a guard in code, or ``24 hours after `created` `` */
function readWhen(phrase: Phrase): When | null {
  if (phrase.take('always')) return { kind: 'always' };
  if (phrase.take('at')) {
    const instant = phrase.code('expression', 'a field in inline code');
    return instant && { kind: 'after', milliseconds: 0, instant };
  }
  const test = phrase.peek()?.kind === 'code' ? phrase.code('expression', 'a guard') : null;
  if (test) return { kind: 'guard', test };
  if (!/^\d/.test(phrase.peek()?.text ?? '')) {
    phrase.fail('“always”, a guard in inline code, or a time such as at `starts` or 24 hours after `created`');
    return null;
  }
  const milliseconds = takeDuration(phrase);
  if (milliseconds === null) return null;
  if (!phrase.take('after')) {
    phrase.fail('“after” and an instant: a field in inline code, or the transition that the time follows');
    return null;
  }
  if (phrase.peek()?.kind === 'word') {
    const by = takeName(phrase, 'use', 'a field in inline code, or a transition');
    return by && { kind: 'after move', milliseconds, by };
  }
  const instant = phrase.code('expression', 'a field in inline code');
  return instant && { kind: 'after', milliseconds, instant };
}
