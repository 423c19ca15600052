import type { SchemeContract } from '../../contract/contract.ts';
import { facts, type JsonObject } from '../json.ts';
import { componentName } from '../names.ts';
import type { Exporting } from '../openapi/exporting.ts';
import { streamsIn } from './stream.ts';

/** The ways in which readers of streams show who they are; none where there is no stream. */
export function schemesOf(x: Exporting): JsonObject {
  const used = new Set(streamsIn(x.version).flatMap((one) => one.access.schemes));
  const schemes = x.contract.schemes.filter((one) => used.has(one.name));
  if (schemes.length) x.notes.add('credentials');
  return Object.fromEntries(
    schemes.map((scheme) => [componentName(scheme.name), { ...kindOf(scheme), 'x-ninefold-scheme': facts(scheme) }]),
  );
}

/** A word before credentials is a scheme of HTTP in Authorization alone; elsewhere it is a part of the header. */
function kindOf({ kind, header, word }: SchemeContract): JsonObject {
  if (header.toLowerCase() !== 'authorization' || word === null) {
    const before = word === null ? {} : { description: `${word}, a space, and then the credentials` };
    return { type: 'httpApiKey', in: 'header', name: header, ...before };
  }
  return { type: 'http', scheme: word.toLowerCase(), ...(kind === 'API key' ? {} : { bearerFormat: 'JWT' }) };
}
