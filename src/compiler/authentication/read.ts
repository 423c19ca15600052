import { AUTHENTICATION, SCHEME, SCOPE } from '../../language/authentication.ts';
import { TABLES } from '../../language/columns.ts';
import { freeText } from '../../language/common-values.ts';
import { isBlank, readStatements, readTable, readValue } from '../../language/read.ts';
import type { Bullet, Section, Table } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { located, refuse, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import { oneSpaced } from '../../text/white-space.ts';
import { readArguments } from '../endpoints/read/parameters.ts';
import type { Authentication, Scheme, Scope } from '../statements/authentication.ts';
import { authenticationDiagnostics as d } from './messages.ts';

/** Reads `## Authentication`. */
export function readAuthentication(section: Section | null, notes: Notes): Authentication {
  if (!section) return { none: false, unaccepted: null, origins: null, schemes: [] };
  const unheaded = section.bullets.some(isOfOneScheme)
    ? section.bullets.filter((one) => !ABOVE.includes(keyOf(one)))
    : [];
  const bullets = section.bullets.filter((one) => !unheaded.includes(one));
  const stated = readStatements({ ...section, bullets }, 'authentication', AUTHENTICATION, notes);
  refuse(section, { tables: unheaded.length === 0, steps: true }, 'outside a scheme', notes.findings);
  const schemes = section.children.map((child) => readScheme(child, notes));
  const first = unheaded[0];
  if (first) {
    notes.findings.push(d.report.unheaded(first.key, { heading: section.children.length ? '' : '### API key' }));
    // Read these bullets as a scheme although the heading is missing. Otherwise further questions would ask for
    // statements that the document has.
    if (!schemes.length)
      schemes.push(
        readScheme(
          { ...section, heading: first.key, bullets: unheaded, paragraphs: [], indented: [], children: [] },
          notes,
        ),
      );
  }
  const names = schemes.map((scheme) => ({ ...scheme.span, text: scheme.name }));
  refuseRepeats(names, notes.findings, 'The scheme ');
  return { ...stated, none: stated.none !== null, schemes };
}

/** The bullets, by their keys, that belong to the part as a whole and are written above the schemes. */
const ABOVE: readonly string[] = Object.keys(AUTHENTICATION).filter((key) => key !== 'Scheme');

const keyOf = ({ key }: Bullet): string => key.source.slice(key.from, key.to);

function isOfOneScheme(bullet: Bullet): boolean {
  const { source, from, to } = bullet.value;
  if (keyOf(bullet) === 'Scheme') return /^(?:API|JWT|OAuth)/.test(source.slice(from, to));
  return ['Header', 'Cookie', 'Credentials', 'Caller'].includes(keyOf(bullet));
}

/** Whether a table states claims, by the heading of its first column. */
const isOfClaims = ({ header: [first] }: Table): boolean =>
  first !== undefined && /^\s*Claims?\s*$/.test(first.source.slice(first.from, first.to));

/** Reads the section of one scheme. */
export function readScheme(section: Section, notes: Notes): Scheme {
  const { heading, tables } = section;
  notes.marks.push({ from: heading.from, to: heading.to, role: 'free' });
  const stated = readStatements(section, 'scheme', SCHEME, notes);
  refuse(section, { steps: true, children: true }, 'under a scheme', notes.findings);
  const { kind, header, cookie, realm, crossOrigin, credentials, caller, scopes: bullet, origins, ...tokens } = stated;
  const none = bullet?.value === 'none';
  const ofClaims = tables.filter(isOfClaims);
  const ofScopes = tables.filter((table) => !isOfClaims(table));
  if (none && ofScopes[0]) notes.findings.push(language.report.twice(ofScopes[0].span, { what: '“Scopes”' }));
  const scopes = ofScopes.flatMap((table) => readScopes(table, notes));
  const claims = ofClaims.flatMap((table) => readArguments(table, TABLES.claim, 'Claim', notes));
  refuseRepeats(
    claims.map((claim) => claim.name),
    notes.findings,
    'The claim ',
  );
  refuseRepeats(
    scopes.map((scope) => scope.name),
    notes.findings,
    'The scope ',
  );
  return {
    name: oneSpaced(heading.source.slice(heading.from, heading.to)),
    kind,
    header,
    cookie,
    realm,
    crossOrigin,
    credentials,
    caller: caller?.value.resource ?? null,
    condition: caller?.value.condition ?? null,
    tokens: {
      ...tokens,
      subject: caller && located(caller, caller.value.subject),
      scopesIn: bullet && located(bullet, bullet.value === 'none' ? null : bullet.value),
    },
    scopes: none || ofScopes.length ? scopes : null,
    claims,
    origins,
    span: heading,
  };
}

function readScopes(table: Table, notes: Notes): Scope[] {
  return readTable(table, TABLES.scope, notes, undefined, ' and no column “Claim”').flatMap((cells) => {
    if (!cells.Scope) {
      notes.findings.push(d.report.scopeUnnamed(cells.span));
      return [];
    }
    const text = cells['Lets the caller'];
    const permits = (text && readValue(text, notes, freeText)?.value) ?? null;
    if (isBlank(cells, 'Lets the caller')) notes.findings.push(d.report.scopeUnexplained(cells.span));
    const name = readValue(cells.Scope, notes, SCOPE)?.value;
    return name ? [{ name, permits, span: cells.span }] : [];
  });
}
