import { catalogue } from '../syntax/diagnostic.ts';

/** Findings about the form of allowed values, and about bounds that no value meets. */
export const valueDiagnostics = catalogue('resources', {
  emptyRange: {
    severity: 'error',
    what: (p) => `No value is from ${p.min} to ${p.max}${p.unit}. The smaller bound comes first.`,
    why: 'No value would be allowed.',
    write: (p) => `${p.max} to ${p.min}${p.unit}`,
  },
  durationBound: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `“${p.found}” is not a bound of a duration. Write both bounds as durations of ISO 8601, such as “${p.write} to P14D”.`,
    why: 'Requests and answers write durations in this form.',
    write: (p) => p.write || null,
  },
  emptyLength: {
    severity: 'error',
    what: (p) => `The smaller number of ${p.unit} is at least 0, and the larger at least 1.`,
    why: 'A length is never negative, and a value that can only be empty has no meaning.',
    write: (p) => `0 to 80 ${p.unit}`,
  },
  notPattern: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not a pattern. A pattern is written between slashes. For a list of values, write “one of …” without inline code.`,
    why: 'Inline code under “Allowed values” is a pattern in RE2 syntax, between slashes.',
    write: ({ found = '' }) => `\`/${found.startsWith('^') ? '' : '^'}${found}${found.endsWith('$') ? '' : '$'}/\``,
  },
  notMediaType: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not a media type of bytes. Write a type and a subtype in lower case without parameters, such as image/png or application/octet-stream; multipart types are not possible.`,
    why: 'A request names the type of its bytes in the header Content-Type (RFC 9110, section 8.3).',
    write: () => 'image/png',
  },
  valueQuoted: {
    severity: 'error',
    what: (p) => `The quotation marks would be part of the value. Write the value without them: ${p.value}.`,
    why: 'Values under “Allowed values” are written as they are, and separated by commas.',
    write: (p) => p.value ?? null,
  },
  decimalScale: {
    severity: 'question',
    what: (p) => `${p.what}: from which to which value, and with how many digits after the point?`,
    why: 'A decimal has a fixed number of digits after the point. Both bounds are written with that many.',
    write: () => '0.00 to 9999.99',
    puts: { column: 'Allowed values' },
  },
});
