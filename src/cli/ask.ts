import type { Command } from 'commander';
import { oneLine } from '../text/visible.ts';
import { Conversation } from './conversation.ts';
import { DocumentFile } from './document-file.ts';
import { EXIT, type Io } from './io.ts';
import { ReadError } from './text-file.ts';
import { TypedLines } from './typed-lines.ts';
import { WriteError } from './write-whole.ts';

const AFTER = `
The command asks the questions of \`ninefold check\` one after the other: first errors, because they
hide questions, then the questions that lead to others, then those whose answers settle most endpoints.
For each question, it shows the place, the reason, and numbered answers with the lines that they would write.

Type one of these, and Enter:
  1, 2, …   one of the answers
  a text    an answer of your own: a value, a name, a sentence, or whole statements
            such as “- Purpose: take orders”. A line that ends with \\ goes on in the next line.
  =text     the same, for a text such as 3 or s, which otherwise means something else
  ?         the description of the question, and the forms that an answer may have
  s         skip the question; it stays open
  b         go back: the last answer is taken out of the file again
  q         stop, as Ctrl-C, Ctrl-D and the end of input do

Each answer is written to the file at once, and atomically. A text that \`check\` does not understand is
refused, and nothing is written. A file that changes meanwhile is read again. Enter alone answers nothing:
every statement of the document is yours.

Without a terminal, the command reads its answers from standard input, one in each line.
docs/asking.md shows a conversation.
The exit code is 0 when the document has no findings left, 1 when it has, and 2 after wrong use.

Examples:
  $ ninefold init service.md
  $ ninefold ask service.md
  $ printf '1\\nq\\n' | ninefold ask service.md`;

/** Adds `ask FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('ask')
    .description('Asks the open questions of a document one by one, and writes each answer into the document.')
    .argument('<FILE>', 'the document')
    .addHelpText('after', AFTER)
    .action((file: string) => ask(file, io));
}

/** Leads the conversation until no finding is left, or its end. */
async function ask(path: string, io: Io): Promise<void> {
  const refuse = (problem: string): void => {
    io.err(`error: ${oneLine(problem)}\n`);
    io.exit(EXIT.wrongUse);
  };
  if (path === '-') return refuse('ask writes answers into a file: name one. Standard input has the answers.');
  let lines: TypedLines | null = null;
  try {
    const file = new DocumentFile(path);
    lines = new TypedLines(io);
    await new Conversation(file, lines, io).lead();
    io.exit(file.compiled.findings.length === 0 ? EXIT.settled : EXIT.findings);
  } catch (error) {
    if (!(error instanceof ReadError || error instanceof WriteError)) throw error;
    refuse(error.message);
  } finally {
    lines?.close();
  }
}
