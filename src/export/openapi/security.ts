import { facts, type JsonObject } from '../json.ts';
import { securityKind } from '../security-kind.ts';
import type { Exporting } from './exporting.ts';

/** Credentials as the whole value of a header. */
const KEY = { type: 'apiKey', in: 'header' };

/** The ways in which callers show who they are. */
export function schemesOf(x: Exporting): JsonObject {
  return Object.fromEntries(
    x.contract.schemes.map((scheme) => {
      x.notes.add('credentials');
      return [
        scheme.name.replace(/[^A-Za-z0-9._-]+/g, '-'),
        { ...securityKind(scheme, KEY), 'x-ninefold-scheme': facts(scheme) },
      ];
    }),
  );
}
