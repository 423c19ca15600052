import { LIMITS, TABLES } from '../../language/columns.ts';
import { LIMIT_NAMES } from '../../language/keys.ts';
import { type Cells, checkRowsAsProse, isBlank, readBullets, readTable, withLesson } from '../../language/read.ts';
import type { PageSize } from '../../plan/limits.ts';
import type { Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { located, refuse } from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import type { Span } from '../../syntax/span.ts';
import { takeDuration, takeSize, takeUnit } from '../../syntax/units.ts';
import { keysOf } from '../../text/keys.ts';
import { unitOf } from '../../text/units.ts';
import type { LimitName, Limits, OwnLimit, Rate, Target, Uncounted, WholeList } from '../statements/limits.ts';
import { limitsDiagnostics as d } from './messages.ts';
import { readPages } from './read-pages.ts';

const COLUMNS = keysOf(TABLES.limit);
const DRAFT = 'RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers)';

type Draft = { -readonly [K in keyof Limits]: Limits[K] } & { rates: Rate[]; uncounted: Uncounted[]; own: OwnLimit[] };

/** Reads `## Limits`. */
export function readLimits(section: Section | null, notes: Notes): Limits {
  const out: Draft = {
    rates: [],
    uncounted: [],
    requestSize: null,
    timeout: null,
    pageSize: null,
    wholeList: null,
    own: [],
    rateHeaders: null,
    pages: null,
  };
  if (!section) return out;
  readBullets(
    section,
    'limits',
    {
      'Rate headers': (value, span) => {
        const rateLimit = value.take(DRAFT);
        const retryAfter = rateLimit ? value.take(', Retry-After') : value.take('Retry-After');
        if (rateLimit || retryAfter || value.expect('none')) out.rateHeaders = located(span, { rateLimit, retryAfter });
      },
      Pages: (value, span) => {
        out.pages = located(span, readPages(value, notes));
      },
    },
    notes,
  );
  checkRowsAsProse(section, LIMIT_NAMES, notes);
  refuse(section, { steps: true, children: true }, 'among the limits', notes.findings);
  for (const table of section.tables)
    for (const cells of readTable(table, TABLES.limit, notes)) readLimit(cells, out, notes);
  return out;
}

function readLimit(cells: Cells<keyof typeof TABLES.limit>, out: Draft, notes: Notes): void {
  const { Limit: limit, Value: value, 'Applies to': applies } = cells;
  const column = COLUMNS.find((name) => isBlank(cells, name));
  if (column) notes.findings.push(d.report.blankCell(cells.span, { column }));
  const kind = limit && new Phrase(limit, notes);
  const name = kind?.choose(LIMIT_NAMES);
  if (!name || !kind?.end() || !value || !applies) return;
  const amount = new Phrase(withLesson(value, LIMITS[name].Value), notes);
  const where = new Phrase(withLesson(applies, LIMITS[name]['Applies to']), notes);
  const { span } = cells;
  if (name === 'Rate' && amount.take('any number of requests')) {
    const at = amount.end() && where.expect('each address without a caller') ? readRateTargets(where) : null;
    if (where.end() && at) out.uncounted.push({ at, span });
    return;
  }
  if (name === 'Rate') {
    const misread = rateElsewhere(value.source.slice(value.from, value.to));
    if (misread) notes.findings.push(d.report.rateForm(value, misread));
    const rate = misread ? null : readRate(amount, where);
    if (rate) out.rates.push({ ...rate, span });
    return;
  }
  const one = readAmount(name, amount, notes);
  const at = readTargets(where, WHERE[name]);
  if (!amount.end() || !where.end() || !one || !at) return;
  if (at.length) out.own.push({ ...one, at, span });
  else if (generalOf(out, name)) notes.findings.push(language.report.twice(span, { what: `“${name}”` }));
  else setGeneral(out, one, span);
}

type Amount = OwnLimit extends infer L ? (L extends OwnLimit ? Omit<L, 'at' | 'span'> : never) : never;

/** What each limit applies to where it isn’t for some endpoints alone. */
const WHERE: Readonly<Record<LimitName, string>> = {
  'Request size': 'every endpoint',
  'Time-out': 'every endpoint',
  'Page size': 'every list in pages',
  'Whole list': 'every list of all',
};

function readAmount(limit: LimitName, amount: Phrase, notes: Notes): Amount | null {
  if (limit === 'Page size') {
    const value = readPageSize(amount, notes);
    return value && { limit, value };
  }
  if (limit === 'Whole list') {
    const value = readWholeList(amount);
    return value && { limit, value };
  }
  const value = limit === 'Time-out' ? takeDuration(amount) : takeSize(amount);
  return value === null ? null : { limit, value };
}

function generalOf(out: Draft, limit: LimitName): unknown {
  if (limit === 'Page size') return out.pageSize;
  if (limit === 'Whole list') return out.wholeList;
  return limit === 'Time-out' ? out.timeout : out.requestSize;
}

function setGeneral(out: Draft, one: Amount, span: Span): void {
  if (one.limit === 'Page size') out.pageSize = located(span, one.value);
  else if (one.limit === 'Whole list') out.wholeList = located(span, one.value);
  else if (one.limit === 'Time-out') out.timeout = located(span, one.value);
  else out.requestSize = located(span, one.value);
}

/** `every endpoint`, ``every endpoint below `/admin` ``, or endpoints by their names; none for all of them. */
function readTargets(where: Phrase, everywhere: string): Target[] | null {
  const every = where.take('every endpoint');
  if (every && where.done() && everywhere === 'every endpoint') return [];
  if (!every && where.take(everywhere)) return [];
  const below = every && where.expect('below');
  if (every && !below) return null;
  const out: Target[] = [];
  do {
    const token = where.code('use', below ? 'a path in inline code' : `${everywhere}, or an endpoint in inline code`);
    if (!token) return null;
    out.push({ kind: below ? 'below' : 'endpoint', name: { text: token.text, ...token.inner } });
  } while (!below && where.mark(','));
  return out;
}

const PER = {
  'each caller': 'caller',
  'each address, before authentication': 'address',
  'each address without a caller': 'nobody',
} as const;

/** `600 requests per minute`, or `per 15 minutes`, for `each caller`, or for each address, perhaps at some endpoints. */
function readRate(amount: Phrase, where: Phrase): Omit<Rate, 'span'> | null {
  const count = amount.positive('a number of requests, from 1');
  const milliseconds = count !== null && amount.expect('requests per') ? takeWindow(amount) : null;
  amount.end();
  const per = where.choose(keysOf(PER));
  const at = per && readRateTargets(where);
  if (!where.end() || count === null || milliseconds === null || !per || !at) return null;
  return { count, milliseconds, per: PER[per], at };
}

/** A rate as it is written elsewhere (`600/min`, `10 rps`, `100 per hour`), and how it is written here. */
function rateElsewhere(found: string): { readonly found: string; readonly write: string } | null {
  if (/^\d+ requests per [1-9a-z]/.test(found) && !/ (?:ms|secs?|s|mins?|m|hrs?|h|d)$/.test(found)) return null;
  const match =
    /^(\d+)\s*(?:requests?|reqs?|calls?|times|r)?\s*(?:\/|p(?=[smhd]$)|per|an?|each|every|in|within)\s*(\d*)\s*([a-z]+)$/i.exec(
      found,
    );
  const [, count = '', times = '', word = ''] = match ?? [];
  const unit = unitOf(word);
  if (!match || !unit || !Number(count)) return null;
  const window = Number(times || 1) > 1 ? `${times} ${unit}s` : unit;
  return { found, write: `${count} requests per ${window}` };
}

/** A rate counts everywhere, or at some endpoints. */
const readRateTargets = (where: Phrase): Target[] | null =>
  where.take(', at') ? readTargets(where, 'every endpoint') : [];

const takeWindow = (amount: Phrase): number | null =>
  /^\d/.test(amount.peek()?.text ?? '') ? takeDuration(amount) : takeUnit(amount);

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
