import type { Readable } from 'node:stream';
import { whyOf } from '../store/paths.ts';
import { EXIT_UNSYNCED } from '../store/sqlite/errors.ts';
import { visibleLines } from '../text/visible.ts';

/** Standard input. `terminal`: where both it and standard output are terminals, standard output. */
interface Input {
  readonly stream: NodeJS.ReadStream | Readable;
  readonly terminal: NodeJS.WriteStream | null;
}

/** The side effects of a command, replaceable in tests. */
export interface Io {
  /** Writes to standard output; the text has its own line endings. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Whether standard output supports colours. */
  readonly color: boolean;
  /** Writes to standard error unchanged, if that is a terminal: for a line that is overwritten. */
  readonly progress?: ((text: string) => void) | undefined;
  /** Opens standard input for a conversation, with the terminal on which its lines are edited, if there is one. */
  readonly input?: (() => Input) | undefined;
  /** Ends the process soon, even if a module of the operator has open handles. The output is written first. */
  readonly leave?: (() => void) | undefined;
  /**
   * From now on, output that cannot be written is dropped, and the process continues: a service outlives the reader of
   * its log.
   */
  readonly outlive?: (() => void) | undefined;
  /** Sets the exit code. The process runs until its work is done, so that no output is lost. */
  readonly exit: (code: number) => void;
}

/** The exit codes of commands. */
export const EXIT = {
  settled: 0,
  findings: 1,
  wrongUse: 2,
  unavailable: 3,
  untried: 4,
  defect: 70,
  unsynced: EXIT_UNSYNCED,
} as const;

/** The standard streams and the exit code of this process. */
export function processIo(): Io {
  let outlives = false;
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The exit code does not depend on whether standard error can be written.
      if (outlives || stream === process.stderr) return;
      // `ninefold check … | head` closes the pipe early, which is no error.
      if (error.code === 'EPIPE') process.exit();
      const why = whyOf(error);
      if (why === null) throw error;
      process.stderr.write(`error: the output can’t be written: ${why}.\n`);
      process.exit(EXIT.unavailable);
    });
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    color: showsColor(process.stdout.isTTY === true, process.env),
    progress: process.stderr.isTTY === true ? (text) => process.stderr.write(text) : undefined,
    input: () => ({
      stream: process.stdin,
      terminal: process.stdin.isTTY && process.stdout.isTTY ? process.stdout : null,
    }),
    leave,
    outlive: () => {
      outlives = true;
    },
    exit: (code) => {
      process.exitCode = code;
    },
  };
}

/** How long a process with finished work may take to end by itself, in milliseconds. */
const END_MS = 1000;

function leave(): void {
  const written = (): boolean => process.stdout.writableLength + process.stderr.writableLength === 0;
  setTimeout(() => (written() ? process.exit() : leave()), END_MS).unref();
}

/**
 * Escapes control characters in all output, so that text of documents, callers, the system or the command line cannot
 * control the terminal. Every command prints through it. A line that contains foreign text passes through `oneLine`
 * first, because a line break would make the rest look like a line of Ninefold.
 */
export function guarded(io: Io): Io {
  return {
    ...io,
    out: (text) => io.out(visibleLines(text, io.color)),
    err: (text) => io.err(visibleLines(text, io.color)),
  };
}

/** Whether to print colours: on terminals, unless NO_COLOR is set (https://no-color.org). */
export function showsColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
