import { readStatements } from '../../../language/read.ts';
import { SCHEDULE } from '../../../language/schedules.ts';
import type { Section } from '../../../syntax/markdown.ts';
import { type Name, refuse } from '../../../syntax/names.ts';
import type { Notes } from '../../../syntax/phrase.ts';
import type { Schedule } from '../../statements/endpoints.ts';
import { schedulesDiagnostics as d } from '../messages/schedules.ts';
import { checkStepsAsProse, readSteps } from '../read/steps.ts';

/** Reads the section `### Schedule nightly`; the caller has read the name. */
export function readSchedule(section: Section, name: Name, notes: Notes): Schedule {
  const stated = readStatements(section, 'schedule', SCHEDULE, notes);
  refuse(section, { tables: true, children: true }, 'under a schedule', notes.findings);
  checkStepsAsProse(section, notes);
  if (section.steps.length === 0) notes.findings.push(d.report.scheduleEmpty(section.heading, { name: name.text }));
  return { ...stated, name, steps: readSteps(section.steps, notes), span: section.heading };
}
