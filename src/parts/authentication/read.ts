import type { Section } from '../../source/markdown.ts';
import type { Notes } from '../../source/phrase.ts';
import { readBullets, refuse, refuseRepeats, said } from '../../source/read.ts';
import type { Authentication } from './model.ts';
import { readOrigins } from './origins.ts';
import { readScheme } from './scheme.ts';

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
  const names = schemes.map((scheme) => ({ ...scheme.span, text: scheme.name }));
  refuseRepeats(names, notes.findings, 'The scheme ');
  return { none, unaccepted, origins, schemes };
}
