import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';

/** One way in which a version differs from the next: a field under another name, or not there. */
export interface Difference {
  readonly resource: Name;
  readonly field: Name;
  /** The field's name in this version; null where it is absent. */
  readonly was: string | null;
}

/**
 * How a request says its version: by a header, as a date or as a name; by what its path starts with; or by the media
 * type that it accepts. `{version}` stands for the name.
 */
export type Scheme =
  | { readonly kind: 'date' | 'header'; readonly header: string }
  | { readonly kind: 'path'; readonly prefix: string }
  | { readonly kind: 'media type'; readonly template: string };

export interface Version {
  readonly name: string;
  /** Where its name stands. */
  readonly at: Span;
  readonly state: 'deprecated' | 'retired' | null;
  /** Milliseconds since the epoch, at the start of the day in UTC. */
  readonly deprecated: Located<number> | null;
  readonly sunset: Located<number> | null;
  readonly differences: Located<readonly Difference[]> | null;
  readonly span: Span;
}

export interface Versioning {
  readonly none: boolean;
  readonly scheme: Located<Scheme> | null;
  /** The header that a request names its version in, where it has one of its own. */
  readonly header: Located<string> | null;
  /** Whether answers say what their version was chosen by. */
  readonly vary: boolean;
  readonly current: Located<string> | null;
  readonly without: Located<'current version' | 'refused'> | null;
  /** How many months a deprecated version goes on answering, and with which headers. */
  readonly policy: Located<{ readonly months: number; readonly deprecation: boolean; readonly sunset: boolean }> | null;
  /** Oldest last, as the document lists them. */
  readonly versions: readonly Version[];
}
