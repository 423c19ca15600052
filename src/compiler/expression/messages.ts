import { graded, step } from '../../syntax/diagnostic.ts';

/** The end of a message about a member of these names, if they have none: the declaration that is missing. */
const EMPTY: Readonly<Record<string, string>> = {
  '“path”': ' The endpoint declares no path parameter. Add a row to its table of parameters.',
  '“query”': ' The endpoint declares no query parameter. Add a row to its table of parameters.',
  '“header”': ' The endpoint declares no header parameter. Add a row to its table of parameters.',
};

const members = (known: string | undefined): string => (known ? ` Its members are ${known}.` : '');

const STANDINGS = { idle: ['decided'] } as const;

export const expressionDiagnostics = graded('expression', STANDINGS, {
  tooLong: {
    severity: 'error',
    what: (p) => `This expression has ${p.length} characters; at most ${p.most} are allowed.`,
    why: 'Without this bound, checking a document could take too long.',
  },
  tooDeep: {
    severity: 'error',
    what: (p) => `This expression is nested more than ${p.most} levels deep.`,
    why: 'Without this bound, checking a document could take too long.',
  },
  tooMuch: {
    severity: 'error',
    what: (p) =>
      `This expression may read ${p.steps} items and characters; at most ${p.most} are allowed. Nested lists multiply these numbers: lower the maximum of one of the lists.`,
    why: 'The service answers nothing else while it computes an expression.',
  },
  syntax: {
    severity: 'error',
    what: (p) => `This is not an expression of CEL: ${p.reason}.`,
    why: 'Expressions are written in CEL, the Common Expression Language (docs/language/expressions.md).',
  },
  phraseElsewhere: {
    severity: 'error',
    what: (p) => `“${p.found}” is not written so in CEL. Write ${p.instead}.`,
    why: 'Expressions are written in CEL, the Common Expression Language (docs/language/expressions.md).',
  },
  operatorElsewhere: {
    severity: 'error',
    what: (p) => `“${p.found}” is not an operator of CEL. Write ${p.instead}.`,
    why: 'Expressions are written in CEL, the Common Expression Language (docs/language/expressions.md).',
  },
  unknownName: {
    severity: 'error',
    effects: ['names a stranger'],
    what: (p) =>
      p.nearest
        ? `There is no “${p.found}” here: did you mean “${p.nearest}”? Allowed: ${p.known}.`
        : `There is no “${p.found}” here. Allowed: ${p.known}.`,
    why: 'A name in an expression is a field, a step, a resource or a name of the language. Only steps know the names of a request (`caller`, `request`, `path`, `query`).',
    write: (p) => p.nearest || null,
  },
  givenField: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” reads the ${p.resource} that gets this value. An expression after “else” cannot read fields of its row. Allowed: ${p.known}, constants, and functions such as now() and uuid().`,
    why: 'The service uses the value when a request leaves the field out. To compute a value from other fields, write “on create” and the expression, or declare a derived field (`- Derived …`).',
  },
  unknownMember: {
    severity: 'error',
    effects: ['names a stranger'],
    what: (p) =>
      p.nearest
        ? `${p.of} has no member “${p.found}”: did you mean “${p.nearest}”?${members(p.known)}`
        : `${p.of} has no member “${p.found}”.${members(p.known) || EMPTY[p.of ?? ''] || ' It has no members at all.'}`,
    why: 'A member is a declared field, a parameter, or a field that the endpoint requests.',
    write: (p) => p.nearest || null,
  },
  unknownFunction: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `There is no function “${p.found}” ${p.of ? `of ${p.of}` : 'here'}: did you mean “${p.nearest}”? Allowed: ${p.known}.`
        : `There is no function “${p.found}” ${p.of ? `of ${p.of}` : 'here'}. Allowed: ${p.known}.`,
    why: 'An expression can call only the functions of the language (docs/language/expressions.md), which give the same result in JavaScript and in SQL.',
    write: (p) => p.nearest || null,
  },
  notOneOf: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `“${p.found}” is not a value of ${p.of}: did you mean “${p.nearest}”? The values are ${p.values}.`
        : `“${p.found}” is not a value of ${p.of}. The values are ${p.values}.`,
    why: 'A comparison with a value that never occurs is always false.',
    write: (p) => p.nearest || null,
  },
  noneLike: {
    severity: 'error',
    what: (p) =>
      p.sought === 'part'
        ? `No value of ${p.of} ${p.how} “${p.found}”. The values are ${p.values}.`
        : `“${p.found}” ${p.how} no value of ${p.of}. The values are ${p.values}.`,
    why: 'A comparison that holds for no value that ever occurs is always false.',
  },
  mismatch: {
    severity: 'error',
    what: (p) =>
      p.write
        ? `${p.what} takes ${p.expected}, and this expression is ${p.found}: did you mean “${p.write}”?`
        : `${p.what} takes ${p.expected}, and this expression is ${p.found}.`,
    why: 'Types are checked here, so that no request can fail on them.',
    write: (p) => p.write || null,
  },
  maybeNull: {
    severity: 'error',
    what: (p) => `“${p.what}” can be null here. Compare it with null first, or give another value.`,
    why: 'The document does not say what happens with null.',
    write: (p) => `${p.what} != null && …`,
  },
  neverNull: {
    severity: 'error',
    what: (p) =>
      `“${p.what}” is never null here${p.reason ? `: ${p.reason}` : ''}. This comparison always has the same result. Remove it.`,
    why: 'A test without effect hides a mistake.',
  },
  decided: {
    severity: 'notice',
    what: (p) => `“${p.test}” ${p.result} holds: ${p.reason}. Remove this part of the condition, or correct it.`,
    why: 'A test without effect hides a mistake: a code that no caller can receive, or steps that never run.',
  },
  hyphen: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” is a difference in an expression. Write \`${p.write}\` for the field, or spaces around the “-” for a difference.`,
    why: 'CEL reads a hyphen as a minus sign.',
    write: (p) => `${p.write}`,
  },
  ambiguous: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” is both a step and a field of ${p.resource} here. Write \`this.${p.name}\` for the field, or rename the step.`,
    why: 'A reader could take the name for either.',
    write: (p) => `this.${p.name}`,
  },
  everyAnyway: {
    severity: 'error',
    what: (p) =>
      p.why === 'everyone'
        ? `“every” has no effect: everyone may see all rows of ${p.resource}. Write \`${p.resource}\`.`
        : `“every” has no effect: all rows of ${p.resource} count here, whoever may see them. Write \`${p.resource}\`.`,
    why: 'A statement without effect hides a mistake.',
    write: (p) => `${p.resource}`,
  },
  unsupported: {
    severity: 'error',
    what: (p) => `${p.what}.`,
    why: 'Ninefold accepts only expressions that it can enforce, on every store alike.',
  },
  secret: {
    severity: 'error',
    what: (p) =>
      p.is === 'secret'
        ? 'This expression reads a secret. Only Authenticate may take `request.secret`, and only unchanged.'
        : 'This expression reads a password. Only a field of the format password, or Authenticate, may take `request.password`, and only unchanged.',
    why: 'No other expression, answer or handler learns a password or a secret. The service stores only its hash.',
  },
  credential: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” is a credential that a step issues. Only the answer may hold it, or a value that an outside handler takes, unchanged.`,
    why: 'A credential is given once. No row, condition, pure handler or other step may read it.',
    write: (p) => step('Answer', `201 with ${p.name}: \`${p.name}\`.`),
  },
});
