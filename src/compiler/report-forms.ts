import type { Severity } from '../syntax/diagnostic.ts';

/** The place of a finding: from 1, in UTF-16 code units, the end exclusive. All null if the finding has no place. */
export interface Place {
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
}

/** One of the 31 items; `part` is the heading. */
export interface ItemReport {
  readonly part: string;
  readonly item: string;
  readonly state: 'stated' | 'none' | 'not shown';
  readonly line: number | null;
}

/** An error, a notice or an open question of a document. */
export interface FindingReport extends Place {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly why: string;
  /** Text to write into the document. */
  readonly suggestion: string | null;
  /** The endpoints that are not served until the finding is resolved; null means all. */
  readonly endpoints: readonly string[] | null;
}

/** Whether an endpoint of a document is served. */
export interface EndpointReport {
  readonly endpoint: string;
  readonly settled: boolean;
  readonly line: number | null;
}

/** The result of compiling a document, as plain data for people. */
export interface DocumentReport {
  readonly name: string;
  readonly text: string;
  /** The 31 items, in the order of the document. */
  readonly items: readonly ItemReport[];
  /** The findings, then the notices. */
  readonly findings: readonly FindingReport[];
  readonly endpoints: readonly EndpointReport[];
}
