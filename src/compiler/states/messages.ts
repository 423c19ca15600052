import { blanksOf } from '../../language/statement.ts';
import { TRANSITION } from '../../language/states.ts';
import { blankCell, bullet, graded, row } from '../../syntax/diagnostic.ts';

/** The findings that are neither wrong nor merely unsaid. */
const STANDINGS = {
  blank: ['blankCell'],
  idle: ['neverReached', 'stateApart', 'neverMade', 'neverDue', 'refusalUnused'],
} as const;

export const statesDiagnostics = graded('states', STANDINGS, {
  reactionEmpty: {
    severity: 'question',
    what: (p) => `Which steps run after “${p.transition}”?`,
    why: 'The heading has no steps. Steps below it run in the transaction of the move.',
    write: () => '1. Change `moved` with …',
    puts: 'below',
  },
  reactionVerb: {
    severity: 'error',
    what: (p) =>
      `“${p.verb}” is not allowed after a transition. Allowed are all steps but Answer, Authenticate, Issue, List and Match.`,
    why: 'After a transition, there is no request to read and no answer to give.',
  },
  reactionCycle: {
    severity: 'error',
    what: (p) => `The steps after “${p.transition}” can make “${p.transition}” again. Remove the Move that leads back.`,
    why: 'Rows could move without end.',
  },
  nameShared: {
    severity: 'error',
    what: (p) =>
      `${p.field} has a transition with the name “${p.name}” too, in capitals or not. Rename one of the two, such as “${p.free}”.`,
    why: 'Steps, sources of fields and events name a transition without its field.',
  },
  blankCell: blankCell(
    (p) => `${p.transition}`,
    blanksOf(TRANSITION),
    'A transition states From, To, When, and the code that refuses it.',
    (p) => p.write || null,
  ),
  initial: {
    severity: 'question',
    what: (p) => `In which state of ${p.field} does a new row begin?`,
    why: 'Every row has a state from its creation on.',
    write: (p) => bullet('Initial', `${p.state}`),
  },
  final: {
    severity: 'question',
    what: (p) =>
      `In which states of ${p.field} does a row remain for ever? The states are ${p.all}. Write some of them, or “none”.`,
    why: 'A final state has no transition to another state.',
    write: (p) => bullet('Final', `${p.states || 'none'}`),
  },
  noTransitions: {
    severity: 'question',
    what: (p) => `Which transitions change ${p.field}?`,
    why: 'Only transitions change a state, and the table of transitions is missing.',
    write: () => row('Transition', 'From', 'To', 'When', 'Otherwise'),
  },
  notAnEnumeration: {
    severity: 'error',
    what: (p) =>
      `${p.field} cannot have states: its allowed values have to say “one of …”, and “Given by” has to say “transitions”.`,
    why: 'The states are the values of the field, and only transitions change it.',
  },
  calendarZone: {
    severity: 'question',
    what: (p) => `In which time zone does ${p.length} after \`${p.instant}\` end?`,
    why: 'A month begins and ends at another instant in each time zone, and clocks change within it.',
    write: (p) => `${p.length} after \`${p.instant}\` in \`Europe/Berlin\``,
  },
  noZone: {
    severity: 'error',
    what: (p) =>
      `There is no time zone “${p.found}”${p.write ? `: did you mean “${p.write}”?` : '.'} Allowed: a name of the IANA database such as \`Europe/Berlin\`, an offset such as \`+01:00\`, or a field of the format “time zone”.`,
    why: 'Months and years are counted by the clocks of a zone.',
    write: (p) => p.write || null,
  },
  finalLeft: {
    severity: 'error',
    what: (p) => `“${p.state}” is final, and “${p.transition}” leaves it. Remove one of the two.`,
    why: 'The two statements contradict each other.',
  },
  neverReached: {
    severity: 'error',
    what: (p) => `No transition leads to “${p.state}”, and no row begins in it. Add a transition, or remove the state.`,
    why: 'No row could ever have this state.',
  },
  neverLeft: {
    severity: 'error',
    effects: ['may be answered unread'],
    what: (p) => `No transition leaves “${p.state}”, and it is not final. Add a transition, or list it under Final.`,
    why: 'Rows would remain in it for ever, and the document does not say so.',
  },
  neverMade: {
    severity: 'error',
    what: (p) => `No step makes the transition “${p.transition}”, and it has no time. Add a Move step, or remove it.`,
    why: 'The transition could never happen.',
    write: (p) => `1. Move \`${p.row}\` by ${p.transition}.`,
  },
  stateApart: {
    severity: 'error',
    what: (p) =>
      `No row comes to “${p.state}”: each transition to it leaves a state that no row can have. Add a transition from another state, or remove the state.`,
    why: 'No row could ever have this state.',
  },
  neverDue: {
    severity: 'error',
    what: (p) => `“${p.transition}” never happens: ${p.reason}. Correct “From” or “When”.`,
    why: 'The transition has no effect: its time never comes for a row in one of the states under From.',
  },
  cannotFail: {
    severity: 'error',
    what: (p) => `The guard of “${p.transition}” always holds. Write “always”, or another condition.`,
    why: 'A guard without effect hides a mistake.',
    write: () => 'always',
  },
  refusalMissing: {
    severity: 'question',
    what: (p) => `A request asks for “${p.transition}” while the row is in another state. Which code does it receive?`,
    why: 'The column “Otherwise” names the code.',
    puts: { column: 'Otherwise' },
  },
  refusalUnused: {
    severity: 'error',
    what: (p) => `“${p.transition}” happens by itself, so no caller can receive “${p.code}”. Write “none”.`,
    why: 'An error that cannot occur hides a mistake.',
    write: () => 'none',
    sure: true,
  },
  timedByStep: {
    severity: 'error',
    what: (p) =>
      `“${p.transition}” happens by itself at its time, so no step may make it. Add a transition without a time for the step.`,
    why: 'The step would make the transition at another time.',
  },
});
