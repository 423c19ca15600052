import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** npm passes on what the terminal has sent to the whole group already: within so many milliseconds it is one and the same. */
const SAME_MS = 100;

/** How long a process that has stopped may take to end by itself, in milliseconds. */
const END_MS = 1000;

/**
 * The rule of signals. The first that asks for it stops in good order, and any further one ends the process at once, as a
 * kill would, of which nothing that was acknowledged is lost. It ends with 128 and the number of the signal. SIGHUP
 * stops as the others do where there is nothing to `reload`.
 */
export function heedSignals(stop: () => Promise<void>, reload: (() => void) | null = null): void {
  let first: NodeJS.Signals | null = null;
  let at = 0;
  const heard = (signal: NodeJS.Signals): void => {
    if (first === null && signal === 'SIGHUP' && reload) reload();
    else if (first === null) {
      first = signal;
      at = performance.now();
      // Whatever a module of the team’s own has left open keeps nobody waiting.
      void stop().finally(() => setTimeout(() => process.exit(), END_MS).unref());
    } else if (signal !== first || performance.now() - at > SAME_MS) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, heard);
}
