import type { When } from '../judge/judge.ts';
import type { State } from '../oracle/state.ts';

/** The least distance of requests from the end of a window for a running clock, in milliseconds. */
const EDGE_MS = 1000;

/** The rate that a window is of, by its key: of names that begin alike, the longest. */
export const rateOf = <R extends { readonly name: string }>(rates: readonly R[], key: string): R | undefined =>
  rates.filter(({ name }) => key.startsWith(`${name} `)).sort((a, b) => b.name.length - a.name.length)[0];

/** When the windows end in which more than half of a rate is used up. */
export function endsOfCrowded({ windows, plan }: State, now: number): number[] {
  return [...windows].flatMap(([key, { count, end }]) => {
    const rate = rateOf(plan.rates, key);
    return rate && end > now && count > rate.count / 2 ? [end] : [];
  });
}

/**
 * The windows of rates where the time of requests is not known to the millisecond: a request near the end of a window
 * may count in that window or in the next, so that the values of rate headers are not known from then on.
 */
export class Windows {
  private isKnown = true;

  /** For how long time has to pass until it is known again in which window a request counts; 0 where it is. */
  until({ windows, plan }: State, now: number, slack: number): number {
    if (!this.isKnown) return Math.max(0, ...plan.rates.map(({ milliseconds }) => milliseconds)) + EDGE_MS;
    const edge = Math.max(EDGE_MS, 2 * slack);
    const ends = [...windows.values()].map(({ end }) => end).filter((end) => Math.abs(end - now) < edge);
    return ends.length > 0 ? Math.max(...ends) + edge - now : 0;
  }

  /** Time has passed by so much that every window has ended. */
  begin(): void {
    this.isKnown = true;
  }

  /** Takes in when a request was answered; gives whether it is known in which window it counted. */
  take({ windows }: State, { earliest, latest }: When): boolean {
    const width = latest - earliest;
    if ([...windows.values()].some(({ end }) => end > earliest - width && end < latest + width)) this.isKnown = false;
    return this.isKnown;
  }
}
