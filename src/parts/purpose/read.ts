import { itemDiagnostics as d } from '../../model/diagnostics.ts';
import { baseUrl } from '../../source/address.ts';
import type { Section } from '../../source/markdown.ts';
import { content, type Notes } from '../../source/phrase.ts';
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
        if (value.peek()?.kind !== 'code') {
          if (value.expect('given by the operator')) out.address = said(span, { kind: 'operator' });
          return;
        }
        const token = value.code('value', 'an address in inline code')!;
        const url = baseUrl(token.text);
        if (url === null) notes.findings.push(d.report.addressForm(content(token), { found: token.text }));
        else out.address = said(span, { kind: 'stated', url });
      },
    },
    notes,
  );
  refuse(section, { tables: true, steps: true, children: true }, 'in this part', notes.findings);
  return out;
}
