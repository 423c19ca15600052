import { catalogue } from '../../source/diagnostic.ts';

export const statesDiagnostics = catalogue('states', {
  reactionEmpty: {
    severity: 'question',
    what: (p) => `What follows “${p.transition}”?`,
    why: 'Steps under this heading are taken in the transaction of the move.',
    write: () => '1. Change `moved` with …',
  },
  reactionVerb: {
    severity: 'error',
    what: (p) => `“${p.verb}” cannot follow a transition.`,
    why: 'Nobody asks for what follows a transition: there is no request to read and nothing to answer.',
  },
  reactionCycle: {
    severity: 'error',
    what: (p) => `“${p.transition}” follows from itself.`,
    why: 'Rows could be moved without end.',
  },
  blankCell: {
    severity: 'question',
    what: (p) => `${p.transition} says nothing under “${p.column}”.`,
    why: 'When a row may move, from where and to where, and what a refusal says, is the contract of its states.',
    write: (p) => p.write || null,
  },
  initial: {
    severity: 'question',
    what: (p) => `In which state does ${p.field} start?`,
    why: 'A row has a state as soon as it is created.',
    write: (p) => `- Initial: ${p.state}`,
  },
  final: {
    severity: 'question',
    what: (p) => `Which states of ${p.field} are final?`,
    why: 'Whether a state can be left has to be said of each: stated, or `none`.',
    write: (p) => `- Final: ${p.states || 'none'}`,
  },
  noTransitions: {
    severity: 'question',
    what: (p) => `${p.field} has no transitions.`,
    why: 'A state that can never change is not a state.',
    write: () => '| Transition | From | To | When | Otherwise |',
  },
  notAnEnumeration: {
    severity: 'error',
    what: (p) =>
      `${p.field} cannot have states: its allowed values have to say “one of …”, and “Given by” has to say “transitions”.`,
    why: 'The states are the values of the field, and only transitions change it.',
  },
  finalLeft: {
    severity: 'error',
    what: (p) => `“${p.state}” is final, yet “${p.transition}” leaves it.`,
    why: 'Both cannot be in force.',
  },
  neverReached: {
    severity: 'error',
    what: (p) => `No transition reaches “${p.state}”.`,
    why: 'A state that no row can be in is a statement without effect.',
  },
  neverLeft: {
    severity: 'error',
    what: (p) => `“${p.state}” is not final, yet no transition leaves it.`,
    why: 'Rows would stay in it for ever without the document saying so.',
  },
  neverMade: {
    severity: 'error',
    what: (p) => `No step and no time makes the transition “${p.transition}”.`,
    why: 'A transition that can’t happen is a statement without effect.',
    write: (p) => `1. Move \`${p.row}\` by ${p.transition}.`,
  },
  cannotFail: {
    severity: 'error',
    what: (p) => `The guard of “${p.transition}” can never fail.`,
    why: 'A guard that refuses nothing is a statement without effect.',
    write: () => 'always',
  },
  refusalMissing: {
    severity: 'question',
    what: (p) => `Which error answers when “${p.transition}” is not possible?`,
    why: 'A request asks for it, and can find the row in another state.',
  },
  refusalUnused: {
    severity: 'error',
    what: (p) => `“${p.transition}” happens by itself, so nobody can be refused with “${p.code}”.`,
    why: 'The refusal would be accepted and never answered.',
    write: () => 'none',
  },
  timedByStep: {
    severity: 'error',
    what: (p) => `“${p.transition}” happens by itself, and no step may make it.`,
    why: 'Its time is stated, and a step would make it at another.',
  },
});
