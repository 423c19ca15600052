import { TABLES } from '../../language/columns.ts';
import { isBlank, readBullets, readTable } from '../../language/read.ts';
import { FIELD_NAME, isFieldName } from '../../syntax/field-name.ts';
import type { Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { located, type Name, readName, refuse, refuseRepeats, takeName } from '../../syntax/names.ts';
import type { Notes, Phrase } from '../../syntax/phrase.ts';
import type { Token } from '../../syntax/tokens.ts';
import { keysOf } from '../../text/keys.ts';
import { nearest } from '../../text/suggest.ts';
import { READ_ALREADY } from '../document/header-fields.ts';
import type { Credentials, Scheme, SchemeHeader, Scope } from '../statements/authentication.ts';
import { authenticationDiagnostics as d } from './messages.ts';
import { readOrigins } from './origins.ts';
import { NO_TOKENS, readScopesIn, readText, tokenBullets } from './read-tokens.ts';

/** Reads what stands under the heading of one scheme. */
export function readScheme(section: Section, notes: Notes): Scheme {
  const { heading } = section;
  notes.marks.push({ from: heading.from, to: heading.to, role: 'free' });
  const tokens = { ...NO_TOKENS };
  const out: { -readonly [K in keyof Scheme]: Scheme[K] } = {
    name: heading.source.slice(heading.from, heading.to),
    kind: null,
    header: null,
    credentials: null,
    caller: null,
    tokens,
    scopes: null,
    origins: null,
    span: heading,
  };
  readBullets(
    section,
    'scheme',
    {
      Scheme: (value, span) => {
        out.kind = located(span, value.choose(['API key', 'JWT', 'OAuth 2 bearer']));
      },
      Header: (value, span) => {
        const token = value.code('value', 'a header in inline code, such as `Authorization: Bearer {key}`');
        if (token) out.header = located(span, readHeader(token, notes));
      },
      Credentials: (value, span) => {
        out.credentials = located(span, readCredentials(value));
      },
      Caller: (value, span) => {
        out.caller = takeName(value, 'use', 'a resource');
        if (out.caller && value.take('whose')) tokens.subject = located(span, readSubject(value));
      },
      Scopes: (value, span) => {
        if (value.take('none')) out.scopes = [];
        else tokens.scopesIn = located(span, readScopesIn(value));
      },
      'Browser origins': (value, span) => {
        out.origins = located(span, readOrigins(value));
      },
      ...tokenBullets(tokens),
    },
    notes,
  );
  refuse(section, { steps: true, children: true }, 'under a scheme', notes.findings);
  const [table] = section.tables;
  if (out.scopes && table) notes.findings.push(language.report.twice(table.span, { what: '“Scopes”' }));
  for (const table of section.tables) out.scopes = [...(out.scopes ?? []), ...readScopes(table, notes)];
  refuseRepeats(
    (out.scopes ?? []).map((scope) => scope.name),
    notes.findings,
    'The scope ',
  );
  return out;
}

const SOURCES = {
  'issued and revoked by the operator': ['operator'],
  'issued and revoked by the operator and steps': ['operator', 'steps'],
  'issued and revoked by steps': ['steps'],
  'issued by steps': ['steps'],
  'issued by the issuer': ['issuer'],
} as const;

/** `issued and revoked by the operator, each for one Customer, kept as a hash`; of tokens nothing is kept. */
function readCredentials(value: Phrase): Credentials | null {
  const source = value.choose(keysOf(SOURCES));
  if (!source || !value.expect(', each for one')) return null;
  const resource = takeName(value, 'use', 'a resource');
  if (!resource) return null;
  const by = SOURCES[source];
  const kept = source.includes('revoked');
  return !kept || value.expect(', kept as a hash') ? { by, kept, resource } : null;
}

/** Of tokens: ``Customer whose id is claim `sub` `` */
function readSubject(value: Phrase): { field: Name; claim: string } | null {
  const field = takeName(value, 'use', 'a field');
  if (!field || !value.expect('is claim')) return null;
  const claim = readText(value, 'the name of a claim in inline code');
  return claim === null ? null : { field, claim };
}

/**
 * `Authorization: Bearer {key}`: the first and the last are words, and the scheme between them is the document's own.
 * In any other header, the key may stand alone: `X-API-Key: {key}`.
 */
function readHeader(token: Token, notes: Notes): SchemeHeader | null {
  const { from, to } = token.inner;
  const match = new RegExp(`^(${FIELD_NAME}):(?: ([A-Za-z][A-Za-z0-9-]{0,63}))? (\\S+)$`).exec(token.text);
  if (!match || !isFieldName(match[1] ?? '')) {
    notes.findings.push(d.report.header({ from, to }, { found: token.text }));
    return null;
  }
  const [, name = '', scheme = null, key = ''] = match;
  const suggestion = nearest(name, ['Authorization']);
  for (const [span, found, word] of [
    [{ from, to: from + name.length }, name, suggestion ?? name],
    [{ from: to - key.length, to }, key, nearest(key, ['{key}', '{token}']) ?? '{key}'],
  ] as const) {
    notes.marks.push({ ...span, role: suggestion || word !== name ? 'word' : 'value' });
    if (found === word) continue;
    notes.findings.push(
      language.report.unknown(span, { found, nearest: nearest(found, [word]) ?? '', expected: `“${word}”` }),
    );
    return null;
  }
  const reserved = READ_ALREADY.includes(name.toLowerCase()) && name !== 'Authorization';
  if (reserved) notes.findings.push(d.report.headerTaken({ from, to: from + name.length }, { name }));
  if (name === 'Authorization' && scheme === null) {
    notes.findings.push(d.report.header({ from, to }, { found: token.text }));
    return null;
  }
  return { name, scheme, holds: key === '{key}' ? 'key' : 'token' };
}

function readScopes(table: Section['tables'][number], notes: Notes): Scope[] {
  return readTable(table, TABLES.scope, notes).flatMap((cells) => {
    if (!cells.Scope) {
      notes.findings.push(d.report.scopeUnnamed(cells.span));
      return [];
    }
    const text = cells['Lets the caller'];
    if (text) notes.marks.push({ from: text.from, to: text.to, role: 'free' });
    else if (isBlank(cells, 'Lets the caller')) notes.findings.push(d.report.scopeUnexplained(cells.span));
    const name = readName(cells.Scope, notes, 'declaration', 'the name of a scope');
    return name ? [{ name, span: cells.span }] : [];
  });
}
