import type { Fill } from './changes.ts';

/** What a name of the old document is called in the new one. */
export interface Rename {
  readonly resource: string;
  /** Null where the resource itself is called otherwise. */
  readonly field: string | null;
  readonly to: { readonly resource: string; readonly field: string | null };
}

/** Gives the names that a resource had before, where it is called otherwise. */
export const namesBefore =
  (renames: readonly Rename[]) =>
  (resource: string): string[] =>
    renames.flatMap((one) => (one.field === null && one.to.resource === resource ? [one.resource] : []));

/** What the operator says of a migration. Nothing of it is guessed. */
export interface Answers {
  readonly renames: readonly Rename[];
  /** What fills `Resource.field` in rows that have no value: said by the operator, or else stated in the document. */
  readonly fills: ReadonlyMap<string, Fill>;
  /** What takes the place of a value that an enumeration no longer has: by `Resource.field`, then the value. */
  readonly replaced: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The names of the changes by which values may be lost. */
  readonly accepted: ReadonlySet<string>;
}

export const NO_ANSWERS: Answers = { renames: [], fills: new Map(), replaced: new Map(), accepted: new Set() };
