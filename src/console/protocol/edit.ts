import type { Preview } from './migration.ts';

// The paths of this file exist with `serve --edit` alone.

// ——— GET /edit ———

/** The document in its file, as an editor opens it. */
export interface EditAnswer {
  readonly name: string;
  /** The text of the file, with LF at the end of each line and without a byte order mark. */
  readonly text: string;
  /** The entity tag of the file, which `/edit/save` takes as `If-Match`. */
  readonly etag: string;
  /** The reason why the file cannot be written; null if it can. */
  readonly readOnly: string | null;
  /** Whether the file is the served document. */
  readonly isServed: boolean;
}

// ——— POST /edit/findings, /edit/fixes, /edit/completions, /edit/hover ——— They read a text that need not be in the file,
// and change nothing. `line` and `character` are the place, from 0, in UTF-16 units.

/** A place of a text, from 0. */
export interface TextPlace {
  readonly line: number;
  readonly character: number;
}

/** A part of a text; the end is exclusive. */
export interface TextSpan {
  readonly start: TextPlace;
  readonly end: TextPlace;
}

/** The findings of a text: takes `text`. */
export interface FindingsAnswer {
  readonly findings: readonly TextFinding[];
}

export interface TextFinding {
  readonly span: TextSpan;
  readonly severity: 'error' | 'question' | 'notice';
  readonly code: string;
  readonly message: string;
  /** The reason; empty if there is none. */
  readonly why: string;
}

/** The edits that mend the findings of a line, or answer their questions: takes `text` and `line`. */
export interface FixesAnswer {
  readonly fixes: readonly TextFix[];
}

export interface TextFix {
  readonly title: string;
  /** The findings that the edit is for: their code and message. */
  readonly mends: ReadonlyArray<Pick<TextFinding, 'code' | 'message'>>;
  readonly edits: readonly TextEdit[];
}

export interface TextEdit {
  readonly span: TextSpan;
  readonly text: string;
}

/** The words and names that may be written at a place: takes `text`, `line` and `character`. */
export interface CompletionsAnswer {
  readonly completions: readonly Completion[];
}

export interface Completion {
  readonly label: string;
  readonly kind: 'function' | 'keyword' | 'part' | 'property' | 'name';
  readonly edit: TextEdit;
}

/** The explanation of a place in Markdown, or null: takes `text`, `line` and `character`. */
export interface HoverAnswer {
  readonly text: string | null;
}

// ——— POST /edit/preview, GET /edit/preview ———

/**
 * A preview of serving a text: takes `text` and `answers`, and begins one. It runs on a copy of the rows, and changes
 * nothing. Another one ends it. GET takes `began`, the beginning of the preview that is asked for; without it, the last
 * preview is given.
 */
export interface EditPreviewAnswer {
  /** Null before the first preview, and where another one has taken the place of the one that is asked for. */
  readonly preview: Preview | null;
}

// ——— POST /edit/save, POST /edit/serve ———

/**
 * `/edit/save` writes `text` into the file, and serves it. The header `If-Match` has the entity tag of the file that was
 * edited; if the file has another one, the answer is 412 and nothing is written. `/edit/serve` serves the file again,
 * with further `confirmed` and `answers`. Both take `confirmed`, the changes of rows that the operator has read and wants,
 * as `unconfirmed` has named them, and `answers`: options of `ninefold migrate`, such as `--fill Order.channel=web`.
 */
export interface SavedAnswer {
  /** The entity tag of the file now. */
  readonly etag: string;
  readonly outcome: ServingOutcome;
}

/** Whether a document that was saved is served now. If it is not, the last good document is still served. */
export type ServingOutcome =
  | { readonly kind: 'served' }
  /** The document has so many findings. */
  | { readonly kind: 'findings'; readonly count: number }
  /** The document would drop or narrow stored values, which has to be confirmed. */
  | { readonly kind: 'unconfirmed'; readonly changes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  /** The service stops; its next start reads the file. */
  | { readonly kind: 'stops' };
