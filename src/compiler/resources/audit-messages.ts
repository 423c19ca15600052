import type { Entry } from '../../syntax/diagnostic.ts';

const ONLY_SERVICE = 'Entries tell what has happened only if nothing but the changes themselves writes them.';

/** Findings about audits: the changes of a resource that are recorded as rows of another. */
export const AUDITS = {
  auditSecret: {
    severity: 'error',
    what: (p) => `${p.field} is a secret, so no entry can hold it. Remove it here.`,
    why: 'An entry outlives the value, and is shown to others than the row.',
  },
  auditKeyless: {
    severity: 'error',
    what: (p) =>
      `${p.resource} has no single field as its identity, so entries cannot name its rows. Add a field with “identity” under “Unique”.`,
    why: 'An entry outlives its row, and holds the identity of the row.',
  },
  auditEntries: {
    severity: 'error',
    what: (p) =>
      `${p.entries} cannot hold the entries of ${p.resource}: ${p.reason}. Name another resource after “in”.`,
    why: 'The rows of a resource of entries are the entries of one audit, and nothing else.',
  },
  auditRow: {
    severity: 'question',
    what: (p) => `Which field of ${p.entries} holds the identity of the changed ${p.resource}?`,
    why: 'An entry outlives its row, so it holds the identity, and no reference.',
    write: () => 'audit row',
    // Only the document can name the field.
    puts: 'nowhere',
  },
  auditAction: {
    severity: 'question',
    what: (p) => `Which field of ${p.entries} says what happened to the ${p.resource}: ${p.actions}?`,
    why: 'Changes of several kinds are entries.',
    write: () => 'audit action',
    puts: 'nowhere',
  },
  auditValue: {
    severity: 'question',
    what: (p) => `Which fields of ${p.entries} hold ${p.field} before and after a change? There is none for either.`,
    why: 'A change of the field makes an entry, so the entry says what has changed.',
    write: (p) => `audit after ${p.name}`,
    puts: 'nowhere',
  },
  auditKept: {
    severity: 'error',
    what: (p) =>
      `The schedule ${p.schedule} removes no rows of ${p.entries}. Add a step that does, or write “kept for ever”.`,
    why: 'Entries are kept until the stated schedule removes them.',
  },
  auditStray: {
    severity: 'error',
    what: (p) =>
      `${p.field} has the source “audit”, and ${p.resource} holds no entries. Name ${p.resource} under “Audited” of a resource, or write another source.`,
    why: 'Only entries of an audit know a change.',
  },
  auditSource: {
    severity: 'error',
    what: (p) =>
      `${p.field} is a field of entries. Its source is “audit” with a fact of the change, “sequence”, or “on create” with an expression.`,
    why: ONLY_SERVICE,
  },
  auditIdentity: {
    severity: 'error',
    what: (p) =>
      `${p.field} identifies entries, so every entry has another one. Its source is “sequence”, or “on create” with \`uuid()\` or other random text.`,
    why: 'A change is refused where its entry would have the identity of another.',
    write: () => 'sequence',
    puts: { column: 'Given by' },
  },
  auditTwice: {
    severity: 'error',
    what: (p) => `${p.field} and ${p.other} hold the same fact of a change. Remove one of them.`,
    why: 'A value that is stored twice hides a mistake.',
  },
  auditReference: {
    severity: 'error',
    what: (p) => `${p.field} is a reference. Write the type of the identity that it holds, such as string.`,
    why: 'An entry outlives the rows that it tells of.',
  },
  auditRule: {
    severity: 'error',
    what: (p) => `Rows of ${p.entries} are entries of an audit, and this rule could refuse one. Remove the rule.`,
    why: 'The change that an entry records would be refused with it.',
  },
  auditStates: {
    severity: 'error',
    what: (p) => `Rows of ${p.entries} are entries of an audit, so they have no states. Remove the states.`,
    why: ONLY_SERVICE,
  },
  auditEvent: {
    severity: 'error',
    what: (p) =>
      `Rows of ${p.entries} are entries of an audit, and this release has no events of entries. State the event of the changed resource.`,
    why: 'The contract lists the requests that cause an event.',
  },
  auditWritten: {
    severity: 'error',
    what: (p) =>
      `Rows of ${p.entries} are entries of an audit: no step adds or changes one, and ${p.remover}. Remove this step.`,
    why: ONLY_SERVICE,
  },
  auditType: {
    severity: 'error',
    what: (p) => `${p.field} holds ${p.fact}, which is ${p.type}. Change the type or the format.`,
    why: 'An entry holds the value itself.',
  },
  auditBeyond: {
    severity: 'error',
    what: (p) => `${p.field} holds ${p.fact}, and its allowed values do not contain all of these: ${p.values}.`,
    why: 'The service would have to refuse a change that it cannot record. Earlier values may be allowed, too.',
  },
  auditMayExceed: {
    severity: 'error',
    what: (p) =>
      `This expression may give ${p.field} a value that its allowed values do not contain, or none. Allow more values, or write an expression whose results are certainly allowed.`,
    why: 'A change whose entry cannot be stored would end with “failure”.',
  },
  auditAlways: {
    severity: 'error',
    what: (p) => `${p.field} has no value in some entries: ${p.reason}. Write “optional”, in the column “Presence”.`,
    why: 'A field that is always present has a value in every row.',
    write: () => 'optional',
    puts: { column: 'Presence' },
  },
} satisfies Record<string, Entry>;
