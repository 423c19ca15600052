import { HANDLER } from '../../../language/handlers.ts';
import { factsOf } from '../../../language/statement.ts';
import { bullet, graded, row } from '../../../syntax/diagnostic.ts';

/** Findings about statements without effect. These have a grade of their own: they are neither errors nor questions. */
const STANDINGS = { idle: ['handlerUnused'] } as const;

/** The question for each bullet of a handler. */
const QUESTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  factsOf(HANDLER).map(({ key, what }) => [key, what]),
);

export const handlersDiagnostics = graded('endpoints', STANDINGS, {
  handlerEmpty: {
    severity: 'question',
    what: () => 'Which steps run under this heading?',
    why: 'These steps run when the handler has answered, or has failed for the last time. The heading has none.',
    write: () => '1. Change `order` with …',
  },
  handlerSays: {
    severity: 'question',
    what: (p) => {
      const asked = QUESTIONS[p.bullet ?? ''] ?? `what happens then? The heading “${p.bullet}” is missing.`;
      return `The handler “${p.name}”: ${asked}`;
    },
    why: 'Ninefold has no defaults.',
    write: (p) => p.write ?? null,
  },
  handlerElse: {
    severity: 'error',
    what: (p) => `“${p.name}” belongs to a handler. Its presence is “always” or “optional”.`,
    why: 'The service fills in no values for the arguments and results of a handler.',
    write: () => 'optional',
  },
  handlerGives: {
    severity: 'question',
    what: (p) => `Which values does the handler “${p.name}” give?`,
    why: 'A pure handler only computes: without a result it has no effect.',
    write: () => row('Gives', 'Type', 'Allowed values', 'Presence'),
  },
  handlerOutside: {
    severity: 'error',
    what: (p) =>
      `The handler “${p.name}” is pure, so it has no attempts and no steps afterwards. Remove this statement, or write “Kind: outside”.`,
    why: 'A pure handler runs once, inside the transaction.',
    write: () => bullet('Kind', 'outside'),
  },
  handlerFile: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not the path of a module beside the document. A path is relative, without “..”, and ends in .ts, .mts, .js or .mjs.`,
    why: 'A handler is a TypeScript or JavaScript module in the folder of the document, or in a folder below it.',
    write: (p) => bullet('File', `\`${p.name}.ts\``),
  },
  handlerUnused: {
    severity: 'error',
    what: (p) => `No step runs the handler “${p.name}”. Add a Run step, or remove the handler.`,
    why: 'A statement without effect hides a mistake.',
    write: (p) => `1. Run ${p.name} …`,
  },
  handlerVerb: {
    severity: 'error',
    what: (p) =>
      `“${p.verb}” is not allowed after a handler. Allowed are all steps but Answer, Authenticate, Issue, List and Match.`,
    why: 'After a handler, there is no request to read and no answer to give.',
  },
  handlerCredential: {
    severity: 'error',
    what: (p) =>
      `“given.${p.name}” is a credential that a step has issued and handed to the handler. No step after the handler may read it.`,
    why: 'A credential is given once: a row that held it would show it again.',
  },
  handlerTakes: {
    severity: 'question',
    what: (p) => `Which value does the handler “${p.name}” receive as “${p.field}”?`,
    why: 'The value is always present, so each step that runs the handler gives it a value.',
    write: (p) => `with ${p.field} \`…\``,
  },
  handlerGiving: {
    severity: 'error',
    what: (p) => `The result of “${p.name}” has no name. End the step with “giving” and a name.`,
    why: 'A pure handler only computes: a result without a name has no effect.',
    write: () => ', giving `result`',
  },
  handlerQueued: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” runs after the transaction, so this step cannot use its result. Put the steps that use it under “#### When ${p.name} answers”.`,
    why: 'A handler of the kind “outside” is queued when the transaction ends.',
    write: (p) => `#### When ${p.name} answers`,
  },
});
