import type { Fill } from './changes.ts';

/** A resource or field of the old document that has another name in the new one. */
export interface Rename {
  readonly resource: string;
  /** Null where the resource itself is renamed. */
  readonly field: string | null;
  readonly to: { readonly resource: string; readonly field: string | null };
}

/** Returns the old names of a resource that is renamed. */
export const namesBefore =
  (renames: readonly Rename[]) =>
  (resource: string): string[] =>
    renames.flatMap((one) => (one.field === null && one.to.resource === resource ? [one.resource] : []));

/** The operator's decisions for a migration. Ninefold guesses none of them. */
export interface Answers {
  readonly renames: readonly Rename[];
  /** Values for rows that lack one, by `Resource.field`: from the operator, or else from the document. */
  readonly fills: ReadonlyMap<string, Fill>;
  /** Replacements of values that an enumeration no longer has, by `Resource.field` and then by the old value. */
  readonly replaced: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The names of the changes by which values may be lost. */
  readonly accepted: ReadonlySet<string>;
}

export const NO_ANSWERS: Answers = { renames: [], fills: new Map(), replaced: new Map(), accepted: new Set() };
