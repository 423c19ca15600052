import { AUTHENTICATION } from '../../language/authentication.ts';
import { readStatements } from '../../language/read.ts';
import type { Bullet, Section } from '../../syntax/markdown.ts';
import { refuse, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import type { Authentication } from '../statements/authentication.ts';
import { authenticationDiagnostics as d } from './messages.ts';
import { readScheme } from './read-scheme.ts';

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
  return ['Header', 'Credentials', 'Caller'].includes(keyOf(bullet));
}
