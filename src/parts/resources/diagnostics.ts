import { catalogue } from '../../source/diagnostic.ts';

export const resourcesDiagnostics = catalogue('resources', {
  resourceName: {
    severity: 'error',
    what: (p) => `“${p.name}” cannot name a resource.`,
    why: 'A resource is named like `OrderLine`: a capital letter, then letters and digits.',
  },
  fieldName: {
    severity: 'error',
    what: (p) => `“${p.name}” cannot name a field.`,
    why: 'A field is named with a letter, then letters, digits and `_`, so that it can stand in an expression.',
  },
  fieldUnnamed: { severity: 'question', what: () => 'This field has no name.', why: 'A field is known by its name.' },
  noFields: {
    severity: 'question',
    what: (p) => `${p.resource} has no fields.`,
    why: 'A resource without fields can hold nothing.',
    write: () => '| Field | Type | Format | Allowed values | Given by | Presence | Unique |',
  },
  blankCell: {
    severity: 'question',
    what: (p) => `${p.field} says nothing under “${p.column}”.`,
    why: 'A blank cell means what the part’s `Blank cells` bullet says of its column, and nothing without one.',
    write: (p) => `Fill the cell, or add to the part: - Blank cells: ${p.column} …`,
  },
  emptyRange: {
    severity: 'error',
    what: (p) => `No value lies from ${p.min} to ${p.max}${p.unit}.`,
    why: 'The first bound has to be the smaller one.',
    write: (p) => `${p.max} to ${p.min}${p.unit}`,
  },
  emptyLength: {
    severity: 'error',
    what: (p) => `The lower number of ${p.unit} is at least 0, and the upper one at least 1.`,
    why: 'A length is never negative, and a field that can only be empty says nothing.',
    write: (p) => `0 to 80 ${p.unit}`,
  },
  notPattern: {
    severity: 'error',
    what: (p) => `“${p.found}” is not a pattern between slashes.`,
    why: 'Inline code under “Allowed values” is a regular expression.',
    write: (p) => `\`/^${p.found}$/\``,
  },
  badPattern: {
    severity: 'error',
    what: (p) => `This pattern cannot be used: ${p.reason}.`,
    why: 'Patterns run on a linear-time engine (RE2 syntax), so that no value can make one slow.',
  },
  noIdentity: {
    severity: 'question',
    what: (p) => `${p.resource} has no identity.`,
    why: 'Each row has to be told from every other: pages, references and the operator’s commands depend on it.',
    write: () => 'identity, in the column “Unique” of one field',
  },
  manyIdentities: {
    severity: 'error',
    what: (p) => `${p.resource} has more than one identity.`,
    why: 'One field tells its rows apart.',
  },
  identityChanged: {
    severity: 'error',
    what: (p) => `This would change ${p.field}, by which rows are told apart.`,
    why: 'A row keeps its identity as long as it is there: with another one it would be another row.',
  },
  identityType: {
    severity: 'error',
    what: (p) => `${p.field} cannot be an identity: it has to be a string or an integer that is always present.`,
    why: 'An identity is looked up, ordered and put into addresses.',
  },
  reservedName: {
    severity: 'error',
    what: (p) => `“${p.name}” is a word of expressions, so no field can be called that.`,
    why: 'It could not be named in an expression.',
  },
  formatOfType: {
    severity: 'error',
    what: (p) => `The format “${p.format}” belongs to strings, and ${p.field} is ${p.type}.`,
    why: 'It could not be enforced.',
  },
  allowedOfType: {
    severity: 'error',
    what: (p) => `“${p.allowed}” does not fit ${p.field}, which is ${p.type}.`,
    why: 'It could not be enforced.',
  },
  stringBound: {
    severity: 'question',
    what: (p) => `How long may ${p.field} be?`,
    why: 'Without a maximum length, an enumeration or a pattern, the limit would be whatever the machine can hold.',
    write: () => 'at most 200 characters',
  },
  integerBounds: {
    severity: 'question',
    what: (p) => `Between which bounds does ${p.field} lie?`,
    why: 'Without bounds, the limit would be whatever the machine can hold.',
    write: () => '0 to 1000',
  },
  itemBounds: {
    severity: 'question',
    what: (p) => `How many items may ${p.field} hold, and what may each be?`,
    why: 'Without a maximum, the limit would be whatever the machine can hold.',
    write: () => 'at most 20 items, each 1 to 50 characters',
  },
  part: {
    severity: 'question',
    what: (p) => `How does the service treat ${p.what}?`,
    why: 'It shows in requests or answers, and no habit is taken for granted.',
    write: (p) => p.write ?? null,
  },
  visible: {
    severity: 'question',
    what: (p) => `Who may see the rows of ${p.resource}?`,
    why: 'A row that isn’t visible does not exist for the caller. Nobody is let in by default.',
    write: () => '- Visible: everyone',
  },
  shown: {
    severity: 'question',
    what: (p) => `What does an answer show of ${p.resource}?`,
    why: 'A field that is added later would otherwise be published by accident.',
    write: (p) => `- Shown: ${p.fields}`,
  },
  shownAs: {
    severity: 'error',
    what: (p) => `${p.field} is shown as one of its target’s fields: write which.`,
    why: 'A reference has no form of its own.',
    write: (p) => `${p.name} as ${p.identity}`,
  },
  shownAsPlain: {
    severity: 'error',
    what: (p) => `${p.field} is not a reference, so it can’t be shown as something else.`,
    why: 'Only a reference is shown as one of its target’s fields.',
  },
  shownNever: {
    severity: 'error',
    what: (p) => `${p.resource} is never shown, yet an answer or an event shows it.`,
    why: 'Both cannot be in force.',
  },
  referenceKept: {
    severity: 'question',
    what: (p) => `What happens to ${p.field} when the ${p.target} it points at is removed?`,
    why: 'A reference to a row that is gone means nothing.',
    write: (p) => `- Keeps: ${p.name}, else ${p.code}`,
  },
  keepsPlain: {
    severity: 'error',
    what: (p) => `${p.field} is not a reference, so it keeps nothing.`,
    why: '“Keeps” holds the row that a reference points at.',
  },
  keepsCode: {
    severity: 'question',
    what: (p) => `Which error answers when a ${p.target} cannot be removed because of “${p.field}”?`,
    why: 'A request can remove one, and the refusal is not stated.',
    write: () => ', else code_of_the_error',
  },
  givenTwice: {
    severity: 'error',
    what: (p) => `${p.field} has two sources for the same moment.`,
    why: 'One source for each field and moment: otherwise nobody knows which wins.',
  },
  neverGiven: {
    severity: 'question',
    what: (p) => `Where does ${p.field} come from when ${p.resource} is created in ${p.endpoint}?`,
    why: 'It is always present, and nothing gives it there.',
    write: () => 'on create, request or steps, in the column “Given by”',
  },
  transitionsField: {
    severity: 'error',
    what: (p) => `${p.field} is given by transitions, but no heading under “States and transitions” names it.`,
    why: 'Its first value and its changes are not stated.',
    write: (p) => `### ${p.field}`,
  },
  sequenceType: {
    severity: 'error',
    what: (p) => `${p.field} is numbered by a sequence: it is an integer, any is allowed, and it is always present.`,
    why: 'A sequence counts from 1 and gives every row its number, so that nothing else of it can be stated.',
  },
  sequenceAlone: {
    severity: 'error',
    what: (p) => `${p.field} is numbered by a sequence and given by something else.`,
    why: 'What something else gives could be a number that the sequence gives to another row.',
  },
  sequenceUnique: {
    severity: 'error',
    what: (p) => `${p.field} is numbered by a sequence: “yes” is no rule for it.`,
    why: 'A sequence gives no number twice, and one “per” something counts anew for each: a rule of both fields says so.',
  },
  sequenceIdentity: {
    severity: 'error',
    what: (p) => `${p.field} is an identity, and a sequence per something gives rows the same number.`,
    why: 'An identity tells every row from every other.',
    write: () => 'sequence',
  },
  sequencePer: {
    severity: 'error',
    what: (p) => `“${p.name}” is not a reference that is always present.`,
    why: 'A sequence counts the rows that belong to a row of another resource, each row to one.',
  },
  uniqueSequence: {
    severity: 'error',
    what: () => 'A sequence keeps these rows apart, so nothing is ever answered with this code.',
    why: 'An error that cannot happen is a promise without effect.',
  },
  uniqueCode: {
    severity: 'question',
    what: (p) => `Which error answers a request that breaks this rule of ${p.resource}?`,
    why: 'A request can break it, and the answer is not stated.',
    write: () => ', else code_of_the_error',
  },
  unusedResource: {
    severity: 'error',
    what: (p) => `Nothing uses ${p.resource}.`,
    why: 'No endpoint, event, scheme or reference names it, so it would be stored for nobody.',
  },
  ruleUnused: {
    severity: 'error',
    what: (p) => `This rules nothing: ${p.reason}.`,
    why: 'It would be accepted and ignored.',
  },
  givenUnused: {
    severity: 'error',
    what: (p) => `${p.field} is given by ${p.source}, and no endpoint does so.`,
    why: 'Where a value comes from is in force only where something gives it.',
  },
  blankUnused: {
    severity: 'error',
    what: (p) => `No cell under “${p.column}” is blank.`,
    why: 'What a blank cell means is a statement without effect where none is.',
  },
  sameAsBlank: {
    severity: 'error',
    what: (p) => `“Blank cells” says this of every blank cell under “${p.column}”.`,
    why: 'Said twice, it changes nothing, and a reader looks for a difference. Leave the cell blank.',
  },
  uniqueImplied: {
    severity: 'error',
    what: (p) => `Another rule keeps these fields of ${p.resource} unique already.`,
    why: 'No row could break this rule without breaking that one.',
  },
});
