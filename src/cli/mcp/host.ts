import type { Compiled } from '../../compiler/compile.ts';
import type { Edit } from '../../compiler/edits/sites.ts';

/** A document in its file. */
export interface OpenDocument {
  readonly compiled: Compiled;
  /** Writes an edit of the compiled text, of which `after` is the result. */
  write(edit: Edit, after: Compiled): void;
}

/** The documents that the tools may read and write. Each method throws `Refusal` for a file that they may not. */
export interface Documents {
  open(file: string): OpenDocument;
  /** Writes the empty form to a file that does not exist. */
  begin(file: string): void;
  /** The path of a JSON file. */
  jsonPath(file: string): string;
}

/** The surroundings of the server. */
export interface Host {
  readonly documents: Documents;
  /** The version of the program. */
  readonly version: string;
  /** Writes a line for the people who run the server. */
  readonly log: (line: string) => void;
}
