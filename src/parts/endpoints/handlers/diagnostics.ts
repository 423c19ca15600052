import { catalogue } from '../../../source/diagnostic.ts';

export const handlersDiagnostics = catalogue('endpoints', {
  handlerEmpty: {
    severity: 'question',
    what: () => 'What is done then?',
    why: 'Steps under this heading are taken when the handler has run.',
    write: () => '1. Change `order` with …',
  },
  handlerSays: {
    severity: 'question',
    what: (p) => `The handler “${p.name}” says nothing of “${p.bullet}”.`,
    why: 'A handler runs as the document says, and only so.',
    write: (p) => p.write ?? null,
  },
  handlerElse: {
    severity: 'error',
    what: (p) => `“${p.name}” of a handler is there always, or optional.`,
    why: 'Nothing stands for a value that a handler is not given, or does not give.',
    write: () => 'optional',
  },
  handlerGives: {
    severity: 'question',
    what: (p) => `What does the handler “${p.name}” give?`,
    why: 'A pure handler only computes: without a result it does nothing.',
    write: () => '| Gives | Type | Allowed values | Presence |',
  },
  handlerOutside: {
    severity: 'error',
    what: (p) => `“${p.name}” is pure: it runs once, inside the transaction.`,
    why: 'Attempts, and steps that follow, are those of a handler that reaches outside.',
    write: () => '- Kind: outside',
  },
  handlerFile: {
    severity: 'error',
    what: (p) => `“${p.found}” is not the path of a module beside the document.`,
    why: 'A handler is a TypeScript or JavaScript module (.ts, .mts, .js, .mjs) in the document’s folder or below.',
  },
  handlerUnused: {
    severity: 'error',
    what: (p) => `Nothing runs the handler “${p.name}”.`,
    why: 'A statement that nothing uses would be accepted and ignored.',
  },
  handlerVerb: {
    severity: 'error',
    what: (p) => `“${p.verb}” cannot follow a handler.`,
    why: 'Nobody asks for what follows a handler: there is no request to read and nothing to answer.',
  },
  handlerTakes: {
    severity: 'question',
    what: (p) => `What is “${p.name}” given as “${p.field}”?`,
    why: 'A handler is given all that it always takes.',
    write: (p) => `with ${p.field} \`…\``,
  },
  handlerGiving: {
    severity: 'error',
    what: (p) => `What “${p.name}” gives is not called anything.`,
    why: 'A pure handler only computes: a result that no step can name is of no use.',
    write: () => ', giving `result`',
  },
  handlerQueued: {
    severity: 'error',
    what: (p) => `“${p.name}” has not answered yet when the next step is taken.`,
    why: 'A handler that reaches outside is queued as the transaction ends: its answer enters through steps of its own.',
    write: (p) => `#### When ${p.name} answers`,
  },
});
