import { constants } from 'node:os';

/** What somebody who interrupts a run has asked for. */
export interface Interrupted {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP: what was measured until then is reported. */
  readonly soon: AbortSignal;
  /** Aborted by the second, and by whatever ends the run, but for SIGKILL: no server is left behind. */
  readonly now: AbortSignal;
}

/** How long after the first a signal is taken for the same one: npm hands on what the terminal has sent already. */
const SAME = 500;

/** Hears signals; a run that was interrupted ends with 128 and the signal's number. */
export function hearInterrupts(say: (line: string) => void): Interrupted {
  const soon = new AbortController();
  const now = new AbortController();
  let first = 0;
  const hear = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void => {
    process.exitCode = 128 + constants.signals[signal];
    if (soon.signal.aborted && performance.now() - first < SAME) return;
    if (soon.signal.aborted) process.exit();
    first = performance.now();
    say('Interrupted: what has been measured is reported once what is under way has ended. Once more ends at once.');
    soon.abort(new Interruption('Interrupted before anything had been measured.'));
  };
  process.on('SIGINT', hear).on('SIGTERM', hear).on('SIGHUP', hear);
  process.on('exit', () => now.abort());
  return { soon: soon.signal, now: now.signal };
}

/** Thrown where there is nothing to report. */
export class Interruption extends Error {}
