import { catalogue } from '../../source/diagnostic.ts';

export const errorsDiagnostics = catalogue('errors', {
  blankCell: {
    severity: 'question',
    what: (p) => `${p.code} says nothing under “${p.column}”.`,
    why: 'A caller tells errors apart by their code and status, and reads their title.',
  },
  mediaType: {
    severity: 'error',
    what: (p) => `“${p.found}” is not a media type of JSON.`,
    why: 'Payloads are JSON: `application/json`, or a type that ends in `+json` (RFC 6839, section 3.1).',
    write: () => 'as `application/json`',
  },
  payloadTwice: {
    severity: 'error',
    what: (p) => `“${p.name}” is stated twice.`,
    why: 'Two statements of the same fact can disagree, and then nobody knows which is in force.',
  },
  payloadUnused: {
    severity: 'error',
    what: (p) => `No error is told by the payload ${p.name}.`,
    why: 'It would be accepted and ignored.',
    write: (p) => `- Payload: ${p.name}`,
  },
  payloadCircle: {
    severity: 'error',
    what: (p) => `${p.name} would hold itself.`,
    why: 'No answer could ever be written to its end.',
  },
  memberValue: {
    severity: 'error',
    what: (p) => `This member takes ${p.takes}.`,
    why: 'Its type says whether it holds one value, or one for each fault.',
  },
  columnUnused: {
    severity: 'error',
    what: (p) => `No payload tells what stands under “${p.column}”.`,
    why: 'A column that nobody is told is a statement without effect.',
  },
  commonColumn: {
    severity: 'question',
    what: (p) => `What stands under “${p.column}” where the published list answers, as on “${p.condition}”?`,
    why: 'The list has a code, a status and a title for each condition, and no more.',
    write: (p) => `- Blank cells: ${p.column} none`,
  },
  sameAsBlank: {
    severity: 'error',
    what: (p) => `A blank cell under “${p.column}” says this already.`,
    why: 'Said twice, it changes nothing, and a reader looks for a difference.',
  },
  blankUnused: {
    severity: 'error',
    what: (p) => `No cell under “${p.column}” is blank.`,
    why: 'What blank ones mean has no effect.',
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
