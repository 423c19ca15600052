import type { Break } from '../report/report.ts';
import type { Subject } from '../session/subject.ts';
import type { Statement } from '../statements/statement.ts';
import type { Only } from './only.ts';

/** Options of a run. */
export interface VerifyOptions {
  readonly subject: Subject;
  /** The URL of the service, as the report shows it. */
  readonly url: string;
  /** Every statement of the document. */
  readonly statements: readonly Statement[];
  /** The text of the document, from which breaks quote their lines; absent if no one reads the report. */
  readonly text?: string | undefined;
  /** The part of the document to test; null: everything. */
  readonly only: Only | null;
  /** The seed of all random choices. */
  readonly seed: number;
  /**
   * The most work of the run, as the time that it takes on a slow machine, and its longest duration, in milliseconds.
   */
  readonly budget: number;
  /** The clock that measures the duration of the run, in milliseconds; without it, the clock of this machine. */
  readonly time?: (() => number) | undefined;
  /** The largest number of requests, apart from those of probes and those that shorten breaks. */
  readonly mostRequests?: number | undefined;
  /** The number of breaks after which the run ends: a person can begin repairs with these. */
  readonly mostBreaks: number;
  /** The lowest percentage of kept statements at which the run succeeds; absent where no share is required. */
  readonly requireKept?: number | undefined;
  /** The version of the program, for the report. */
  readonly version: string;
  /** Receives the progress of the run, a few times a second. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Receives each break, as it is known when it is found. */
  readonly told?: ((one: Break) => void) | undefined;
  /** Ends the run early; the report then has the results so far. */
  readonly signal?: AbortSignal | undefined;
}

/** The progress of a run. */
export interface Progress {
  /** The used part of the budget, in milliseconds. */
  readonly used: number;
  readonly requests: number;
  readonly breaks: number;
  /** The number of statements whose needs are all met, and the number of all statements. */
  readonly tried: number;
  readonly statements: number;
}
