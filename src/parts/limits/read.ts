import { language } from '../../source/language.ts';
import type { Section } from '../../source/markdown.ts';
import { type Notes, Phrase } from '../../source/phrase.ts';
import { type Cells, readBullets, readTable, refuse, said } from '../../source/read.ts';
import { takeDuration, takeSize, takeUnit } from '../../source/units.ts';
import { limitsDiagnostics as d } from './diagnostics.ts';
import type { Limits, PageSize, Rate, WholeList } from './model.ts';
import { readPages } from './pages.ts';

const COLUMNS = ['Limit', 'Value', 'Applies to'] as const;
const DRAFT = 'RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers)';

type Draft = { -readonly [K in keyof Limits]: Limits[K] } & { rates: Rate[] };

/** Reads `## Limits`. */
export function readLimits(section: Section | null, notes: Notes): Limits {
  const out: Draft = {
    rates: [],
    requestSize: null,
    timeout: null,
    pageSize: null,
    wholeList: null,
    rateHeaders: null,
    pages: null,
  };
  if (!section) return out;
  readBullets(
    section,
    {
      'Rate headers': (value, span) => {
        const rateLimit = value.take(DRAFT);
        const retryAfter = rateLimit ? value.take(', Retry-After') : value.take('Retry-After');
        if (rateLimit || retryAfter || value.expect('none')) out.rateHeaders = said(span, { rateLimit, retryAfter });
      },
      Pages: (value, span) => {
        out.pages = said(span, readPages(value, notes));
      },
    },
    notes,
  );
  refuse(section, { steps: true, children: true }, 'among the limits', notes.findings);
  for (const table of section.tables)
    for (const cells of readTable(table, COLUMNS, notes)) readLimit(cells, out, notes);
  return out;
}

function readLimit(cells: Cells<(typeof COLUMNS)[number]>, out: Draft, notes: Notes): void {
  const { Limit: limit, Value: value, 'Applies to': applies } = cells;
  if (!limit || !value || !applies) {
    const column = COLUMNS.find((name) => !cells[name])!;
    notes.findings.push(d.report.blankCell(cells.span, { column }));
  }
  const kind = limit && new Phrase(limit, notes);
  const name = kind?.choose(['Rate', 'Request size', 'Time-out', 'Page size', 'Whole list']);
  if (!name || !kind?.end() || !value || !applies) return;
  const amount = new Phrase(value, notes);
  const where = new Phrase(applies, notes);
  const once = (known: unknown): boolean => {
    if (known) notes.findings.push(language.report.twice(cells.span, { what: `“${name}”` }));
    return !known;
  };
  if (name === 'Whole list') {
    const whole = readWholeList(amount);
    if (everywhere(where, 'every list of all', amount) && once(out.wholeList)) out.wholeList = said(cells.span, whole);
  } else if (name === 'Rate') {
    const rate = readRate(amount, where);
    if (!rate) return;
    if (once(out.rates.some((other) => other.per === rate.per))) out.rates.push({ ...rate, span: cells.span });
  } else if (name === 'Page size') {
    const size = readPageSize(amount, notes);
    if (everywhere(where, 'every list in pages', amount) && once(out.pageSize)) out.pageSize = said(cells.span, size);
  } else if (name === 'Request size') {
    const bytes = takeSize(amount);
    if (everywhere(where, 'every endpoint', amount) && once(out.requestSize)) out.requestSize = said(cells.span, bytes);
  } else {
    const milliseconds = takeDuration(amount);
    if (everywhere(where, 'every endpoint', amount) && once(out.timeout)) out.timeout = said(cells.span, milliseconds);
  }
}

function everywhere(where: Phrase, scope: string, amount: Phrase): boolean {
  const understood = where.expect(scope) && where.end();
  return amount.end() && understood;
}

const PER = {
  'each caller': 'caller',
  'each address, before authentication': 'address',
  'each address without a caller': 'nobody',
} as const;

/** `600 requests per minute` for `each caller`, or for each address. */
function readRate(amount: Phrase, where: Phrase): Omit<Rate, 'span'> | null {
  const count = amount.positive('a number of requests, from 1');
  const milliseconds = count !== null && amount.expect('requests per') ? takeUnit(amount) : null;
  amount.end();
  const per = where.choose(Object.keys(PER) as Array<keyof typeof PER>);
  if (!where.end() || count === null || milliseconds === null || !per) return null;
  return { count, milliseconds, per: PER[per] };
}

/** `20 by default, 100 at most, more is refused` */
function readPageSize(amount: Phrase, notes: Notes): PageSize | null {
  const standard = amount.integer('a number of items');
  if (standard === null || !amount.expect('by default,')) return null;
  const whole = readWholeList(amount);
  if (!whole) return null;
  if (standard < 1 || standard > whole.most) notes.findings.push(d.report.pageBounds(amount.span));
  return { standard, ...whole };
}

/** `500 at most, more is left out` */
function readWholeList(amount: Phrase): WholeList | null {
  const most = amount.positive('a number of items, from 1');
  if (most === null || !amount.expect('at most,')) return null;
  const beyond = amount.choose(['more is refused', 'more is left out']);
  return beyond && { most, beyond: beyond === 'more is refused' ? 'refused' : 'left out' };
}
