import { bullet, catalogue } from '../syntax/diagnostic.ts';
import { baseUrl } from '../text/address.ts';
import { freeText } from './common-values.ts';
import { coded, constant, either, type Grammar, implied, isText, sequence, shown } from './grammar.ts';
import type { BulletStatements, Stated } from './statement.ts';

/** Findings about a purpose or an address. */
export const purposeValues = catalogue('document', {
  purposeNone: {
    severity: 'error',
    what: () => 'A service has a purpose. Write what the service is for.',
    why: 'A reader decides by the purpose whether this is the right service.',
  },
  addressForm: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” cannot be the address of the service. An address is an http or https URL without a user, a query or a fragment.`,
    why: 'The service puts paths after its address, as in `service.url + "/orders"`.',
    write: () => bullet('Address', '`https://api.example.com`'),
  },
});

const PURPOSE: Grammar<string> = {
  ...freeText,
  read: (phrase) => {
    const purpose = phrase.rest();
    if (!/^[`*_“"]*none[`*_”".]*$/i.test(purpose)) return purpose;
    return phrase.refuse(purposeValues.report.purposeNone(phrase.span)) || undefined;
  },
};

const URL = coded({
  role: 'value',
  what: 'an address in inline code',
  sample: 'https://api.example.com',
  take: ({ text, inner }, phrase) =>
    baseUrl(text) ?? (phrase.refuse(purposeValues.report.addressForm(inner, { found: text })) || undefined),
  show: String,
  writes: isText,
});

/** The bullets of `## What the service does`. Purpose and domain reach the documentation: nothing at run time needs them. */
export const PURPOSE_BULLETS = {
  Purpose: { member: 'purpose', value: shown(PURPOSE, 'take and follow orders') },
  Domain: { member: 'domain', value: shown(freeText, 'retail') },
  /** The source of the service's address: the operator, or the document itself. */
  Address: {
    member: 'address',
    value: either(
      sequence({ kind: constant('given by the operator', 'operator') }),
      sequence({ kind: implied('stated') }, { url: URL }),
    ),
    ask: {
      code: 'address',
      what: 'At which address do clients reach the service? Either the operator gives the address (`serve --url`), or the document states it.',
      why: 'Links and `service.url` use the address. The bullet belongs under `## What the service does`.',
      write: 'given by the operator',
    },
  },
} as const satisfies BulletStatements;

export type Purpose = Stated<typeof PURPOSE_BULLETS>;
