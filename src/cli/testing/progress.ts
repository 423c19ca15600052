import { counted } from '../../text/counted.ts';
import { showDuration } from '../../text/units.ts';
import type { Progress } from '../../verify/run/options.ts';

/** How often the line is written, in milliseconds. */
const EVERY_MS = 200;
/** Where a terminal begins its line anew, and clears the rest of it. */
const CLEAR_LINE = '\r\u001b[K';

/** What shows how far a run is. */
interface Shown {
  readonly told: (progress: Progress) => void;
  /** Takes the line away. */
  end(): void;
}

/**
 * Shows progress in one line that is written over. `write` is standard error where that is a terminal, and undefined
 * elsewhere: then nothing is shown. What is written has no text from outside.
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
