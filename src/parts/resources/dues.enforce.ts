import type { Evaluate } from '../../expression/javascript.ts';
import type { Frame } from '../../expression/value.ts';

/** When something happens to a row by itself: so long after an instant or a move, while something is so. */
export interface Due {
  readonly column: number;
  readonly holds: (frame: Frame) => boolean;
  /** The instant of the row that starts the time; null where a move does. */
  readonly instant: Evaluate | null;
  readonly after: number;
  /** The move that starts the time; null where an instant of the row does. */
  readonly move: string | null;
}

/** Added to an instant that has its time running while the row isn’t in a state in which it would count: far from due. */
const WAITING = 2 ** 50;

/**
 * What a due column holds after a row has been written: the instant to come; negative, one that has been; or one that
 * waits for the row to come to where it counts. One that is past already when the row comes to hold it is none.
 */
export function dueAt(due: Due, frame: Frame, held: number | null, moment: string): number | null {
  if (due.move !== null) return afterMove(due, frame, held, moment);
  const from = due.holds(frame) ? (due.instant!(frame) as number | null) : null;
  const passed = held !== null && held < 0 ? held : null;
  if (from === null) return passed;
  const instant = from + due.after;
  if (held !== null && Math.abs(held) === instant) return held;
  return instant > frame.now ? instant : passed;
}

function afterMove({ move, after, holds }: Due, frame: Frame, held: number | null, moment: string): number | null {
  const moved = move === moment;
  if (!moved && (held === null || held < 0)) return held;
  const instant = moved ? frame.now + after : held! % WAITING;
  if (!holds(frame)) return instant + WAITING;
  return instant === held || instant > frame.now ? instant : -instant;
}
