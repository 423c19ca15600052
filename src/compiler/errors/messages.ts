import { ERROR, PAYLOAD_MEMBER } from '../../language/errors.ts';
import { blanksOf } from '../../language/statement.ts';
import { blankCell, bullet, graded, row } from '../../syntax/diagnostic.ts';

/** The findings that are neither wrong nor merely unsaid. */
const STANDINGS = {
  blank: ['blankCell'],
  idle: ['payloadUnused', 'columnUnused', 'blankUnused', 'unreachable', 'commonUnused'],
} as const;

const CELL = blankCell(
  (p) => `${p.code}`,
  { ...blanksOf(ERROR), ...blanksOf(PAYLOAD_MEMBER), Payload: PAYLOAD_MEMBER.Member.blank },
  'An error has a code, a status, its conditions and a title. A member of a payload has a type and a value.',
);

export const errorsDiagnostics = graded('errors', STANDINGS, {
  blankCell: {
    ...CELL,
    what: (p) =>
      p.further
        ? `${p.code}${p.others ? ` and ${p.others} more have` : ' has'} a blank cell under “${p.column}”. Write a value, or state the meaning of a blank cell in the bullet “Blank cells”.`
        : CELL.what(p),
  },
  mediaType: {
    severity: 'error',
    what: (p) => `“${p.found}” is not a JSON media type: \`application/json\`, or a type that ends in \`+json\`.`,
    why: 'The body of an error is JSON (RFC 8259; RFC 6839, section 3.1).',
    write: () => 'as `application/json`',
  },
  problemType: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” cannot be the type of problem details. Write a URI that contains \`{code}\` once, in place of the code of the error: an absolute one, or a path such as \`/problems/{code}\`. Or write \`about:blank\`.`,
    why: 'The type is a URI that identifies the kind of problem (RFC 9457, section 3.1.1): each code is another kind.',
    write: () => 'RFC 9457, type `https://example.com/problems/{code}`',
  },
  problemTypeOf: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” cannot be the type of problem details. Write an absolute URI, a path such as \`/problems/out-of-stock\`, or \`about:blank\`.`,
    why: 'The type is a URI reference, and a relative one holds the whole path (RFC 9457, section 3.1.1).',
    write: () => '`https://example.com/problems/out-of-stock`',
  },
  problemTypeSame: {
    severity: 'error',
    what: (p) => `“${p.found}” is the type that “Payload” gives this code already. Leave the cell blank.`,
    why: 'A statement without effect hides a mistake.',
  },
  typeColumnBlank: {
    severity: 'error',
    what: () =>
      'Each cell under “Type” is blank, so that all codes have the type that “Payload” states. Remove the column.',
    why: 'A statement without effect hides a mistake.',
  },
  typeColumn: {
    severity: 'error',
    what: () =>
      'The column “Type” gives some codes a type of their own. State the type of all others in “Payload”: RFC 9457, and a type with `{code}` in it, or `about:blank`.',
    why: 'A blank cell, and each condition of a published list, has the type that “Payload” states.',
    write: () => bullet('Payload', 'RFC 9457, type `about:blank`'),
  },
  payloadTwice: {
    severity: 'error',
    what: (p) => `“${p.name}” is stated twice. Remove one of them.`,
    why: 'Two statements of the same fact can disagree.',
  },
  payloadUnused: {
    severity: 'error',
    what: (p) => `No error uses the payload ${p.name}. Name it under Payload, or remove the table.`,
    why: 'A statement without effect hides a mistake.',
    write: (p) => bullet('Payload', `${p.name}`),
  },
  payloadCircle: {
    severity: 'error',
    what: (p) => `The payload ${p.name} contains itself. Remove it from one of its members.`,
    why: 'The answer would never end.',
  },
  memberValue: {
    severity: 'error',
    what: (p) => `This member takes ${p.takes}.`,
    why: 'A member of a single value takes an expression. A list or a map takes “each” and an expression for one fault.',
  },
  columnUnused: {
    severity: 'error',
    what: (p) => `No payload shows the column “${p.column}”. Show it in a payload table, or remove it.`,
    why: 'Callers would never see its cells.',
  },
  commonColumn: {
    severity: 'question',
    what: (p) =>
      `The published list answers “${p.condition}” and has no column “${p.column}”. Which value does a caller see there?`,
    why: 'The list has a code, a status and a title for each condition, and no more.',
    write: (p) => bullet('Blank cells', `${p.column} none`),
  },
  sameAsBlank: {
    severity: 'error',
    effects: ['told once'],
    what: (p) => `This cell repeats the meaning of a blank cell under “${p.column}”. Leave it blank.`,
    why: 'A reader looks for a difference.',
  },
  blankUnused: {
    severity: 'error',
    what: (p) => `“Blank cells” names “${p.column}”, and no cell of that column is blank. Remove it there.`,
    why: 'A statement without effect hides a mistake.',
  },
  status: {
    severity: 'error',
    what: (p) => `${p.status} is not the status of an error. Errors have a status from 400 to 599.`,
    why: 'A status below 400 means a success or a redirection (RFC 9110, section 15).',
  },
  outcome: {
    severity: 'question',
    what: (p) =>
      `A request to ${p.endpoint} ends with the condition “${p.condition}”. Which error does the client receive?`,
    why: 'The condition can arise at this endpoint. Add a row for it, or adopt the published list with “Conditions: Ninefold common 1”.',
    write: (p) => row(`${p.code}`, `${p.status}`, `${p.condition}`, `${p.title}`),
  },
  ownOutcome: {
    severity: 'question',
    what: (p) =>
      `A request to ${p.endpoint} ends with the condition “${p.condition}”. Which error does the client receive?`,
    why: 'The condition can arise at this endpoint, and no published list has an outcome for it.',
    write: (p) => row(`${p.code}`, `${p.status}`, `${p.condition}`, `${p.title}`),
  },
  twoOutcomes: {
    severity: 'error',
    what: (p) => `Two rows answer “${p.condition}”: ${p.first} and ${p.second}. Remove the condition from one of them.`,
    why: 'A condition has one answer.',
  },
  unreachable: {
    severity: 'error',
    what: (p) => `No caller can receive ${p.code}: ${p.reason}.`,
    why: 'An error that cannot occur hides a mistake.',
  },
  commonUnused: {
    severity: 'error',
    what: () =>
      '`Conditions` has no effect: the table already answers every condition that can arise. Remove the bullet.',
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  sameAsCommon: {
    severity: 'error',
    what: (p) => `This row repeats the published list’s answer ${p.code}. Remove it, or change it.`,
    why: 'A reader looks for a difference.',
  },
  notSaid: {
    severity: 'error',
    what: (p) => `${p.code} comes from ${p.by}, so its “When” has to say “${p.when}”.`,
    why: 'The column “When” lists everything that raises a code.',
    write: (p) => p.when ?? null,
  },
});
