import type { Oracle } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';

/** The largest distance to which the clock is moved for a timed change, in milliseconds: 400 days. */
export const HORIZON_MS = 400 * 86_400_000;

/** A timed transition or event of a row. */
interface Due {
  readonly row: OracleRow;
  /** The name of the transition or of the event. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The timed transitions and events of rows after an instant, up to a horizon: the next first. */
export function duesOf({ state }: Oracle, now: number): Due[] {
  return state.plan.resources
    .flatMap((resource) => state.rows.all(resource.name))
    .flatMap((row) => [...row.due].map(([name, at]) => ({ row, name, at })))
    .filter(({ at }) => at > now && at < now + HORIZON_MS)
    .sort((a, b) => a.at - b.at);
}
