import { catalogue } from '../source/diagnostic.ts';

export const expressionDiagnostics = catalogue('expression', {
  tooLong: {
    severity: 'error',
    what: (p) => `This expression has ${p.length} characters; at most ${p.most} are read.`,
    why: 'A bound keeps checking fast whatever the document holds.',
  },
  tooDeep: {
    severity: 'error',
    what: (p) => `This expression is nested more than ${p.most} deep.`,
    why: 'A bound keeps checking fast whatever the document holds.',
  },
  tooMuch: {
    severity: 'error',
    what: (p) =>
      `This expression may go through ${p.steps} items and characters: at most ${p.most} are gone through. Lists in lists multiply; lower what they may hold.`,
    why: 'Nothing else is answered while an expression is computed, so that what it goes through has a bound.',
  },
  syntax: {
    severity: 'error',
    what: (p) => `This is not CEL: ${p.reason}.`,
    why: 'Expressions are written in CEL, the Common Expression Language.',
  },
  unknownName: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `Nothing here is called “${p.found}”: did you mean “${p.nearest}”?`
        : `Nothing here is called “${p.found}”.`,
    why: 'A name in an expression is a field, a step, a resource, or one of the names that the language gives where it stands: what belongs to a request (`caller`, `request`, `path`, `query`) is known to its steps.',
    write: (p) => p.nearest || null,
  },
  unknownMember: {
    severity: 'error',
    what: (p) =>
      p.nearest ? `${p.of} has no “${p.found}”: did you mean “${p.nearest}”?` : `${p.of} has no “${p.found}”.`,
    why: 'A member has to be declared: a field of the resource, a parameter, or something the endpoint requests.',
    write: (p) => p.nearest || null,
  },
  unknownFunction: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `There is no function “${p.found}” here: did you mean “${p.nearest}”?`
        : `There is no function “${p.found}” here.`,
    why: 'Only the functions of the language can be called: each means the same in JavaScript and in SQL.',
    write: (p) => p.nearest || null,
  },
  notOneOf: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `“${p.found}” is not a value of ${p.of}: did you mean “${p.nearest}”?`
        : `“${p.found}” is not a value of ${p.of} (${p.values}).`,
    why: 'A comparison with a value that never occurs is always false, and so would be accepted and ignored.',
    write: (p) => p.nearest || null,
  },
  mismatch: {
    severity: 'error',
    what: (p) =>
      p.write
        ? `${p.what} takes ${p.expected}, and this is ${p.found}: did you mean “${p.write}”?`
        : `${p.what} takes ${p.expected}, and this is ${p.found}.`,
    why: 'Types are settled when the document is read, so that no request can fail on them.',
    write: (p) => p.write || null,
  },
  maybeNull: {
    severity: 'error',
    what: (p) => `“${p.what}” can be absent here.`,
    why: 'What an absent value would do here is not stated.',
    write: (p) => `${p.what} != null && …`,
  },
  neverNull: {
    severity: 'error',
    what: (p) => `“${p.what}” is never absent here.`,
    why: 'Comparing it with null gives the same for every row, and so would be accepted and ignored.',
  },
  ambiguous: {
    severity: 'error',
    what: (p) => `“${p.name}” is both a step and a field of ${p.resource} here.`,
    why: 'A reader could take it for either.',
    write: (p) => `this.${p.name}`,
  },
  unsupported: {
    severity: 'error',
    what: (p) => `${p.what} is not enforced yet.`,
    why: 'What cannot be put into force is refused by name.',
  },
  secret: {
    severity: 'error',
    what: () => 'A password is read here.',
    why: 'A password that was sent goes whole into a field that keeps passwords, or to Authenticate; nothing else learns anything of it, and what is kept is a hash.',
  },
  credential: {
    severity: 'error',
    what: (p) => `“${p.name}” is a credential that a step has issued, and only the answer may hold it.`,
    why: 'It is told once, to whoever asked for it, and kept nowhere: no row, handler, condition or other step learns anything of it.',
    write: (p) => `1. Answer 201 with ${p.name}: \`${p.name}\`.`,
  },
});
