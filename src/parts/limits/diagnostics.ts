import { catalogue } from '../../source/diagnostic.ts';

const ask = (what: string, why: string, write: string) => ({
  severity: 'question' as const,
  what: () => what,
  why,
  write: () => write,
});

export const limitsDiagnostics = catalogue('limits', {
  blankCell: {
    severity: 'question',
    what: (p) => `This limit says nothing under “${p.column}”.`,
    why: 'A limit is what is limited, how much, and where.',
  },
  pageBounds: {
    severity: 'error',
    what: () => 'The default page size has to lie between 1 and the most.',
    why: 'A page that is refused cannot be the default.',
  },
  wholeList: {
    severity: 'question',
    what: () => 'How many rows does a list of all hold at most?',
    why: 'Without a bound, the answer grows with the data.',
    write: () => '| Whole list | 500 at most, more is left out | every list of all |',
  },
  limitUnused: {
    severity: 'error',
    what: (p) => `No endpoint takes this limit: “${p.limit}” bounds nothing here, or a nearer one does.`,
    why: 'It would be accepted and ignored.',
  },
  limitRepeated: {
    severity: 'error',
    what: (p) => `“${p.limit}” would be the same there without this row.`,
    why: 'It changes nothing, and a reader looks for a difference.',
  },
  limitOpen: {
    severity: 'question',
    what: (p) => `What is the “${p.limit}” of ${p.endpoint}?`,
    why: 'The limit is stated for some endpoints, and nothing is assumed of the others.',
    write: (p) => p.write ?? null,
  },
  belowNothing: {
    severity: 'error',
    what: (p) => `No endpoint stands at or below ${p.path}${p.nearest ? `: did you mean “${p.nearest}”?` : '.'}`,
    why: 'The limit would bound nothing.',
    write: (p) => p.nearest || null,
  },
  rateTwice: {
    severity: 'error',
    what: () => 'This rate is stated twice.',
    why: 'Two statements of the same fact can disagree, and then nobody knows which is in force.',
  },
  nobodyRate: {
    severity: 'question',
    what: (p) => `${p.endpoint} may be called without credentials: how are such requests counted?`,
    why: 'A rate of each caller counts requests with credentials alone. All others are counted by their address, or it is said that nothing counts them.',
    write: () => '| Rate | 60 requests per minute | each address without a caller |',
  },
  uncountedUnused: {
    severity: 'error',
    what: () => 'No endpoint leaves requests without a caller uncounted.',
    why: 'It is said where anyone may call and a rate of each caller counts, unless a rate counts each address without a caller there.',
  },
  pagesUnused: {
    severity: 'error',
    what: () => 'No list in pages takes its form from here.',
    why: 'The form of pages without pages is a statement without effect.',
  },
  pages: ask(
    'How are pages asked for, and where do items and the next page stand?',
    'A list in pages needs parameters and a form.',
    '- Pages: by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`',
  ),
  pageValue: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `A page has no “${p.found}”: did you mean “${p.nearest}”?`
        : `A page by ${p.by} has no “${p.found}”: it has ${p.known}.`,
    why: 'The payload of a page names what it holds.',
    write: (p) => `\`${p.nearest || 'page.items'}\``,
  },
  pagePayload: {
    severity: 'error',
    what: () => 'The payload of a page holds `page.items` once, and nothing twice.',
    why: 'Without the items there is no page.',
    write: () => 'payload items `page.items`, next `page.next`',
  },
  noWayOn: {
    severity: 'error',
    what: () => 'Nothing tells the cursor of the next page.',
    why: 'A cursor cannot be made up: without it there is no way on.',
    write: () => 'header Link (RFC 8288) with next',
  },
  pagesRepeated: {
    severity: 'error',
    what: () => '“Pages” says here what it says of every list already.',
    why: 'It changes nothing. Where both are meant, one of them is enough.',
  },
  pageIdentity: {
    severity: 'error',
    what: (p) => `No page can begin after one ${p.resource}: it has no identity.`,
    why: 'The parameter holds the identity of the last row of the page before.',
  },
  pageNames: {
    severity: 'error',
    what: (p) => `“${p.name}” cannot name both the size of a page and its place.`,
    why: 'One name in a query means one thing.',
  },
  rateHeaders: ask(
    'Which headers tell callers about the rates?',
    'No header is sent that the document doesn’t name.',
    '- Rate headers: Retry-After',
  ),
  rateHeadersUnused: {
    severity: 'error',
    what: () => 'No rate is stated that these headers could tell about.',
    why: 'They would never be sent.',
  },
  callerRate: {
    severity: 'error',
    what: () => 'A rate of each caller needs callers, and the document has none.',
    why: 'It would never count.',
  },
});
