import { language } from '../../source/language.ts';
import type { Section } from '../../source/markdown.ts';
import { content, type Notes, Phrase } from '../../source/phrase.ts';
import { type Cells, readBullets, readTable, refuse, said, takeName } from '../../source/read.ts';
import { nearest } from '../../source/suggest.ts';
import { takeDuration, takeSize, takeUnit } from '../../source/units.ts';
import { limitsDiagnostics as d } from './diagnostics.ts';
import type { Limits, PageSize, Pages, Rate } from './model.ts';

const COLUMNS = ['Limit', 'Value', 'Applies to'] as const;
/** What a page has to show of itself. */
const PAGE_VALUES = ['items', 'next'] as const;
const DRAFT = 'RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers)';

type Draft = { -readonly [K in keyof Limits]: Limits[K] } & { rates: Rate[] };

/** Reads `## Limits`. */
export function readLimits(section: Section | null, notes: Notes): Limits {
  const out: Draft = { rates: [], requestSize: null, timeout: null, pageSize: null, rateHeaders: null, pages: null };
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
    notes.findings.push(language.report.notYet(limit, { what: '“Whole list”' }));
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
  const most = amount.integer('a number of items');
  if (most === null || !amount.expect('at most,')) return null;
  if (amount.take('more is left out')) {
    notes.findings.push(language.report.notYet(amount.span, { what: '“more is left out” for pages' }));
    return null;
  }
  if (!amount.expect('more is refused')) return null;
  if (standard < 1 || standard > most) notes.findings.push(d.report.pageBounds(amount.span));
  return { standard, most };
}

/** ``by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next` ``: names and what they hold. */
function readPages(value: Phrase, notes: Notes): Pages | null {
  for (const later of ['by offset', 'by number', 'by identity'])
    if (value.take(later)) {
      notes.findings.push(language.report.notYet(value.span, { what: `Pages “${later}”` }));
      value.rest();
      return null;
    }
  if (!value.expect('by cursor, parameters')) return null;
  const limit = value.code('declaration', 'the name of a parameter in inline code');
  const cursor =
    limit && value.expect('and') ? value.code('declaration', 'the name of a parameter in inline code') : null;
  if (!limit || !cursor || !value.expect('; payload')) return null;
  const payload: Pages['payload'][number][] = [];
  do {
    const name = takeName(value, 'declaration', 'the name of a member of the payload');
    const token = name && value.code('use', '`page.items` or `page.next`');
    if (!name || !token) return null;
    const held = PAGE_VALUES.find((one) => `page.${one}` === token.text);
    if (!held) {
      const near =
        nearest(
          token.text,
          PAGE_VALUES.map((one) => `page.${one}`),
        ) ?? '';
      notes.findings.push(d.report.pageValue(content(token), { found: token.text, nearest: near }));
      value.rest();
      return null;
    }
    payload.push({ name: name.text, value: held });
  } while (value.mark(','));
  const said = payload.map((member) => member.value);
  if (said.length !== 2 || !said.includes('items') || !said.includes('next') || payload[0]!.name === payload[1]!.name) {
    notes.findings.push(d.report.pagePayload(value.span));
    return null;
  }
  return { limit: limit.text, cursor: cursor.text, payload };
}
