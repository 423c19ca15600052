import { readBullets } from '../../language/read.ts';
import type { Section } from '../../syntax/markdown.ts';
import { located, refuse } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import { baseUrl } from '../../text/address.ts';
import { itemDiagnostics as d } from '../document/messages.ts';
import type { Purpose } from '../statements/purpose.ts';

/** Reads `## What the service does`. */
export function readPurpose(section: Section | null, notes: Notes): Purpose {
  const out: { -readonly [K in keyof Purpose]: Purpose[K] } = { purpose: null, domain: null, address: null };
  if (!section) return out;
  readBullets(
    section,
    'purpose',
    {
      Purpose: (value, span) => {
        const purpose = value.rest();
        if (/^[`*_“"]*none[`*_”".]*$/i.test(purpose)) notes.findings.push(d.report.purposeNone(value.span));
        else out.purpose = located(span, purpose);
      },
      Domain: (value, span) => {
        out.domain = located(span, value.rest());
      },
      Address: (value, span) => {
        const token = value.peek()?.kind === 'code' ? value.code('value', 'an address in inline code') : null;
        if (!token) {
          if (value.expect('given by the operator')) out.address = located(span, { kind: 'operator' });
          return;
        }
        const url = baseUrl(token.text);
        if (url === null) notes.findings.push(d.report.addressForm(token.inner, { found: token.text }));
        else out.address = located(span, { kind: 'stated', url });
      },
    },
    notes,
  );
  refuse(section, { tables: true, steps: true, children: true }, 'in this part', notes.findings);
  return out;
}
