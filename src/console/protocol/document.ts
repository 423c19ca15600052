// ——— GET /document ———

/** The served document with what is known of it. */
export interface DocumentAnswer {
  readonly name: string;
  /** Its text, as it was read. */
  readonly text: string;
  /** The 31 items, in the order of the document. */
  readonly items: readonly ItemCoverage[];
  readonly findings: readonly FindingShown[];
  readonly endpoints: readonly EndpointSettled[];
  /** What lines state that is in force, by line, in the order of the document. */
  readonly statements: readonly StatementShown[];
  /** True while the file differs from what is served: see `/migration`. */
  readonly changedOnDisk: boolean;
}

/** One of the 31 items: whether the document states it. */
export interface ItemCoverage {
  /** The heading of the part. */
  readonly part: string;
  readonly item: string;
  readonly state: 'stated' | 'none' | 'not shown';
  readonly line: number | null;
}

/** An error or an open question of the document. Places count from 1, columns in UTF-16 units; the end is exclusive. */
export interface FindingShown {
  readonly code: string;
  readonly severity: 'error' | 'question' | 'notice';
  readonly message: string;
  readonly why: string;
  /** Text to write into the document. */
  readonly suggestion: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
  /** Endpoints that are not served until it is answered; null means all of them. */
  readonly endpoints: readonly string[] | null;
}

/** Whether an endpoint of the document is served. */
export interface EndpointSettled {
  readonly endpoint: string;
  readonly settled: boolean;
  readonly line: number | null;
}

/** Something that a line states, and where it is in force. */
export interface StatementShown {
  readonly line: number;
  /** What it is, in words: `field Order.sku`, `step 3 of POST /orders`, `transition Order cancel`. */
  readonly what: string;
  /** A view that shows more of it, as a path below `/console/`; null where there is none. */
  readonly view: ViewTarget | null;
}

/** What a link of one view to another is about; the page makes the address. */
export type ViewTarget =
  | { readonly kind: 'endpoint'; readonly name: string }
  | { readonly kind: 'resource'; readonly name: string }
  | { readonly kind: 'states'; readonly name: string }
  | { readonly kind: 'deliveries' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'activity' };
