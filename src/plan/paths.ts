/** The names in braces of a path, in order. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) => name ?? []);
}
