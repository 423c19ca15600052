import type { Json } from './problem.ts';

// ——— GET /rows/RESOURCE ———

/**
 * Query: `offset` (from 0), `limit` (1 to 200, else 100), `sort` (a column, `-` before it for descending; else the
 * identity), `filter` (JSON: `Filter[]`, all of which have to hold).
 */
export interface Filter {
  readonly field: string;
  /** `contains` is for text and ignores the case of ASCII letters; `from` and `to` include the value. */
  readonly is: 'equal' | 'not equal' | 'contains' | 'from' | 'to' | 'absent' | 'present';
  /** As `rows change` takes it; null for `absent` and `present`. */
  readonly value: string | null;
}

/** A part of the rows. */
export interface RowsAnswer {
  readonly resource: string;
  readonly offset: number;
  /** How many rows the filter keeps. */
  readonly total: number;
  readonly rows: readonly RowShown[];
}

/** A stored row. */
export interface RowShown {
  readonly id: string;
  /** Column → value as JSON; an absent value is null. Passwords are never shown. */
  readonly values: Readonly<Record<string, Json>>;
  /** Columns of which only the first 200 characters are given; `GET /rows/RESOURCE/ID` has all. */
  readonly shortened: readonly string[];
}

// ——— GET /rows/RESOURCE/ID ———

/** One row, and what may become of it. */
export interface RowAnswer {
  readonly resource: string;
  readonly row: RowShown;
  /** Every transition of the resource: legal ones, and why the others are not. */
  readonly moves: readonly Move[];
  /** Events of the row that are still kept, newest first, at most 100. */
  readonly history: readonly HistoryEntry[];
  /** Rows that refer to it. */
  readonly referredBy: readonly ReferredBy[];
  /** Members that are computed from the row, by the resource’s own form. */
  readonly derived: Readonly<Record<string, Json>>;
}

/** A transition, seen from a row. */
export interface Move {
  readonly transition: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly legal: boolean;
  /** Why it isn’t legal: a sentence; null where it is. */
  readonly why: string | null;
  /** The guard, as the document writes it. */
  readonly guard: string | null;
  /** When it happens by itself; then it can’t be made by hand. */
  readonly due: string | null;
  readonly timed: boolean;
  /** What a refusal says. */
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
  /** The payload as it was recorded; null where it isn’t kept. */
  readonly data: Json;
}

export interface ReferredBy {
  readonly resource: string;
  readonly field: string;
  readonly rows: number;
}

// ——— POST /rows/RESOURCE, /rows/RESOURCE/ID/change, …/move, …/remove ———

/** Of `POST /rows/RESOURCE` (adds a row) and `…/ID/change`: texts as `rows change` takes them; null for absent. */
export interface FieldsRequest {
  readonly fields: Readonly<Record<string, string | null>>;
}

/** Of `…/ID/move`. `…/ID/remove` takes `{}` and answers `Done`. */
export interface MoveRequest {
  readonly transition: string;
}

/** The row as it is stored now. */
export interface RowWritten {
  readonly row: RowShown;
}

/** A change without anything to tell. */
export interface Done {
  readonly done: true;
}
