/** The names in braces of a path, in order. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) => name ?? []);
}

/** A path, or the name of an endpoint, without the names of its parameters. */
export const withoutNames = (path: string): string => path.replace(/\{[^}]*\}/g, '{}');

/** A segment of a path with a parameter: the text before it, its name, and the text after it. */
export interface ParameterSegment {
  readonly before: string;
  readonly name: string;
  readonly after: string;
}

/** The parts of a segment; null for a segment without a parameter. */
export function parameterSegment(segment: string): ParameterSegment | null {
  const [, before = '', name, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(segment) ?? [];
  return name === undefined ? null : { before, name, after };
}

/** The texts beside the parameters of a path, in the segments that have both. */
export const textsOf = (path: string): string[] =>
  path.split('/').flatMap((segment) => {
    const parts = parameterSegment(segment);
    return parts && parts.before + parts.after !== '' ? [parts.before + parts.after] : [];
  });
