import type { Exchange } from './exchange.ts';

/** After so many requests in a row without an answer, a run ends. */
const MOST_IN_A_ROW = 5;

/** Notices that a service is gone: a run that goes on without one would only report its own requests. */
export class Outage {
  private readonly most: number;
  private row = 0;

  constructor(most = MOST_IN_A_ROW) {
    this.most = most;
  }

  /** Hears of every exchange in its order; gives a sentence once the run has to end, and null before. */
  note({ outcome, request }: Exchange): string | null {
    this.row = 'failed' in outcome ? this.row + 1 : 0;
    if (!('failed' in outcome) || this.row < this.most) return null;
    return `The service has not answered ${this.row} requests in a row, the last one ${request.method} ${request.target}: ${outcome.detail} Start it again, and look at what its log says of these requests.`;
  }
}
