import type { Compiled } from '../../compiler/compile.ts';

/** The documents that the tools may read and write. Each method throws `Refusal` for a file that they may not. */
export interface Documents {
  /** Compiles a document. */
  read(file: string): Compiled;
  /** Replaces the text of a document that exists. */
  write(file: string, text: string): void;
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
