import { valueDiagnostics } from '../../language/value-messages.ts';
import { bullet, graded, row } from '../../syntax/diagnostic.ts';
import { AUDITS } from './audit-messages.ts';
import { RULES } from './rule-messages.ts';
import { VALUES } from './value-messages.ts';

/** The findings that are neither wrong nor merely unsaid. */
const STANDINGS = {
  blank: ['blankCell'],
  idle: [
    'derivedUnused',
    'viewUnused',
    'ruleUnused',
    'givenUnused',
    'blankUnused',
    'searchUnused',
    'searchWeightUnused',
    'auditStray',
  ],
} as const;

export const resourcesDiagnostics = graded('resources', STANDINGS, {
  resourceName: {
    severity: 'error',
    effects: ['hides a section', 'misnames'],
    what: (p) =>
      `“${p.found}” is not a name for a resource. A name is a capital letter, then letters and digits, such as OrderLine.`,
    why: 'Expressions, bullets and steps use the name.',
  },
  fieldName: {
    severity: 'error',
    effects: ['misnames'],
    what: (p) =>
      `“${p.found}” is not a name for a field. A name is a letter, then letters, digits and “_”, with single hyphens between them; or up to five such names, joined by dots.`,
    why: 'Expressions use the name.',
  },
  derivedName: {
    severity: 'error',
    effects: ['misnames'],
    what: (p) =>
      `“${p.found}” is not a name for a derived field. A name is a letter, then letters, digits and “_”, with single hyphens between them; or up to five such names, joined by dots.`,
    why: 'Expressions use the name.',
  },
  fieldUnnamed: {
    severity: 'question',
    what: () => 'Which name does this field have?',
    why: 'The cell under “Field” is blank.',
    puts: { column: 'Field' },
  },
  nestedInField: {
    severity: 'error',
    what: (p) => `“${p.name}” is nested in “${p.within}”, which is a field itself. Rename one of the two.`,
    why: 'A member of an answer is a value or an object, not both.',
  },
  noFields: {
    severity: 'question',
    what: (p) => `Which fields does ${p.resource} have?`,
    why: 'Under its heading, a resource has a table of its fields.',
    write: () => row('Field', 'Type', 'Format', 'Allowed values', 'Given by', 'Presence', 'Unique'),
  },
  blankCell: {
    severity: 'question',
    what: (p) => `${p.fields} nothing under “${p.column}”.`,
    why: 'Fill the cell, or say in the bullet `Blank cells` of the part what blank cells of this column mean.',
    write: (p) => bullet('Blank cells', `${p.meanings}`),
    puts: (p) => (p.others ? 'statement' : { column: `${p.column}` }),
  },
  noIdentity: {
    severity: 'question',
    what: (p) => `Which field of ${p.resource} is its identity?`,
    why: 'Paths, references, pages and commands find a row by its identity.',
    write: () => 'identity, in the column “Unique” of one field',
    puts: { column: 'Unique' },
  },
  manyIdentities: {
    severity: 'error',
    what: (p) => `${p.resource} has a second identity. A resource has one; write “yes” for another unique field.`,
    why: 'Every row is found by one field.',
  },
  identityChanged: {
    severity: 'error',
    what: (p) =>
      `${p.field} is the identity of its row, and an identity never changes. Leave only “on create” or the request under “Given by”.`,
    why: 'With another identity, the row would be another row.',
  },
  identityType: {
    severity: 'error',
    what: (p) => `${p.field} cannot be an identity. An identity is a string or an integer that is always present.`,
    why: 'Paths, references and pages hold the identity.',
  },
  reservedName: {
    severity: 'error',
    what: (p) => `“${p.name}” is a word of expressions. Choose another name for the field.`,
    why: 'An expression could not name the field.',
  },
  part: {
    severity: 'question',
    what: (p) => p.what ?? '',
    why: 'Ninefold has no defaults. The bullet belongs under `## Resources and their fields`, above the first heading.',
    write: (p) => p.write ?? null,
  },
  visible: {
    severity: 'question',
    what: (p) =>
      `Which callers may see the rows of ${p.resource}? Write “everyone”, or a condition on the row and the caller.`,
    why: 'For all other callers, the row does not exist.',
    write: () => bullet('Visible', 'everyone'),
  },
  shown: {
    severity: 'question',
    what: (p) => `Which fields of ${p.resource} may callers see in an answer?`,
    why: 'A field that is added later is shown only when this bullet names it.',
    write: (p) => bullet('Shown', `${p.fields}`),
  },
  shownAs: {
    severity: 'error',
    what: (p) =>
      `${p.field} refers to another row. Write “as” after it, and what to show of that row: one of its fields, one of its views, or its resource for its whole form.`,
    why: 'A reference has no form of its own.',
    write: (p) => `${p.name} as ${p.identity}`,
  },
  shownAsPlain: {
    severity: 'error',
    what: (p) => `${p.field} is not a reference. Remove “as …”.`,
    why: 'After “as” comes a field or a view of the row that a reference points at.',
  },
  shownNever: {
    severity: 'error',
    what: (p) => `${p.resource} has “Shown: never”, and an answer or an event shows it. Change one of the two.`,
    why: 'The two statements contradict each other.',
  },
  derivedCycle: {
    severity: 'error',
    what: (p) =>
      `${p.field} is derived from itself, directly or through other derived fields. Remove it from one of the expressions.`,
    why: 'Its value could not be computed.',
  },
  derivedDeep: {
    severity: 'error',
    what: (p) =>
      `${p.field} is derived through a chain of more than ${p.most} other derived fields. Derive it from stored fields.`,
    why: 'The service computes a derived field together with all fields of the chain, and databases limit the depth of an expression.',
  },
  derivedTwice: {
    severity: 'error',
    what: (p) => `${p.field} is already a stored field. Remove it here, or from the table of fields.`,
    why: 'A field is either stored or derived.',
  },
  derivedUnused: {
    severity: 'error',
    what: (p) => `No expression, answer or event uses ${p.field}. Use it, or remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  viewName: {
    severity: 'error',
    what: (p) =>
      `“${p.view}” is not a name for a view. A name is a capital letter, then letters and digits, and no resource has it.`,
    why: 'Answers and payloads name the view.',
  },
  viewUnused: {
    severity: 'error',
    what: (p) => `No answer, event or form uses the view ${p.view}. Use it, or remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  shownCycle: {
    severity: 'error',
    what: (p) =>
      `${p.resource} shows itself, directly or through other rows. Show one of the references by a field, with “as”.`,
    why: 'The answer would never end.',
  },
  givenTwice: {
    severity: 'error',
    what: (p) =>
      `${p.field} has two sources for the same moment. Remove one of them${p.write ? ', or join them with “or”' : ''}.`,
    why: 'A field has one source for each moment.',
    write: (p) => p.write || null,
  },
  givenCycle: {
    severity: 'error',
    what: (p) => `The value of ${p.field} depends on itself. Let one of the fields that read each other read no other.`,
    why: 'A field gets its value once the fields that its expression reads have theirs.',
  },
  givenBeyond: {
    severity: 'error',
    what: (p) => `${p.field} receives a value that its allowed values do not contain. Change one of the two.`,
    why: 'The service checks the values of every source, so it would refuse every such row.',
  },
  givenMayExceed: {
    severity: 'notice',
    what: (p) =>
      `This expression can give ${p.field} a value that its allowed values do not contain. A request for which it does ends with “failure”, and nothing is stored. To refuse such a request with a code, allow more values and state the bounds in a “Holds”.`,
    why: 'The fields that the expression reads are within their own allowed values; the result may not be.',
  },
  randomBeyond: {
    severity: 'error',
    what: (p) =>
      `${p.field} receives random text that its allowed values do not always contain: “${p.text}”, for example. Change one of the two.`,
    why: 'The service checks the values of every source, so it would refuse some of these rows.',
  },
  identityBits: {
    severity: 'error',
    what: (p) =>
      `The identity ${p.field} has ${p.bits} random bits. Draw at least ${p.least}: more characters, or from a larger alphabet. A shorter text can be a field with “yes, else” and a code under Unique.`,
    why: 'With fewer bits, two rows could receive the same identity, and an identity has no code for this.',
  },
  neverGiven: {
    severity: 'question',
    effects: ['may be answered unread'],
    what: (p) => `${p.endpoint} creates a row of ${p.resource}. Which value does ${p.field} receive?`,
    why: 'The field is always present, and none of its sources gives it a value there.',
    write: () => 'on create, request or steps, in the column “Given by”',
    puts: { column: 'Given by' },
  },
  transitionsField: {
    severity: 'error',
    what: (p) => `${p.field} has the source “transitions”, and “States and transitions” has no heading for it.`,
    why: 'A field with states needs its initial state and its transitions.',
    write: (p) => `### ${p.field}`,
  },
  unusedResource: {
    severity: 'error',
    what: (p) => `No endpoint, event, scheme or reference uses ${p.resource}. Use it, or remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  ruleUnused: {
    severity: 'error',
    what: (p) => `This bullet has no effect: ${p.reason}. Remove it.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  givenUnused: {
    severity: 'error',
    what: (p) =>
      `${p.field} has the source “${p.source}”, and no endpoint uses this source. Remove the source, or add the field to an endpoint.`,
    why: 'A statement without effect hides a mistake.',
  },
  blankUnused: {
    severity: 'error',
    what: (p) => `“Blank cells” names “${p.column}”, and no cell of that column is blank. Remove it there.`,
    why: 'A statement without effect hides a mistake.',
  },
  sameAsBlank: {
    severity: 'error',
    effects: ['told once'],
    what: (p) => `This cell repeats the meaning of a blank cell under “${p.column}”. Leave it blank.`,
    why: 'A reader looks for a difference.',
  },
  ...valueDiagnostics.entries,
  ...VALUES,
  ...RULES,
  ...AUDITS,
});
