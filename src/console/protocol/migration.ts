import type { FindingShown } from './document.ts';

// ——— GET /migration, POST /migration/preview ———

/** The document on disk against the one that is served. `POST /migration/preview` takes `{}` and begins a preview. */
export interface MigrationAnswer {
  /** `missing`: the file can’t be read. */
  readonly disk: 'same' | 'changed' | 'missing';
  /** Null before any preview was asked for. */
  readonly preview: Preview | null;
}

export interface Preview {
  readonly state: 'running' | 'done';
  readonly began: string;
  /** What has been done so far, while it runs. */
  readonly steps: readonly string[];
  readonly outcome: PreviewOutcome | null;
}

export type PreviewOutcome =
  /** It has findings, so it could not be served. */
  | { readonly kind: 'findings'; readonly findings: readonly FindingShown[] }
  /** It can’t be read, or it can’t be served as the service was started. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'compiled';
      /** `nothing`: rows stay as they are; `possible`: it ran on a copy; `refused`: rows don’t fit. */
      readonly rows: 'nothing' | 'possible' | 'refused';
      readonly milliseconds: number;
      readonly changes: readonly RowChange[];
      readonly hindrances: readonly RowHindrance[];
      readonly notes: readonly string[];
      /** What changes for callers, as `ninefold diff` lists it. */
      readonly callers: readonly CallerChange[];
    };

/** What changes in how rows are stored. */
export interface RowChange {
  readonly kind: string;
  readonly text: string;
  /** What the operator has to accept by name (`--accept`), since it drops or narrows what is stored; null where nothing. */
  readonly accept: string | null;
}

/** Rows that stand in the way. */
export interface RowHindrance {
  readonly change: string;
  readonly why: string;
  readonly rows: number;
  readonly example: string | null;
  readonly text: string;
}

/** What changes for callers. */
export interface CallerChange {
  readonly breaking: boolean;
  readonly text: string;
}
