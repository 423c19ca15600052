import { TABLES } from '../../language/columns.ts';
import { type Cells, isBlank, readBullets, readTable } from '../../language/read.ts';
import { isFieldName } from '../../syntax/field-name.ts';
import type { Section } from '../../syntax/markdown.ts';
import { located, readCell, refuse, takeName, takePath } from '../../syntax/names.ts';
import type { Notes, Phrase } from '../../syntax/phrase.ts';
import { keysOf } from '../../text/keys.ts';
import type { Difference, Scheme, Version, Versioning } from '../statements/versioning.ts';
import { versioningDiagnostics as d } from './messages.ts';

const COLUMNS = keysOf(TABLES.version);

/** Reads `## Versioning`. */
export function readVersioning(section: Section | null, notes: Notes): Versioning {
  const out: { -readonly [K in keyof Versioning]: Versioning[K] } = {
    none: false,
    scheme: null,
    header: null,
    vary: false,
    current: null,
    without: null,
    policy: null,
    versions: [],
  };
  if (!section) return out;
  readBullets(
    section,
    'versioning',
    {
      Scheme: (value, span) => {
        if (value.take('none')) {
          out.none = true;
          return;
        }
        out.scheme = located(span, readScheme(value, notes));
        const scheme = out.scheme?.value;
        if (scheme && 'header' in scheme) out.header = located(span, scheme.header);
        if (scheme && scheme.kind !== 'path') out.vary = value.take(', with header Vary');
      },
      'Current version': (value) => {
        const name = takeName(value, 'value', 'a version');
        out.current = name && located(name, name.text);
      },
      'Without a version': (value, span) => {
        out.without = located(span, value.choose(['current version', 'refused']));
      },
      'Deprecation policy': (value, span) => {
        out.policy = located(span, readPolicy(value));
      },
    },
    notes,
  );
  refuse(section, { steps: true, children: true }, 'in this part', notes.findings);
  out.versions = section.tables.flatMap((table) =>
    readTable(table, TABLES.version, notes).flatMap((cells) => readVersion(cells, notes) ?? []),
  );
  return out;
}

/** ``a date in header `Orders-Version` ``, ``path `/{version}` `` and so on */
function readScheme(value: Phrase, notes: Notes): Scheme | null {
  const kind = value.choose(['a date in header', 'a name in header', 'path', 'media type']);
  if (!kind) return null;
  if (kind === 'a date in header' || kind === 'a name in header') {
    const header = readHeaderName(value, notes);
    return header === null ? null : { kind: kind === 'a date in header' ? 'date' : 'header', header };
  }
  const what =
    kind === 'path' ? 'a path such as `/{version}`' : 'a media type such as `application/vnd.x.{version}+json`';
  const token = value.code('value', what);
  if (!token) return null;
  const { text } = token;
  const fits =
    text.length <= LONGEST_TEMPLATE && (kind === 'path' ? PREFIX.test(text) : TEMPLATES.some((one) => one.test(text)));
  if (!fits) notes.findings.push(d.report.template(token, { found: token.text, what: what.replaceAll('`', '') }));
  if (!fits) return null;
  return kind === 'path' ? { kind, prefix: token.text } : { kind, template: token.text };
}

/** What stands before each path, or in a header of each answer. */
const LONGEST_TEMPLATE = 256;
/** Segments, of which the last is the version. */
const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)*\/\{version\}$/;
/** A name with the version in it that ends in `+json` (RFC 6839), or a parameter of JSON. */
const TEMPLATES = [
  /^application\/[a-z0-9][a-z0-9.-]*\.\{version\}(?:\.[a-z0-9.-]+)?\+json$/,
  /^application\/(?:json|[a-z0-9][a-z0-9.-]*\+json); ?[a-z]+=\{version\}$/,
];

function readHeaderName(value: Phrase, notes: Notes): string | null {
  const token = value.code('value', 'the name of a header in inline code');
  if (!token) return null;
  if (isFieldName(token.text)) return token.text;
  notes.findings.push(d.report.headerName(token, { found: token.text }));
  return null;
}

/** A date such as 2026-11-01 (RFC 3339, full-date); reports one that is not in the calendar. */
function readDate(value: Phrase, notes: Notes): string | null {
  const token = value.word('value', 'a date, such as 2026-11-01');
  if (!token) return null;
  if (isDate(token.text)) return token.text;
  notes.findings.push(d.report.date(token, { found: token.text }));
  return null;
}

/** True of a day of the calendar. */
export const isDate = (text: string): boolean => Number.isFinite(dateAt(text));

function dateAt(text: string): number {
  // RFC 3339 has a year 0, and no service has been published in it.
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return Number.NaN;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text) ? at : Number.NaN;
}

/** A thousand years: the day that it leads to is one of the calendar. */
const MOST_MONTHS = 12_000;

/** `a deprecated version answers for 12 months, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)` */
function readPolicy(value: Phrase): { months: number; deprecation: boolean; sunset: boolean } | null {
  if (!value.expect('a deprecated version answers for')) return null;
  const months = value.positive('a number of months, from 1', MOST_MONTHS);
  if (months === null || !value.choose([months === 1 ? 'month' : 'months'])) return null;
  if (!value.take(',')) return { months, deprecation: false, sunset: false };
  const headers = value.choose([
    'with headers Deprecation (RFC 9745) and Sunset (RFC 8594)',
    'with header Deprecation (RFC 9745)',
    'with header Sunset (RFC 8594)',
  ]);
  if (!headers) return null;
  return { months, deprecation: headers.includes('Deprecation'), sunset: headers.includes('Sunset') };
}

function readVersion(cells: Cells<keyof typeof TABLES.version>, notes: Notes): Version | null {
  const { Version: version, State: state, Deprecated: deprecated, Sunset: sunset } = cells;
  const differs = cells['Differs from the next version in'];
  for (const column of COLUMNS)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(cells.span, { column }));
  const name = version && readCell(version, notes, (phrase) => takeName(phrase, 'value', 'a version'))?.value;
  const date = (text: typeof deprecated) =>
    text &&
    readCell(text, notes, (phrase) => {
      const written = readDate(phrase, notes);
      return written === null ? null : dateAt(written);
    });
  const out = {
    state:
      (state && readCell(state, notes, (phrase) => phrase.choose(['deprecated', 'retired'] as const))?.value) ?? null,
    deprecated: date(deprecated),
    sunset: date(sunset),
    differences: differs && readCell(differs, notes, (phrase) => readDifferences(phrase)),
    span: cells.span,
  };
  return name ? { name: name.text, at: name, ...out } : null;
}

/** ``Order.sku is `product`; Order.note absent``, or `none` */
function readDifferences(phrase: Phrase): readonly Difference[] | null {
  if (phrase.take('none')) return [];
  const out: Difference[] = [];
  do {
    const names = takePath(phrase, 'a field, such as Order.sku');
    if (!names) return null;
    const how = phrase.choose(['is', 'absent']);
    if (!how) return null;
    const was = how === 'is' ? phrase.code('value', 'the field’s name in this version, in inline code') : null;
    if (how === 'is' && !was) return null;
    out.push({ ...names, was: was?.text ?? null });
  } while (phrase.mark(';'));
  return out;
}
