import { catalogue, type Finding } from '../syntax/diagnostic.ts';
import type { Token } from '../syntax/tokens.ts';
import { counted, orEmpty, path } from './common-values.ts';
import {
  code,
  coded,
  constant,
  either,
  flag,
  type Grammar,
  implied,
  isNumber,
  isText,
  led,
  list,
  maybe,
  name,
  oneOf,
  optional,
  placed,
  quoted,
  sequence,
  shown,
  type ValueOf,
  words,
} from './grammar.ts';
import { isFieldName } from './header-fields.ts';
import type { BulletStatements, ColumnStatements } from './statement.ts';

/** Findings about values that were meant as a header, a date or a place of the version. */
export const versionValues = catalogue('versioning', {
  headerName: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not the name of a header. A name has up to 256 letters, digits and marks such as “-”, for example Orders-Version.`,
    why: 'Header names are tokens (RFC 9110, section 5.1).',
    write: () => '`Orders-Version`',
  },
  date: {
    severity: 'error',
    what: (p) => `“${p.found}” is not a date of the calendar. A date is a year, a month and a day, such as 2026-11-01.`,
    why: 'With the scheme “a date in header”, a version is named by its date (RFC 3339, full-date).',
    write: () => '2026-11-01',
  },
  template: {
    severity: 'error',
    what: (p) => `“${p.found}” is not ${p.what}.`,
    why: 'The text {version} marks the name of the version: as the last segment of a path, as a part of a media type that ends in +json, or as a parameter of a JSON media type.',
  },
});

/** A text in inline code; `fault` returns the finding about it, or null. */
const fitting = (what: string, sample: string, fault: (token: Token) => Finding | null): Grammar<string> =>
  coded({
    role: 'value',
    what,
    sample,
    take: (token, phrase) => {
      const finding = fault(token);
      return finding ? phrase.refuse(finding) || undefined : token.text;
    },
    show: String,
    writes: isText,
  });

const HEADER = fitting('the name of a header in inline code', 'Orders-Version', (token) =>
  isFieldName(token.text) ? null : versionValues.report.headerName(token, { found: token.text }),
);

/** The longest prefix of paths or value of a header with a version in it. */
const LONGEST_TEMPLATE = 256;

/** A text with `{version}` in it. */
const template = (what: string, sample: string, ...forms: readonly RegExp[]): Grammar<string> =>
  fitting(`${what} such as \`${sample}\``, sample, (token) =>
    token.text.length <= LONGEST_TEMPLATE && forms.some((form) => form.test(token.text))
      ? null
      : versionValues.report.template(token, { found: token.text, what: `${what} such as ${sample}` }),
  );

/** A path prefix whose last segment is the version. */
const PREFIX = template('a path', '/{version}', /^(?:\/[A-Za-z0-9._~-]+)*\/\{version\}$/);
/** A name with the version in it that ends in `+json` (RFC 6839), or a parameter of JSON. */
const TEMPLATE = template(
  'a media type',
  'application/vnd.x.{version}+json',
  /^application\/[a-z0-9][a-z0-9.-]*\.\{version\}(?:\.[a-z0-9.-]+)?\+json$/,
  /^application\/(?:json|[a-z0-9][a-z0-9.-]*\+json); ?[a-z]+=\{version\}$/,
);

/** Whether answers have the header Vary. */
const VARY = { vary: flag(', with header Vary') };

/**
 * The place of the version in a request: a header, as a date or as a name; the path; or the media type that is
 * accepted.
 */
const SCHEME = either(
  sequence({ kind: constant('a date in header', 'date') }, { header: HEADER }, VARY),
  sequence({ kind: constant('a name in header', 'header') }, { header: HEADER }, VARY),
  sequence({ kind: words('path') }, { prefix: PREFIX }),
  sequence({ kind: words('media type') }, { template: TEMPLATE }, VARY),
);
export type Scheme = ValueOf<typeof SCHEME>;

/** A thousand years: a longer time could lead to a date that the calendar does not have. */
const MOST_MONTHS = 12_000;

const YES = implied(true);
const NO = implied(false);

/** `, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)`: the headers that announce an end. */
const ENDING_HEADERS = either(
  led(
    ',',
    either(
      sequence(
        { deprecation: constant('with headers Deprecation (RFC 9745) and Sunset (RFC 8594)', true) },
        { sunset: YES },
      ),
      sequence({ deprecation: constant('with header Deprecation (RFC 9745)', true) }, { sunset: NO }),
      sequence({ sunset: constant('with header Sunset (RFC 8594)', true) }, { deprecation: NO }),
    ),
  ),
  sequence({ deprecation: NO }, { sunset: NO }),
);

/** `a deprecated version answers for 12 months, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)` */
const POLICY = sequence(
  'a deprecated version answers for',
  { months: counted('a number of months', 'month', '12 months', MOST_MONTHS) },
  ENDING_HEADERS,
);

/** The bullets of `## Versioning`. */
export const VERSIONING = {
  Scheme: { member: 'scheme', value: either(words('none'), SCHEME) },
  'Current version': { member: 'current', value: shown(name('a version', 'v3', 'value'), '2026-11-01', 'v3') },
  'Without a version': {
    member: 'without',
    value: either(
      words('current version'),
      words('refused'),
      sequence('version', { version: shown(name('a version', 'v1', 'value'), '2025-06-01', 'v1') }),
    ),
    ask: {
      code: 'without',
      what: 'A request names no version. Is it answered in the current version, in an older one such as “version v1”, or refused?',
      why: 'Ninefold has no defaults.',
      write: 'current version',
    },
  },
  'Deprecation policy': { member: 'policy', value: POLICY },
} as const satisfies BulletStatements;

export type Without = ValueOf<(typeof VERSIONING)['Without a version']['value']>;

/** Whether a text is a date that exists in the calendar. */
export const isDate = (text: string): boolean => Number.isFinite(dateAt(text));

function dateAt(text: string): number {
  // RFC 3339 has a year 0, and no service has been published in it.
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return Number.NaN;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text) ? at : Number.NaN;
}

