import type { RowFilter as Filter, Labels, ReferringRows } from '../../runtime/operator-forms.ts';
import type { Json } from './problem.ts';

export type { Filter, Labels, ReferringRows as ReferredBy };

// ——— GET /rows/RESOURCE ———

/**
 * A page of rows. Query: `offset` (from 0), `limit` (1 to 200, else 100), `sort` (a column, `-` before it for
 * descending; else the newest rows first where a field tells, or the identity), `filter` (JSON: `Filter[]`, all of which
 * have to hold), `search` (a text that some field contains, or equals where it is no text).
 */
export interface RowsAnswer {
  readonly resource: string;
  readonly offset: number;
  /** The number of rows that match the filter. */
  readonly total: number;
  readonly rows: readonly RowShown[];
  readonly labels: Labels;
}

/** A stored row. */
export interface RowShown {
  readonly id: string;
  /** Column → value as JSON; an absent value is null. Passwords are never shown. */
  readonly values: Readonly<Record<string, Json>>;
  /** Columns whose value is truncated to 200 characters; `GET /rows/RESOURCE/ID` returns it completely. */
  readonly shortened: readonly string[];
}

// ——— GET /identities/RESOURCE, POST /identities/RESOURCE ———

/** The identities of a whole list, at most 100,000, in its order. Query: `sort`, `filter` and `search` as for rows. */
export interface IdentitiesAnswer {
  /** The number of rows that match the filter. */
  readonly total: number;
  readonly ids: readonly string[];
}

/** The body of `POST /identities/RESOURCE`: at most 200. */
export interface IdentitiesRequest {
  readonly ids: readonly string[];
}

/** The rows with these identities, without those that are gone. No value is truncated. */
export interface RowsOfIdentities {
  readonly rows: readonly RowShown[];
}

// ——— GET /rows/RESOURCE/ID ———

/** One row, with its moves, events and references. */
export interface RowAnswer {
  readonly resource: string;
  readonly row: RowShown;
  /** The text by which people tell the row from others; null where its resource has no such field. */
  readonly label: string | null;
  readonly labels: Labels;
  /** All transitions of the resource, with the reason why the row cannot make one. */
  readonly moves: readonly Move[];
  /** The stored events of the row, newest first, at most 100. */
  readonly history: readonly HistoryEntry[];
  /** The rows with a reference to the row. */
  readonly referredBy: readonly ReferringRows[];
  /** Computed members of the row, in its default shown form. */
  readonly derived: Readonly<Record<string, Json>>;
}

/** A transition of one row. */
export interface Move {
  readonly transition: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly legal: boolean;
  /** The reason why the row cannot make the transition; null if it can. */
  readonly why: string | null;
  /** The guard, as the document writes it. */
  readonly guard: string | null;
  /** The instant of a timed transition, which cannot be made by hand. */
  readonly due: string | null;
  readonly timed: boolean;
  /** The code and title of the refusal. */
  readonly code: string | null;
  readonly title: string | null;
  readonly line: number | null;
}

/** An event of a row. */
export interface HistoryEntry {
  /** The identity of the event. */
  readonly event: string;
  readonly type: string;
  readonly at: string;
  /** The recorded payload; null if it is no longer stored. */
  readonly data: Json;
}

// ——— POST /rows/RESOURCE, /rows/RESOURCE/ID/change, …/move, …/remove ———

/**
 * The body of `POST /rows/RESOURCE` (adds a row) and `…/ID/change`: values in the form of `rows change`; null for
 * absent.
 */
export interface FieldsRequest {
  readonly fields: Readonly<Record<string, string | null>>;
}

/** The body of `…/ID/move`. `…/ID/remove` takes `{}` and answers `Done`. */
export interface MoveRequest {
  readonly transition: string;
}

/** The stored row after the change. */
export interface RowWritten {
  readonly row: RowShown;
}

/** The answer to a change without further data. */
export interface Done {
  readonly done: true;
}
