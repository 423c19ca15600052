import type { TextAnalyses } from '../lsp/text-analyses.ts';
import type { Plan } from '../plan/step.ts';
import type { EditAnswer, Preview, SavedAnswer } from './protocol.ts';

/** Options of `ninefold migrate` that an operator gives for one edit. */
export interface EditOptions {
  readonly accept?: readonly string[];
  readonly rename?: readonly string[];
  readonly fill?: readonly string[];
  readonly replace?: readonly string[];
}

/** The operator's decisions for the migration of an edit. */
export interface EditGiven {
  /** The changes of rows that the operator has read and wants. */
  readonly confirmed: readonly string[];
  readonly answers: EditOptions;
}

/** Edits of the served document's file. Methods throw `ConsoleError`. */
export interface DocumentEditing {
  readonly analyses: Pick<TextAnalyses, 'ask' | 'address'>;
  /** The last preview; null before the first one. */
  readonly preview: Preview | null;
  read(): EditAnswer;
  /** Writes the file if it has the entity tag, and serves it. */
  save(text: string, etag: string, given: EditGiven): Promise<SavedAnswer>;
  /** Serves the file again if it has the entity tag. */
  serveAgain(etag: string, given: EditGiven): Promise<SavedAnswer>;
  /** Begins a preview of serving a text in place of the served plan. */
  beginPreview(text: string, answers: EditOptions, plan: Plan): void;
}
