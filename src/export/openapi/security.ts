import type { SchemeContract } from '../../contract/contract.ts';
import { facts, type JsonObject } from '../json.ts';
import type { Exporting } from './exporting.ts';

/** The ways in which callers show who they are. */
export function schemesOf(x: Exporting): JsonObject {
  return Object.fromEntries(
    x.contract.schemes.map((scheme) => {
      x.notes.add('credentials');
      return [scheme.name.replace(/[^A-Za-z0-9._-]+/g, '-'), { ...kindOf(scheme), 'x-ninefold-scheme': facts(scheme) }];
    }),
  );
}

/** A word before credentials is a scheme of HTTP in Authorization alone; elsewhere it is a part of the header. */
function kindOf({ kind, header, word }: SchemeContract): JsonObject {
  if (header.toLowerCase() !== 'authorization' || word === null) {
    const before = word === null ? {} : { description: `${word}, a space, and then the credentials` };
    return { type: 'apiKey', in: 'header', name: header, ...before };
  }
  return { type: 'http', scheme: word.toLowerCase(), ...(kind === 'API key' ? {} : { bearerFormat: 'JWT' }) };
}
