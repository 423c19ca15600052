import type { Break } from '../report/report.ts';
import type { Subject } from '../session/subject.ts';
import type { Statement } from '../statements/statement.ts';
import type { Only } from './only.ts';

/** What a run is asked for. */
export interface VerifyOptions {
  readonly subject: Subject;
  /** Where the service is, as the report says it. */
  readonly url: string;
  /** Every statement of the document. */
  readonly statements: readonly Statement[];
  /** The text of the document, of which a break shows its line; absent where nobody reads it. */
  readonly text?: string | undefined;
  /** What alone is to be tried; null: everything. */
  readonly only: Only | null;
  /** What all choices grow from. */
  readonly seed: number;
  /** How much the run may do, as the time that it takes on a slow machine, and how long it may take, in milliseconds. */
  readonly budget: number;
  /** What tells how long it has taken, in milliseconds; without it, the time of this machine. */
  readonly time?: (() => number) | undefined;
  /** How many requests are sent at most, but for those that make breaks shorter and those of probes. */
  readonly mostRequests?: number | undefined;
  /** How many breaks are looked for before the run ends: whoever mends begins with these. */
  readonly mostBreaks: number;
  /** How many of a hundred statements have to be kept, or the run proves too little; absent where nobody says so. */
  readonly requireKept?: number | undefined;
  /** The version of the program, for the report. */
  readonly version: string;
  /** Told of where the run is, a few times a second. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Told of each break, as it is known when it is found. */
  readonly told?: ((one: Break) => void) | undefined;
  /** Ends the run in good order: what was found until then is reported. */
  readonly signal?: AbortSignal | undefined;
}

/** How far a run is. */
export interface Progress {
  /** How much of its budget is used up, in milliseconds. */
  readonly used: number;
  readonly requests: number;
  readonly breaks: number;
  /** How many statements have been tried in all that they need, of how many. */
  readonly tried: number;
  readonly statements: number;
}
