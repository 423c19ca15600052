import type { When } from '../judge/judge.ts';
import type { State } from '../oracle/state.ts';

/** The least distance of requests from the end of a window for a running clock, in milliseconds. */
const EDGE_MS = 1000;

/** The ends of the current rate windows in which more than half of the rate is used up. */
export function endsOfCrowded({ windows }: State, now: number): number[] {
  return [...windows.values()].flatMap(({ count, most, end }) => (end > now && count > most / 2 ? [end] : []));
}

/**
 * The windows of rates, where the times of requests are only known approximately. A request near the end of a window
 * may count in that window or in the next, so that the values of rate headers are unknown afterwards.
 */
export class Windows {
  private isKnown = true;

  /** The time to wait until it is certain in which window a request counts; 0 if it is certain now. */
  until({ windows, plan }: State, now: number, slack: number): number {
    if (!this.isKnown) return Math.max(0, ...plan.rates.map(({ milliseconds }) => milliseconds)) + EDGE_MS;
    const edge = Math.max(EDGE_MS, 2 * slack);
    const ends = [...windows.values()].map(({ end }) => end).filter((end) => Math.abs(end - now) < edge);
    return ends.length > 0 ? Math.max(...ends) + edge - now : 0;
  }

  /** Called after a pause in which every window has ended: all counts are known again. */
  begin(): void {
    this.isKnown = true;
  }

  /** Records the time of an answer. Returns whether it is certain in which window the request counted. */
  take({ windows }: State, { earliest, latest }: When): boolean {
    const width = latest - earliest;
    if ([...windows.values()].some(({ end }) => end > earliest - width && end < latest + width)) this.isKnown = false;
    return this.isKnown;
  }
}
