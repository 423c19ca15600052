import type { Fault } from './faults/fault.ts';
import type { Peer } from './faults/peer.ts';

/** What is tested: a mutant or the document itself, served by Ninefold, or one of the bench’s services. */
export type Subject =
  | { readonly kind: 'document'; readonly served: string; readonly store: string }
  | { readonly kind: 'peer'; readonly peer: Peer; readonly fault: Fault | null };

/** One run of the test: something is held to a document. */
export interface Job {
  /** The same for the same run: what has its result already is not run again. */
  readonly key: string;
  /** The document that it is held to. */
  readonly document: string;
  readonly text: string;
  readonly subject: Subject;
  readonly seed: number;
  /** Milliseconds. */
  readonly budget: number;
  /** After how many breaks the run may end; null where all are looked for. */
  readonly enough: number | null;
  /** Lines of which one in a break ends the run: nothing more is asked of it. Empty where all breaks are looked for. */
  readonly lines: readonly number[];
}

/** A break, as far as it is counted. */
export interface FoundBreak {
  readonly statement: string;
  readonly line: number | null;
  /** Further lines that it names; none of them counts. */
  readonly otherLines?: readonly number[];
  readonly endpoint: string | null;
  readonly why: string;
  readonly expected: string;
  readonly actual: string;
  /** How many requests reproduce it. */
  readonly requests: number;
}

/** What the test says of one statement. */
export interface LineOutcome {
  readonly statement: string;
  readonly outcome: 'kept' | 'broken' | 'untestable';
  /** Why it is untestable; null otherwise. */
  readonly because: string | null;
}

/** What a run came to. */
export interface Outcome {
  readonly key: string;
  readonly breaks: readonly FoundBreak[];
  readonly requests: number;
  readonly milliseconds: number;
  /** The shares of statements that were kept, and that could not be tested. */
  readonly statements: { readonly all: number; readonly kept: number; readonly untestable: number };
  /** What the test says of the statements in the lines that are changed, where the run was told of any. */
  readonly ofLines: readonly LineOutcome[];
  /** Why the run ended early, or could not be made at all; null where neither. */
  readonly stopped: string | null;
  readonly failed: string | null;
}
