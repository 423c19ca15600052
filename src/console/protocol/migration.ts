import type { FindingShown } from './document.ts';

// ——— GET /migration, POST /migration/preview ———

/**
 * The state of the document on disk, compared with the served one. `POST /migration/preview` takes `{}` and begins a
 * preview.
 */
export interface MigrationAnswer {
  /** `missing`: the file cannot be read. */
  readonly disk: 'same' | 'changed' | 'missing';
  /** The last preview; null before the first one. */
  readonly preview: Preview | null;
}

export interface Preview {
  readonly state: 'running' | 'done';
  readonly began: string;
  /** The steps done so far. */
  readonly steps: readonly string[];
  readonly outcome: PreviewOutcome | null;
}

export type PreviewOutcome =
  /** The document has findings, so it could not be served. */
  | { readonly kind: 'findings'; readonly findings: readonly FindingShown[] }
  /** The document cannot be read, or cannot be served with the options of the service. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'compiled';
      /** `nothing`: rows stay unchanged; `possible`: the migration of a copy succeeded; `refused`: rows do not fit. */
      readonly rows: 'nothing' | 'possible' | 'refused';
      readonly milliseconds: number;
      readonly changes: readonly RowChange[];
      readonly hindrances: readonly RowHindrance[];
      readonly notes: readonly string[];
      /** Changes for callers, as `ninefold diff` lists them. */
      readonly callers: readonly CallerChange[];
    };

/** A change of the stored rows or their schema. */
export interface RowChange {
  readonly kind: string;
  readonly text: string;
  /**
   * The name that the operator must accept (`--accept`), because the change drops or narrows stored values; null if
   * none.
   */
  readonly accept: string | null;
}

/** Rows that prevent a change. */
export interface RowHindrance {
  readonly change: string;
  readonly why: string;
  readonly rows: number;
  readonly example: string | null;
  readonly text: string;
}

/** A change for callers. */
export interface CallerChange {
  readonly breaking: boolean;
  readonly text: string;
}
