import { facts, type JsonObject } from '../json.ts';
import { componentName } from '../names.ts';
import type { Exporting } from '../openapi/exporting.ts';
import { securityKind } from '../security-kind.ts';
import { streamsIn } from './stream.ts';

/** Credentials as the whole value of a header. */
const KEY = { type: 'httpApiKey', in: 'header' };

/** The ways in which readers of streams show who they are; none where there is no stream. */
export function schemesOf(x: Exporting): JsonObject {
  const used = new Set(streamsIn(x.version).flatMap((one) => one.access.schemes));
  const schemes = x.contract.schemes.filter((one) => used.has(one.name));
  if (schemes.length) x.notes.add('credentials');
  return Object.fromEntries(
    schemes.map((scheme) => [
      componentName(scheme.name),
      { ...securityKind(scheme, KEY), 'x-ninefold-scheme': facts(scheme) },
    ]),
  );
}
