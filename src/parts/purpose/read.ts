import type { Section } from '../../source/markdown.ts';
import type { Notes } from '../../source/phrase.ts';
import { readBullets, refuse, said } from '../../source/read.ts';
import type { Purpose } from './model.ts';

/** Reads `## What the service does`. */
export function readPurpose(section: Section | null, notes: Notes): Purpose {
  const out: { -readonly [K in keyof Purpose]: Purpose[K] } = { purpose: null, domain: null, address: null };
  if (!section) return out;
  readBullets(
    section,
    {
      Purpose: (value, span) => {
        out.purpose = said(span, value.rest());
      },
      Domain: (value, span) => {
        out.domain = said(span, value.rest());
      },
      Address: (value, span) => {
        if (value.expect('given by the operator')) out.address = said(span, 'operator');
      },
    },
    notes,
  );
  refuse(section, { tables: true, steps: true, children: true }, 'in this part', notes.findings);
  return out;
}
