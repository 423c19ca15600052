import type {
  DocumentReport,
  EndpointReport as EndpointSettled,
  FindingReport as FindingShown,
  ItemReport as ItemCoverage,
} from '../../compiler/report-forms.ts';

export type { EndpointSettled, FindingShown, ItemCoverage };

// ——— GET /document ———

/** The served document, with its items, findings and statements. */
export interface DocumentAnswer extends DocumentReport {
  /** The statements in force, by line, in the order of the document. */
  readonly statements: readonly StatementShown[];
  /** Whether the file differs from the served document: see `/migration`. */
  readonly changedOnDisk: boolean;
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
