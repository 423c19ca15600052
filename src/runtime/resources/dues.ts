import type { Evaluate } from '../../expression/javascript.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Frame } from '../../expression/values/value.ts';
import { transitionIn } from '../../plan/machines.ts';
import { named } from '../../plan/named.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import type { TimedShape } from '../../store/shape.ts';
import type { Timed } from '../../store/tables.ts';

/** The timing of a timed transition or event: an offset to an instant or a move, while a condition holds. */
export interface Due {
  readonly column: number;
  readonly holds: (frame: Frame) => boolean;
  /** The instant from which the time counts; null where it counts from a move. */
  readonly instant: Evaluate | null;
  readonly after: number;
  /** The move from which the time counts; null where it counts from an instant. */
  readonly move: string | null;
}

/**
 * Compiles the timing of a timed transition or event: `columnOf` returns the index of a column in a row, `plain`
 * compiles expressions over the row.
 */
export function dueOf(
  plan: ResourcePlan,
  { what, name, column: own }: Timed,
  columnOf: (column: string) => number,
  plain: (expr: Expr) => Evaluate,
): Due {
  const column = columnOf(own);
  if (what === 'event') {
    const { instant, condition } = named(plan.events, name).timed!;
    const holds = condition && plain(condition);
    return {
      column,
      holds: (frame) => holds === null || holds(frame) === true,
      instant: plain(instant),
      after: 0,
      move: null,
    };
  }
  const { field, from, timed } = transitionIn(plan.machines, name);
  const state = columnOf(field);
  const { after, instant, move } = timed!;
  return {
    column,
    holds: ({ row }) => from.includes(row![state] as string),
    instant: instant && plain(instant),
    after,
    move,
  };
}

/** Added to an instant whose time runs while the row's state lets nothing happen: the instant is then far from due. */
const WAITING = 2 ** 50;

/**
 * Returns the value of a due column after a write: the next instant; the negated instant, once it has passed; or the
 * instant plus WAITING, until the row's state lets it fire. An instant that is past when the row gets it is ignored;
 * the present instant is due at once.
 */
export function dueAt(due: Due, frame: Frame, held: number | null, moment: string): number | null {
  if (due.move !== null) return afterMove(due, frame, held, moment);
  const from = due.holds(frame) ? (due.instant!(frame) as number | null) : null;
  const passed = held !== null && held < 0 ? held : null;
  if (from === null) return passed;
  const instant = from + due.after;
  if (held !== null && Math.abs(held) === instant) return held;
  return instant >= frame.now ? instant : passed;
}

function afterMove({ move, after, holds }: Due, frame: Frame, held: number | null, moment: string): number | null {
  const moved = move === moment;
  if (!moved && (held === null || held < 0)) return held;
  const instant = moved ? frame.now + after : held! % WAITING;
  if (!holds(frame)) return instant + WAITING;
  return instant === held || instant >= frame.now ? instant : -instant;
}

/**
 * Returns the value of a due column under a new document; `before` is the old document's timing, if it had one. The row
 * counts as written at this moment: an instant that is past fires nothing. The time of a row's last move is known only
 * from its running timer, so a timer after a move runs on, or doesn't start.
 */
export function dueUnder(due: Due, before: TimedShape | null, frame: Frame, held: number | null): number | null {
  if (due.move === null) return dueAt(due, frame, before?.timing.move === null ? held : null, '');
  if (held === null || before?.timing.move !== due.move) return null;
  if (held < 0) return held;
  const was = held % WAITING;
  const instant = was - before.timing.after + due.after;
  if (!due.holds(frame)) return instant + WAITING;
  return instant === held || instant >= frame.now ? instant : -instant;
}
