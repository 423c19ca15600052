import { language } from '../../source/language.ts';
import type { Section } from '../../source/markdown.ts';
import { content, type Notes, type Token } from '../../source/phrase.ts';
import {
  type Name,
  readBullets,
  readName,
  readTable,
  refuse,
  refuseRepeats,
  said,
  takeName,
} from '../../source/read.ts';
import { nearest } from '../../source/suggest.ts';
import { authenticationDiagnostics as d } from './diagnostics.ts';
import type { Authentication, Scheme, Scope } from './model.ts';
import { readOrigins } from './origins.ts';

const COLUMNS = ['Scope', 'Lets the caller'] as const;

/** Reads `## Authentication`. */
export function readAuthentication(section: Section | null, notes: Notes): Authentication {
  if (!section) return { none: false, unaccepted: null, origins: null, schemes: [] };
  let none = false;
  let unaccepted: Authentication['unaccepted'] = null;
  let origins: Authentication['origins'] = null;
  readBullets(
    section,
    {
      Scheme: (value) => {
        none = value.expect('none');
      },
      'Unaccepted credentials where none are needed': (value, span) => {
        unaccepted = said(span, value.choose(['refused']));
      },
      'Browser origins': (value, span) => {
        origins = said(span, readOrigins(value));
      },
    },
    notes,
  );
  refuse(section, { tables: true, steps: true }, 'outside a scheme', notes.findings);
  const schemes = section.children.map((child) => readScheme(child, notes));
  for (const scheme of schemes.slice(1))
    notes.findings.push(language.report.notYet(scheme.span, { what: 'A second scheme' }));
  return { none, unaccepted, origins, schemes };
}

function readScheme(section: Section, notes: Notes): Scheme {
  const { heading } = section;
  notes.marks.push({ from: heading.from, to: heading.to, role: 'free' });
  const out: { -readonly [K in keyof Scheme]: Scheme[K] } = {
    name: heading.source.slice(heading.from, heading.to),
    kind: null,
    header: null,
    credentials: null,
    caller: null,
    scopes: null,
    origins: null,
    span: heading,
  };
  readBullets(
    section,
    {
      Scheme: (value, span) => {
        for (const later of ['JWT', 'OAuth 2 bearer', 'none'])
          if (value.take(later)) {
            notes.findings.push(language.report.notYet(span, { what: `The scheme “${later}”` }));
            value.rest();
            return;
          }
        out.kind = said(span, value.choose(['API key']));
      },
      Header: (value, span) => {
        const token = value.code('value', 'a header in inline code, such as `Authorization: Bearer {key}`');
        if (!token) return;
        const header = readHeader(token, notes);
        if (header) out.header = said(span, header);
      },
      Credentials: (value, span) => {
        if (!value.expect('issued and revoked by the operator, each for one')) return;
        const resource: Name | null = takeName(value, 'use', 'a resource');
        if (resource && value.expect(', kept as a hash')) out.credentials = said(span, resource);
      },
      Caller: (value) => {
        out.caller = takeName(value, 'use', 'a resource');
      },
      Scopes: (value) => {
        if (value.expect('none')) out.scopes = [];
      },
      'Browser origins': (value, span) => {
        out.origins = said(span, readOrigins(value));
      },
    },
    notes,
  );
  refuse(section, { steps: true, children: true }, 'under a scheme', notes.findings);
  if (out.scopes && section.tables.length)
    notes.findings.push(language.report.twice(section.tables[0]!.span, { what: '“Scopes”' }));
  for (const table of section.tables) out.scopes = [...(out.scopes ?? []), ...readScopes(table, notes)];
  refuseRepeats(
    (out.scopes ?? []).map((scope) => scope.name),
    notes.findings,
    'The scope ',
  );
  return out;
}

/** `Authorization: Bearer {key}`: the first and the last are words, and the scheme between them is the document's own. */
function readHeader(token: Token, notes: Notes): { name: string; scheme: string } | null {
  const { from, to } = content(token);
  const match = /^(\S+): ([A-Za-z][A-Za-z0-9-]*) (\S+)$/.exec(token.text);
  if (!match) {
    notes.findings.push(d.report.header({ from, to }, { found: token.text }));
    return null;
  }
  const name = { from, to: from + match[1]!.length };
  const key = { from: to - match[3]!.length, to };
  for (const [span, found, word] of [
    [name, match[1]!, 'Authorization'],
    [key, match[3]!, '{key}'],
  ] as const) {
    notes.marks.push({ ...span, role: 'word' });
    if (found === word) continue;
    notes.findings.push(
      language.report.unknown(span, { found, nearest: nearest(found, [word]) ?? '', expected: `“${word}”` }),
    );
    return null;
  }
  return { name: match[1]!, scheme: match[2]! };
}

function readScopes(table: Section['tables'][number], notes: Notes): Scope[] {
  return readTable(table, COLUMNS, notes).flatMap((cells) => {
    if (!cells.Scope) {
      notes.findings.push(d.report.scopeUnnamed(cells.span));
      return [];
    }
    const text = cells['Lets the caller'];
    if (text) notes.marks.push({ from: text.from, to: text.to, role: 'free' });
    else notes.findings.push(d.report.scopeUnexplained(cells.span));
    const name = readName(cells.Scope, notes, 'declaration', 'the name of a scope');
    return name ? [{ name, span: cells.span }] : [];
  });
}
