import { counted } from '../../text/counted.ts';
import { showDuration } from '../../text/units.ts';
import type { Progress } from '../../verify/run/options.ts';

/** The interval at which the line is written, in milliseconds. */
const EVERY_MS = 200;
/** The control sequence that returns to the start of the line, and clears it. */
const CLEAR_LINE = '\r\u001b[K';

/** Shows the progress of a run. */
interface Shown {
  readonly told: (progress: Progress) => void;
  /** Removes the line. */
  end(): void;
}

/**
 * Shows progress in one line that is overwritten. `write` writes to standard error if that is a terminal; if undefined,
 * nothing is shown. The line contains no foreign text.
 */
export function progressTo(
  write: ((text: string) => void) | undefined,
  budget: number,
  now: () => number = () => performance.now(),
): Shown {
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    told: (progress) => {
      const at = now();
      if (!write || at - last < EVERY_MS) return;
      last = at;
      shown = true;
      write(`${CLEAR_LINE}${lineOf(progress, budget)}`);
    },
    end: () => {
      if (shown) write?.(CLEAR_LINE);
      shown = false;
    },
  };
}

function lineOf({ used, requests, breaks, tried, statements }: Progress, budget: number): string {
  const broken = breaks ? `, ${counted(breaks, 'break')}` : '';
  return `${Math.floor(used / 1000)} s of ${showDuration(budget)}: ${counted(requests, 'request')}, ${tried} of ${counted(statements, 'statement')} tried${broken}`;
}
