import type { Versioning } from '../src/compiler/statements/versioning.ts';
import { isOfName } from '../src/language/versioning.ts';

/** The name of a field in a version, as the table says; null where the version doesn’t have it. */
export function wireName(
  { versions, current }: Versioning,
  version: string | null,
  resource: string,
  field: string,
): string | null {
  if (version === null || version === current?.value) return field;
  // The table lists the newest first; a version differs from the next one, so what newer ones say applies to it too.
  const upTo = versions.findIndex((one) => one.name === version);
  let name: string | null = field;
  for (const one of versions.slice(0, upTo + 1))
    for (const difference of (one.differences?.value ?? []).filter(isOfName))
      if (difference.resource.text === resource && difference.field.text === field) name = difference.was;
  return name;
}
