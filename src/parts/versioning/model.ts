import type { Name, Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';

/** One way in which a version differs from the next: a field under another name, or not there. */
export interface Difference {
  readonly resource: Name;
  readonly field: Name;
  /** The field's name in this version; null where it is absent. */
  readonly was: string | null;
}

export interface Version {
  readonly name: string;
  readonly state: 'deprecated' | 'retired' | null;
  /** Milliseconds since the epoch, at the start of the day in UTC. */
  readonly deprecated: Said<number> | null;
  readonly sunset: Said<number> | null;
  readonly differences: Said<readonly Difference[]> | null;
  readonly span: Span;
}

export interface Versioning {
  readonly none: boolean;
  /** The header that carries the version's date. */
  readonly header: Said<string> | null;
  readonly current: Said<string> | null;
  readonly without: Said<'current version' | 'refused'> | null;
  /** How many months a deprecated version goes on answering, and with which headers. */
  readonly policy: Said<{ readonly months: number; readonly deprecation: boolean; readonly sunset: boolean }> | null;
  /** Oldest last, as the document lists them. */
  readonly versions: readonly Version[];
}
