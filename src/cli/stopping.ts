import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * npm forwards a signal that the terminal has already sent to the process group. Within so many milliseconds, both
 * count as one.
 */
const SAME_MS = 100;

/** How long a process that has stopped may take to end by itself, in milliseconds. */
const END_MS = 1000;

/**
 * Handles signals. The first one stops the service gracefully. A further one ends the process at once, with the exit
 * code 128 plus the number of the signal; acknowledged writes are not lost. SIGHUP calls `reload`, or stops the service
 * if there is none.
 */
export function heedSignals(stop: () => Promise<void>, reload: (() => void) | null = null): void {
  let first: NodeJS.Signals | null = null;
  let at = 0;
  const heard = (signal: NodeJS.Signals): void => {
    if (first === null && signal === 'SIGHUP' && reload) reload();
    else if (first === null) {
      first = signal;
      at = performance.now();
      // Open handles of the team's modules do not keep the process alive.
      void stop().finally(() => setTimeout(() => process.exit(), END_MS).unref());
    } else if (signal !== first || performance.now() - at > SAME_MS) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, heard);
}
