// ——— GET /document ———

/** The served document, with its items, findings and statements. */
export interface DocumentAnswer {
  readonly name: string;
  /** The text of the document. */
  readonly text: string;
  /** The 31 items, in the order of the document. */
  readonly items: readonly ItemCoverage[];
  readonly findings: readonly FindingShown[];
  readonly endpoints: readonly EndpointSettled[];
  /** The statements in force, by line, in the order of the document. */
  readonly statements: readonly StatementShown[];
  /** Whether the file differs from the served document: see `/migration`. */
  readonly changedOnDisk: boolean;
}

/** The state of one of the 31 items. */
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
  /** The endpoints that are not served until the finding is resolved; null means all. */
  readonly endpoints: readonly string[] | null;
}

/** Whether an endpoint of the document is served. */
export interface EndpointSettled {
  readonly endpoint: string;
  readonly settled: boolean;
  readonly line: number | null;
}

/** A statement of a line. */
export interface StatementShown {
  readonly line: number;
  /** The subject of the statement: `field Order.sku`, `step 3 of POST /orders`, `transition Order cancel`. */
  readonly what: string;
  /** The view with details about the subject; null if there is none. */
  readonly view: ViewTarget | null;
}

/** The target of a link between views, from which the page makes the address. */
export type ViewTarget =
  | { readonly kind: 'endpoint'; readonly name: string }
  | { readonly kind: 'resource'; readonly name: string }
  | { readonly kind: 'states'; readonly name: string }
  | { readonly kind: 'deliveries' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'activity' };
