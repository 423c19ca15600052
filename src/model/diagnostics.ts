import { catalogue } from '../source/diagnostic.ts';

export const itemDiagnostics = catalogue('document', {
  notShown: {
    severity: 'question',
    what: (p) => `${p.item}: not shown.`,
    why: 'What is not shown is not served: nothing is assumed in its place. State it in place of the sentence that leaves it open, or say that there is none.',
    write: (p) => p.write ?? null,
  },
  contradicted: {
    severity: 'error',
    what: (p) => `This says of “${p.item}” that it is ${p.state}, and the document says otherwise elsewhere.`,
    why: 'Both cannot be true.',
  },
  needed: {
    severity: 'error',
    what: (p) => `${p.item}: other statements depend on it, so there cannot be none.`,
    why: 'What the document states elsewhere could not be put into force without it.',
    write: (p) => p.write ?? null,
  },
  title: {
    severity: 'question',
    what: () => 'The document has no title.',
    why: 'The title names the service.',
    write: () => '# The name of the service',
  },
  address: {
    severity: 'question',
    what: () => 'Who says at which address the service lives?',
    why: 'Clients have to learn it from somewhere, and the document is the only source: a bullet under `## What the service does`.',
    write: () => '- Address: given by the operator',
  },
  addressForm: {
    severity: 'error',
    what: (p) => `“${p.found}” is not an address that paths can be written after.`,
    why: 'It is an http or https URL without a user, a query or a fragment.',
    write: () => '- Address: `https://api.example.com`',
  },
});
