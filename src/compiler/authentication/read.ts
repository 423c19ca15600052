import { readBullets } from '../../language/read.ts';
import type { Bullet, Section } from '../../syntax/markdown.ts';
import { located, refuse, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import type { Authentication } from '../statements/authentication.ts';
import { authenticationDiagnostics as d } from './messages.ts';
import { readOrigins } from './origins.ts';
import { readScheme } from './read-scheme.ts';

/** Reads `## Authentication`. */
export function readAuthentication(section: Section | null, notes: Notes): Authentication {
  if (!section) return { none: false, unaccepted: null, origins: null, schemes: [] };
  let none = false;
  let unaccepted: Authentication['unaccepted'] = null;
  let origins: Authentication['origins'] = null;
  const unheaded = section.bullets.some(isOfOneScheme)
    ? section.bullets.filter((one) => !ABOVE.includes(keyOf(one)))
    : [];
  readBullets(
    { ...section, bullets: section.bullets.filter((one) => !unheaded.includes(one)) },
    'authentication',
    {
      Scheme: (value) => {
        none = value.expect('none');
      },
      'Unaccepted credentials where none are needed': (value, span) => {
        unaccepted = located(span, value.choose(['refused']));
      },
      'Browser origins': (value, span) => {
        origins = located(span, readOrigins(value));
      },
    },
    notes,
  );
  refuse(section, { tables: unheaded.length === 0, steps: true }, 'outside a scheme', notes.findings);
  const schemes = section.children.map((child) => readScheme(child, notes));
  const first = unheaded[0];
  if (first) {
    notes.findings.push(d.report.unheaded(first.key, { heading: section.children.length ? '' : '### API key' }));
    // Read all the same, so that what they state is not asked for as well.
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
  return { none, unaccepted, origins, schemes };
}

/** What is located once, above the schemes. */
const ABOVE: readonly string[] = ['Unaccepted credentials where none are needed', 'Browser origins'];

const keyOf = ({ key }: Bullet): string => key.source.slice(key.from, key.to);

function isOfOneScheme(bullet: Bullet): boolean {
  const { source, from, to } = bullet.value;
  if (keyOf(bullet) === 'Scheme') return /^(?:API|JWT|OAuth)/.test(source.slice(from, to));
  return ['Header', 'Credentials', 'Caller'].includes(keyOf(bullet));
}
