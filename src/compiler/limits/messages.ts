import { LIMIT_BULLETS, limitRow, limitValues } from '../../language/limits.ts';
import { questionsOf } from '../../language/statement.ts';
import { blankCell, graded, row } from '../../syntax/diagnostic.ts';

/** The findings that are neither wrong nor merely unsaid. */
const STANDINGS = {
  blank: ['blankCell'],
  idle: [
    'limitUnused',
    'rateUnreached',
    'targetUnused',
    'uncountedUnused',
    'rowlessUnused',
    'uncountedRowless',
    'pagesUnused',
    'rateHeadersUnused',
  ],
} as const;

export const limitsDiagnostics = graded('limits', STANDINGS, {
  ...questionsOf(LIMIT_BULLETS),
  ...limitValues.entries,
  blankCell: blankCell(
    () => 'This limit',
    {
      Limit: '“Rate”, “Request size”, “Time-out”, “Page size” or “Whole list”',
      Value: 'the bound, such as “600 requests per minute”, “64 KiB” or “5 seconds”',
      'Applies to': 'what is limited, such as “each caller”, “every endpoint” or an endpoint in inline code',
    },
    'A limit states what it limits, how much, and where.',
  ),
  pageBounds: {
    severity: 'error',
    what: () => 'The default page size has to be from 1 to the maximum.',
    why: 'The service would refuse its own default.',
  },
  wholeList: {
    severity: 'question',
    what: () => 'A List without pages, or a Group, gives all rows or groups. How many may it give at most?',
    why: 'Without a bound, the answer grows with the data.',
    write: () => limitRow('Whole list'),
  },
  limitUnused: {
    severity: 'error',
    what: (p) =>
      `This “${p.limit}” limits no endpoint: no endpoint here needs it, or a nearer row overrides it. Remove it.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  limitRepeated: {
    severity: 'error',
    what: (p) => `This row repeats the “${p.limit}” that already applies there. Remove it, or change it.`,
    why: 'A reader looks for a difference.',
  },
  limitOpen: {
    severity: 'question',
    what: (p) => `Other endpoints have a “${p.limit}”. Which one does ${p.endpoint} have?`,
    why: 'Ninefold has no defaults.',
    write: (p) => p.write ?? null,
  },
  belowNothing: {
    severity: 'error',
    what: (p) => `No endpoint has a path at or below ${p.path}${p.nearest ? `: did you mean “${p.nearest}”?` : '.'}`,
    why: 'The limit would apply to nothing.',
    write: (p) => p.nearest || null,
  },
  methodNowhere: {
    severity: 'error',
    what: (p) => `No endpoint is meant by “${p.found}”: none has this method there.`,
    why: 'The limit would apply to nothing.',
  },
  targetUnused: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” has no effect in this row: ${p.twice ? 'the other endpoints of the row include it' : `the “${p.limit}” limits nothing there, or a nearer row overrides it`}. Remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  rateTwice: {
    severity: 'error',
    what: () => 'This rate is stated twice.',
    why: 'Two statements of the same fact can disagree.',
  },
  rateUnreached: {
    severity: 'error',
    what: (p) =>
      `This rate never refuses a request: the rate in line ${p.line} refuses it before. Remove one, or change it.`,
    why: 'A limit that is never reached hides a mistake.',
  },
  nobodyRate: {
    severity: 'question',
    what: (p) =>
      `Anyone may call ${p.endpoint}, also without credentials. How many such requests may one address send?`,
    why: 'A rate of each caller counts only requests with credentials. State a rate of each address without a caller, or “any number of requests”.',
    write: () => row('Rate', '60 requests per minute', 'each address without a caller'),
  },
  uncountedUnused: {
    severity: 'error',
    what: () => '“any number of requests” has no effect: no endpoint needs it. Remove this row.',
    why: 'The row belongs to an endpoint that anyone may call, with a rate of each caller and no rate of each address without a caller.',
  },
  rateNumberUncalled: {
    severity: 'error',
    what: () =>
      'The number of this rate cannot be an expression: it counts requests that have no caller. Write a number.',
    why: 'Such an expression reads the row of the caller, its scopes or its claims.',
    write: () => '600',
  },
  rateNumberFixed: {
    severity: 'error',
    what: (p) => `“${p.found}” reads nothing of the caller. Write the number without inline code.`,
    why: 'A number that is the same for all callers is written as a number.',
    write: (p) => (/^[1-9]\d*$/.test(p.found ?? '') ? (p.found ?? null) : null),
  },
  rateNumberHigh: {
    severity: 'error',
    what: (p) => `The number of requests “${p.found}” may be more than 2,147,483,647.`,
    why: 'PostgreSQL counts so many requests in one window at most.',
  },
  rateNumberLow: {
    severity: 'error',
    what: (p) =>
      `The number of requests “${p.found}” may be ${p.least}. It has to be 1 or more: state allowed values such as “1 to 100000” for its fields.`,
    why: 'A rate of no requests would refuse every request of a caller.',
  },
  rateRow: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is no path of references that begins at the caller. ${p.references ? `The references of callers are ${p.references}.` : 'Callers have no references.'}`,
    why: 'The requests of all callers that refer to one row count together.',
  },
  rateCaller: {
    severity: 'error',
    what: () => 'This rate counts for each caller. Write “each caller”.',
    why: 'One statement has one form.',
    write: () => 'caller',
  },
  rowlessRate: {
    severity: 'question',
    what: (p) =>
      `“${p.row}” may be null, or missing, for callers of ${p.endpoint}. How many requests may such a caller send?`,
    why: 'A rate for each row does not count callers without a row. State a rate of each caller without the row, or “any number of requests”.',
    write: (p) => row('Rate', '600 requests per minute', `each caller without \`${p.row}\``),
  },
  rowlessUnused: {
    severity: 'error',
    what: (p) => `Every caller here has a row at “${p.row}”. Remove this rate.`,
    why: 'The rate would never count a request.',
  },
  uncountedRowless: {
    severity: 'error',
    what: (p) =>
      `“any number of requests” has no effect: no rate of each “${p.row}” leaves a caller out here. Remove this row.`,
    why: 'The row belongs to callers without a row, where a rate counts for each row and no rate counts for each caller without one.',
  },
  pagesUnused: {
    severity: 'error',
    what: () => 'This `Pages` bullet has no effect: no List in pages takes its form from here. Remove it.',
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  pagePayload: {
    severity: 'error',
    what: () => 'The payload of a page has to hold `page.items` once, and no other value twice.',
    why: 'A client needs the items of the page.',
    write: () => 'payload items `page.items`, next `page.next`',
  },
  linksOfQuery: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} answers pages with links, and a link has no body. Give this endpoint a bullet Pages without “header Link” and without “page.links”.`,
    why: 'A client follows a link by GET, and the body of a QUERY is the query (RFC 10008).',
    write: () => 'by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`',
  },
  noWayOn: {
    severity: 'error',
    what: () =>
      'Neither the payload nor a link holds the cursor of the next page. Add `page.next` to the payload, or a Link header with next.',
    why: 'A client cannot compute a cursor.',
    write: () => 'header Link (RFC 8288) with next',
  },
  pagesRepeated: {
    severity: 'error',
    what: () => 'This `Pages` bullet repeats the one under Limits. Remove it, or change it.',
    why: 'A reader looks for a difference.',
  },
  pageIdentity: {
    severity: 'error',
    what: (p) => `Pages by identity need an identity, and ${p.resource} has none.`,
    why: 'The parameter holds the identity of the last row of the previous page.',
  },
  pageNames: {
    severity: 'error',
    what: (p) => `“${p.name}” names both the size and the position of a page. Use two parameters.`,
    why: 'A query parameter has one meaning.',
  },
  pageNamesSwapped: {
    severity: 'error',
    what: (p) =>
      `The first parameter holds the size of a page, and the second ${p.what}. Here “${p.limit}” holds the size, and “${p.place}” ${p.what}: their names say otherwise.`,
    why: 'A client goes by the names. A value of the wrong kind is refused, or gives another page.',
    write: (p) => `parameters \`${p.place}\` and \`${p.limit}\``,
  },
  rateHeadersUnused: {
    severity: 'error',
    what: () => '`Rate headers` has no effect: the document states no rate. Write “none”, or state a rate.',
    why: 'The service would never send these headers.',
  },
  callerRate: {
    severity: 'error',
    what: () =>
      'A rate of each caller needs callers, and the document has none. Limit “each address, before authentication” instead.',
    why: 'The rate would never count a request.',
  },
});
