/** The treatment of requests that name no version. */
export type Unversioned = 'current version' | 'refused' | { readonly version: string };

/** Prints the treatment of requests that name no version. */
export const unversionedText = (without: Unversioned): string =>
  typeof without === 'string' ? without : `version ${without.version}`;

/** The name of the version of requests that name none; null where they are refused, or there are no versions. */
export function unversionedName(
  versions: { readonly without: Unversioned } | null | undefined,
  current: string | null,
): string | null {
  const without = versions?.without ?? 'refused';
  return without === 'refused' ? null : without === 'current version' ? current : without.version;
}
