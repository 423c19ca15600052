import { bulletLesson } from '../../language/bullets.ts';
import type { Entry } from '../../syntax/diagnostic.ts';
import { bullet } from '../../syntax/diagnostic.ts';

/** Findings about the rules of rows: references, Holds, overlap, uniqueness and sequences. */
export const RULES = {
  referenceKept: {
    severity: 'question',
    what: (p) =>
      `A row of ${p.target} is removed while ${p.field} points at it. Is the removal refused (Keeps), is this row removed too (Removed with), or does the reference become absent (Cleared with)?`,
    why: 'A reference always points at a row that exists.',
    write: (p) => bullet('Keeps', `${p.name}, else ${p.code}`),
  },
  itemKept: {
    severity: 'question',
    what: (p) =>
      `A row of ${p.target} is removed while it is an item of ${p.field}. Is the removal refused (Keeps), or does the item leave ${p.name} (Cleared with)?`,
    why: 'Each item always points at a row that exists.',
    write: (p) => bullet('Cleared with', p.name ?? ''),
  },
  removedWithItems: {
    severity: 'error',
    what: (p) =>
      `“${p.field}” holds several references, and “Removed with” takes only a single one. Write Keeps: ${p.field}, or Cleared with: ${p.field}.`,
    why: 'A row that points at several rows does not belong to one of them.',
  },
  clearedBelow: {
    severity: 'error',
    what: (p) =>
      `${p.field} has at least ${p.least}, so “Cleared with” cannot remove any item. Write “at most … items”, or write Keeps.`,
    why: 'When a target is removed, its item leaves the list.',
  },
  removalTwice: {
    severity: 'error',
    what: (p) =>
      `Two bullets say what happens to “${p.field}” when its target is removed. Keep one of Keeps, Removed with and Cleared with.`,
    why: 'Only one of them can happen.',
  },
  clearedAlways: {
    severity: 'error',
    what: (p) =>
      `${p.field} is always present, so “Cleared with” cannot remove its value. Make the field optional, or write Keeps or Removed with.`,
    why: 'When the target is removed, a cleared reference is absent.',
    write: () => 'optional, in the column “Presence”',
  },
  keepsPlain: {
    severity: 'error',
    what: (p) => `${p.field} is not a reference. Name a reference of the resource, or remove the bullet.`,
    why: '“Keeps” prevents the removal of the row that a reference points at.',
  },
  keepsCode: {
    severity: 'question',
    what: (p) => `A request would remove a ${p.target} while “${p.field}” points at it. Which code does it receive?`,
    why: 'The bullet ends with “, else” and a code.',
    write: () => ', else code_of_the_error',
  },
  holdsAlways: {
    severity: 'error',
    what: (p) => `Every possible ${p.resource} satisfies this rule. Remove it, or write another condition.`,
    why: 'A rule without effect hides a mistake.',
  },
  holdsNow: {
    severity: 'error',
    what: () => '`Holds` cannot use now(). Use a Require or a guard for conditions on the time.',
    why: 'The rule would stop holding although no row has changed.',
  },
  holdsCode: {
    severity: 'question',
    what: (p) => `A request would break this rule of ${p.resource}. Which code does it receive?`,
    why: `The rule ends with “, else” and a code. ${bulletLesson('resource', 'Holds')}`,
    write: () => ', else a_code_of_the_errors',
  },
  overlapBound: {
    severity: 'error',
    what: () => '“No overlap” takes two timestamps, two dates or two numbers. These two have other types.',
    why: 'Only values of one kind, in an order, can overlap.',
  },
  overlapNever: {
    severity: 'error',
    what: (p) => `${p.why}, so this rule never refuses a row. Remove it, or name something else here.`,
    why: 'A statement without an effect hides what was meant.',
  },
  overlapCode: {
    severity: 'question',
    what: (p) => `A request would make two rows of ${p.resource} overlap. Which code does it receive?`,
    why: `The rule ends with “, else” and a code. ${bulletLesson('resource', 'No overlap')}`,
    write: () => ', else a_code_of_the_errors',
  },
  uniqueCode: {
    severity: 'question',
    what: (p) =>
      `A request would give a second ${p.resource} the same ${p.fields}${p.condition ? ` while \`${p.condition}\`` : ''}. Which code does it receive?`,
    why: `The rule ends with “, else” and a code. ${bulletLesson('resource', 'Unique')}`,
    write: () => ', else code_of_the_error',
  },
  uniqueImplied: {
    severity: 'error',
    what: (p) => `Another rule already keeps these fields of ${p.resource} unique. Remove this one.`,
    why: 'No row could break this rule without breaking the other.',
  },
  uniqueSequence: {
    severity: 'error',
    what: () =>
      'The sequence already gives these rows different numbers, so no request can receive this code. Remove “, else” and the code.',
    why: 'An error that cannot occur hides a mistake.',
  },
  searchField: {
    severity: 'error',
    what: (p) => `${p.field} has no words. A search reads strings of any format but uuid, password and secret.`,
    why: 'A search finds rows by the words of their texts.',
  },
  searchLong: {
    severity: 'error',
    what: (p) =>
      `The searched fields of ${p.resource} have ${p.has} together; at most 100,000 are allowed. State shorter lengths, or search fewer fields.`,
    why: 'PostgreSQL bounds the words of a row in an index.',
  },
  searchWeight: {
    severity: 'error',
    what: (p) => `The weight of ${p.field} is not allowed. A weight is a number from 1 to 1,000.`,
    why: 'Each occurrence of a word in the field counts as many points.',
  },
  searchWeights: {
    severity: 'question',
    what: (p) =>
      `How many points does an occurrence of a word count in each field of ${p.resource}? Weights are not stated for: ${p.fields}.`,
    why: 'A List orders these rows by the best match: the row with the most points comes first.',
    write: (p) => p.write ?? null,
  },
  searchWeightUnused: {
    severity: 'error',
    what: (p) => `The weight of “${p.field}” has no effect: no order compares points of several fields. Remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  searchUnused: {
    severity: 'error',
    what: (p) => `No List searches the rows of ${p.resource}: none says “matching”. Remove this bullet, or use it.`,
    why: 'A statement without effect hides a mistake, and an index costs every write.',
  },
  noCase: {
    severity: 'error',
    what: (p) => `“${p.field}” is not a string. Remove “ignoring case”.`,
    why: 'A statement without effect hides a mistake.',
  },
  sequenceType: {
    severity: 'error',
    what: (p) =>
      `${p.field} is numbered by a sequence, so it is an integer, with the allowed values “any”, and always present.`,
    why: 'A sequence gives every row its number, and counts from 1.',
  },
  sequenceAlone: {
    severity: 'error',
    what: (p) => `${p.field} is numbered by a sequence, so it cannot have another source. Remove one.`,
    why: 'Another source could give a number that the sequence later gives to another row.',
  },
  sequenceUnique: {
    severity: 'error',
    what: (p) => `${p.field} is numbered by a sequence: under “Unique” it takes “no” or “identity”.`,
    why: 'A plain sequence gives no number twice. For a sequence “per” a reference, a Unique bullet with both fields says so.',
    write: () => 'no',
  },
  sequenceIdentity: {
    severity: 'error',
    what: (p) => `${p.field} is an identity, so its sequence cannot count “per” another field.`,
    why: 'A sequence “per” a reference gives several rows the same number.',
    write: () => 'sequence',
  },
  sequencePer: {
    severity: 'error',
    what: (p) => `“${p.name}” is not a reference that is always present. “sequence per” takes such a reference.`,
    why: 'The sequence counts the rows of each target separately.',
  },
  sequenceTells: {
    severity: 'notice',
    what: (p) =>
      `${p.field} numbers every row of ${p.resource}, also those that a caller may not see (Visible). A caller who sees two numbers learns how many rows were created between them.`,
    why: 'A number from a sequence tells strangers how many rows there are. `uuid()` tells nothing.',
  },
} satisfies Record<string, Entry>;
