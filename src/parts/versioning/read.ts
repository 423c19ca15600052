import { language } from '../../source/language.ts';
import type { Section } from '../../source/markdown.ts';
import type { Notes, Phrase } from '../../source/phrase.ts';
import { type Cells, readBullets, readCell, readTable, refuse, said, takePath } from '../../source/read.ts';
import { versioningDiagnostics as d } from './diagnostics.ts';
import type { Difference, Version, Versioning } from './model.ts';

const COLUMNS = ['Version', 'State', 'Deprecated', 'Sunset', 'Differs from the next version in'] as const;

/** Reads `## Versioning`. */
export function readVersioning(section: Section | null, notes: Notes): Versioning {
  const out: { -readonly [K in keyof Versioning]: Versioning[K] } = {
    none: false,
    header: null,
    current: null,
    without: null,
    policy: null,
    versions: [],
  };
  if (!section) return out;
  readBullets(
    section,
    {
      Scheme: (value, span) => {
        if (value.take('none')) {
          out.none = true;
          return;
        }
        for (const later of ['path', 'header', 'media type'])
          if (value.take(later)) {
            notes.findings.push(language.report.notYet(span, { what: `Versions by ${later}` }));
            value.rest();
            return;
          }
        if (value.expect('a date in header')) out.header = said(span, readHeaderName(value, notes));
      },
      'Current version': (value, span) => {
        out.current = said(span, readDate(value, notes));
      },
      'Without a version': (value, span) => {
        out.without = said(span, value.choose(['current version', 'refused']));
      },
      'Deprecation policy': (value, span) => {
        out.policy = said(span, readPolicy(value));
      },
    },
    notes,
  );
  refuse(section, { steps: true, children: true }, 'in this part', notes.findings);
  out.versions = section.tables.flatMap((table) =>
    readTable(table, COLUMNS, notes).flatMap((cells) => readVersion(cells, notes) ?? []),
  );
  return out;
}

function readHeaderName(value: Phrase, notes: Notes): string | null {
  const token = value.code('value', 'the name of a header in inline code');
  if (!token) return null;
  if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(token.text)) return token.text;
  notes.findings.push(d.report.headerName(token, { found: token.text }));
  return null;
}

/** A date such as 2026-11-01 (RFC 3339, full-date); reports one that is not in the calendar. */
function readDate(value: Phrase, notes: Notes): string | null {
  const token = value.word('value', 'a date, such as 2026-11-01');
  if (!token) return null;
  if (Number.isFinite(dateAt(token.text))) return token.text;
  notes.findings.push(d.report.date(token, { found: token.text }));
  return null;
}

function dateAt(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return Number.NaN;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text) ? at : Number.NaN;
}

/** `a deprecated version answers for 12 months, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)` */
function readPolicy(value: Phrase): { months: number; deprecation: boolean; sunset: boolean } | null {
  if (!value.expect('a deprecated version answers for')) return null;
  const months = value.positive('a number of months, from 1');
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

function readVersion(cells: Cells<(typeof COLUMNS)[number]>, notes: Notes): Version | null {
  const { Version: version, State: state, Deprecated: deprecated, Sunset: sunset } = cells;
  const differs = cells['Differs from the next version in'];
  for (const column of COLUMNS) if (!cells[column]) notes.findings.push(d.report.blankCell(cells.span, { column }));
  const name = version && readCell(version, notes, (phrase) => readDate(phrase, notes))?.value;
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
  return name ? { name, ...out } : null;
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
