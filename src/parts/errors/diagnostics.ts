import { catalogue } from '../../source/diagnostic.ts';

export const errorsDiagnostics = catalogue('errors', {
  blankCell: {
    severity: 'question',
    what: (p) => `${p.code} says nothing under “${p.column}”.`,
    why: 'A caller tells errors apart by their code and status, and reads their title.',
  },
  status: {
    severity: 'error',
    what: (p) => `${p.status} is not the status of an error.`,
    why: 'Errors are answered with 400 to 599 (RFC 9110, section 15).',
  },
  outcome: {
    severity: 'question',
    what: (p) => `What does ${p.endpoint} answer on “${p.condition}”?`,
    why: 'The condition can arise there, and nothing states its outcome.',
    write: (p) => `| ${p.code} | ${p.status} | ${p.condition} | ${p.title} |`,
  },
  twoOutcomes: {
    severity: 'error',
    what: (p) => `“${p.condition}” has two outcomes: ${p.first} and ${p.second}.`,
    why: 'A condition is answered in one way.',
  },
  unreachable: {
    severity: 'error',
    what: (p) => `Nothing can be answered with ${p.code}: ${p.reason}.`,
    why: 'A code that nobody can receive is a statement without effect.',
  },
  commonUnused: {
    severity: 'error',
    what: () => 'The table states an outcome of every condition that can arise, so the published list adds none.',
    why: 'It would be accepted and ignored.',
  },
  sameAsCommon: {
    severity: 'error',
    what: (p) => `The published list says this of ${p.code} already.`,
    why: 'Said twice, it changes nothing, and a reader looks for a difference.',
  },
  notSaid: {
    severity: 'error',
    what: (p) => `${p.code} is answered by ${p.by}, so its “When” has to say “${p.when}”.`,
    why: 'The table tells callers where each code comes from.',
    write: (p) => p.when ?? null,
  },
});
