import { SCHEDULE } from '../../../language/schedules.ts';
import { factsOf } from '../../../language/statement.ts';
import { graded } from '../../../syntax/diagnostic.ts';

/** Findings about statements without effect. */
const STANDINGS = { idle: ['scheduleClocks', 'scheduleIdle'] } as const;

/** The question for each bullet of a schedule. */
const QUESTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  factsOf(SCHEDULE).map(({ key, what }) => [key, what]),
);

export const schedulesDiagnostics = graded('endpoints', STANDINGS, {
  scheduleEmpty: {
    severity: 'question',
    what: (p) => `Which steps does the schedule “${p.name}” run?`,
    why: 'The heading has no steps. Steps below it run in one transaction at each time of the schedule.',
    write: () => '1. Remove every Order where …',
    puts: 'below',
  },
  scheduleSays: {
    severity: 'question',
    what: (p) => `The schedule “${p.name}”: ${QUESTIONS[p.bullet ?? ''] ?? `what does “${p.bullet}” say?`}`,
    why: 'Ninefold has no defaults.',
    write: (p) => p.write ?? null,
  },
  scheduleZone: {
    severity: 'question',
    what: (p) => `In which time zone are the times of the schedule “${p.name}”?`,
    why: 'Clocks show another time in each time zone.',
    write: () => 'in `Europe/Berlin`',
    puts: 'end',
  },
  scheduleNoZone: {
    severity: 'error',
    what: (p) =>
      `There is no time zone “${p.found}”${p.write ? `: did you mean “${p.write}”?` : '.'} Allowed: a name of the IANA database such as \`Europe/Berlin\`, \`UTC\`, or an offset such as \`+01:00\`.`,
    why: 'The times of a schedule are those that the clocks of a zone show.',
    write: (p) => p.write || null,
  },
  scheduleCron: {
    severity: 'error',
    what: (p) => `${p.fault}.`,
    why: 'The times of a schedule are read as those of crontab (POSIX), with steps.',
  },
  scheduleNever: {
    severity: 'error',
    what: (p) => `“${p.found}” names a day that does not exist in any of its months. Correct the days or the months.`,
    why: 'The steps of the schedule would never run.',
  },
  scheduleClocks: {
    severity: 'error',
    what: (p) => `The clocks of \`${p.zone}\` never change, so “${p.bullet}” has no effect. Remove this bullet.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  scheduleIdle: {
    severity: 'error',
    what: (p) =>
      `No step of the schedule “${p.name}” changes a row or runs a handler that reaches outside. Add such a step, or remove the schedule.`,
    why: 'A statement without effect hides a mistake.',
  },
  scheduleVerb: {
    severity: 'error',
    what: (p) =>
      `“${p.verb}” is not allowed in a schedule. Allowed are all steps but Answer, Authenticate, Issue, List and Match.`,
    why: 'A schedule has no request to read and no answer to give.',
  },
});
