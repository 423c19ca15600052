import { bullet, type Entry } from '../../../syntax/diagnostic.ts';

/** Findings about requests whose bodies are forms. */
export const FORMS = {
  formUnused: {
    severity: 'error',
    what: (p) => `“requests as …” has no effect: ${p.where} has a body. Write “JSON (RFC 8259)”.`,
    why: 'A statement without effect hides a mistake.',
    write: () => bullet('Payloads', 'JSON (RFC 8259)'),
  },
  formValue: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” is ${p.type}, and the body of ${p.endpoint} may be a form, whose names have texts or lists of them. State “Payloads: JSON (RFC 8259)” under ${p.endpoint}, or leave “${p.name}” out.`,
    why: 'The URL Standard defines pairs of a name and a text, and no notation for values within values.',
    write: () => bullet('Payloads', 'JSON (RFC 8259)'),
  },
} satisfies Record<string, Entry>;
