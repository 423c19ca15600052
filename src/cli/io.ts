import { whyOf } from '../store/paths.ts';
import { EXIT_UNSYNCED } from '../store/sqlite/sync-failure.ts';
import { visibleLines } from '../text/visible.ts';

/** What a command may do to the world around it, so that a test can run one without a process. */
export interface Io {
  /** Writes to standard output, as it is: the text brings its own line endings. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Whether standard output shows colours. */
  readonly color: boolean;
  /** Writes to standard error as it is, where that is a terminal: for a line that is written over. */
  readonly progress?: ((text: string) => void) | undefined;
  /** Ends the process soon, whatever a module of the person who runs it has left open. What was printed is written first. */
  readonly leave?: (() => void) | undefined;
  /** From now on, output that can’t be written is dropped, and the process goes on: a service outlives whoever reads its log. */
  readonly outlive?: (() => void) | undefined;
  /** Says how the process will end. It goes on until its work is done, so that nothing printed is lost. */
  readonly exit: (code: number) => void;
}

/** How a command ends. */
export const EXIT = {
  settled: 0,
  findings: 1,
  wrongUse: 2,
  unavailable: 3,
  untried: 4,
  defect: 70,
  unsynced: EXIT_UNSYNCED,
} as const;

/** The streams and the exit code of this process. */
export function processIo(): Io {
  let outlives = false;
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // How a command ends is the same whether or not somebody can read why.
      if (outlives || stream === process.stderr) return;
      // `ninefold check … | head` closes the pipe early, which is its right and no failure of ours.
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
    leave,
    outlive: () => {
      outlives = true;
    },
    exit: (code) => {
      process.exitCode = code;
    },
  };
}

/** How long a process that has done its work may take to end by itself, in milliseconds. */
const END_MS = 1000;

function leave(): void {
  const written = (): boolean => process.stdout.writableLength + process.stderr.writableLength === 0;
  setTimeout(() => (written() ? process.exit() : leave()), END_MS).unref();
}

/**
 * The same, so that nothing that is printed acts on a terminal: neither what a document says, nor what callers have
 * stored, nor what the system or the command line says. Every command prints by it alone. Who prints a line of what is
 * not ours makes it `oneLine` first, since a line that is begun here is taken for ours.
 */
export function guarded(io: Io): Io {
  return {
    ...io,
    out: (text) => io.out(visibleLines(text, io.color)),
    err: (text) => io.err(visibleLines(text, io.color)),
  };
}

/** Colours are for terminals, and for people who haven't declined them (https://no-color.org). */
export function showsColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