/** A date (RFC 3339, full-date), as the milliseconds from the epoch to its start in UTC. */
const date = (sample: string): Grammar<number> => ({
  read: (phrase) => {
    const token = phrase.word('value', 'a date, such as 2026-11-01');
    if (!token) return undefined;
    if (isDate(token.text)) return dateAt(token.text);
    return phrase.refuse(versionValues.report.date(token, { found: token.text })) || undefined;
  },
  print: (at) => new Date(at).toISOString().replace(/T.*/, ''),
  writes: isNumber,
  samples: [sample],
});

/** `from 2026-11-01, until 2027-11-01, else export_gone, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)` */
export const DEPRECATION = sequence(
  'from',
  { from: date('2026-11-01') },
  {
    until: optional(
      ', until',
      sequence({ at: placed(date('2027-11-01')) }, ', else', { code: name('an error code', 'export_gone') }),
    ),
  },
  ENDING_HEADERS,
);
export type Deprecation = ValueOf<typeof DEPRECATION>;

/** The treatment of a word that shows several values, in the body of a request: one of the values, or refused. */
const SENT = maybe(
  either(
    led(', sent as', code('value', 'the value that a request means, in inline code', 'high')),
    constant(', not accepted', 'not accepted'),
  ),
);

/**
 * One difference between a version and the next newer one: a field with another name, or without the field (null); or a
 * value with another word.
 */
const DIFFERENCE = sequence(
  path('a field, such as Order.sku', 'Order.sku'),
  either(
    sequence(
      { value: code('value', 'a value of the field, in inline code', 'urgent') },
      'is',
      { word: code('value', 'the word for the value in this version, in inline code', 'high') },
      { sent: SENT },
    ),
    sequence({
      was: either(
        led('is', quoted('the field’s name in this version, in inline code', 'product')),
        constant('absent', null),
      ),
    }),
  ),
);
type Difference = ValueOf<typeof DIFFERENCE>;
/** Another name of a field, or its absence. */
export type NameDifference = Extract<Difference, { readonly was: unknown }>;
/** Another word for a value of a field. */
export type WordDifference = Extract<Difference, { readonly word: unknown }>;

/** Whether a difference is about the field itself, and not about one of its values. */
export const isOfName = (one: Difference): one is NameDifference => 'was' in one;
/** Whether a difference is about a value of its field. */
export const isOfValue = (one: Difference): one is WordDifference => 'word' in one;

/** The table of versions, newest first. */
export const VERSION = {
  Version: {
    member: 'name',
    value: shown(name('a version', 'v2', 'value'), '2025-06-01', 'v2'),
    blank: 'the name of the version',
  },
  State: {
    member: 'state',
    value: oneOf('supported', 'deprecated', 'retired'),
    blank: '“supported”, “deprecated” or “retired”',
  },
  Deprecated: {
    member: 'deprecated',
    value: either(words('none'), date('2026-11-01')),
    blank: 'the date from which the version is deprecated, such as 2026-11-01, or “none”',
  },
  Sunset: {
    member: 'sunset',
    value: either(words('none'), date('2027-11-01')),
    blank: 'the date until which the version answers, such as 2027-11-01, or “none”',
  },
  'Differs from the next version in': {
    member: 'differences',
    value: shown(
      orEmpty(either(constant('none', null), list(DIFFERENCE, ';'))),
      'none',
      'Order.sku is `product`; Order.note absent',
      'Order.priority `urgent` is `high`, sent as `high`',
    ),
    blank: 'the fields and values that differ, such as “Order.sku is `product`; Order.note absent”, or “none”',
  },
} as const satisfies ColumnStatements;
