import { counted } from '../../text/counted.ts';
import type { Exchange } from './exchange.ts';

/** The number of unanswered requests in a row after which a run ends. */
const MOST_IN_A_ROW = 5;
/**
 * The number of unanswered requests in a row at the end of a run from which the report mentions them. One or two may
 * fail because of their content.
 */
const TOLD_IN_A_ROW = 3;

const START_AGAIN = 'Restart it and read its log of these requests.';
const LOOK_AT_URL = 'Is --url the address of the service, with http or https as it has to be?';

/** Notices that a service is gone: without a service, a run would report only its own requests. */
export class Outage {
  private readonly most: number;
  private row = 0;
  private answered = false;
  private last = '';
  private advice = START_AGAIN;
  private why: string | null = null;

  constructor(most = MOST_IN_A_ROW) {
    this.most = most;
  }

  /** Whether any request was answered. */
  get began(): boolean {
    return this.answered;
  }

  /** A sentence once no further requests are sent; null before. */
  get gone(): string | null {
    return this.why;
  }

  /** A sentence for a run that ends now: that its latest requests were not answered; null where they were. */
  get silence(): string | null {
    if (this.why !== null || this.row === 0) return this.why;
    if (!this.answered)
      return `The service has not answered any request (${counted(this.row, 'request')}), the last one ${this.last} ${this.advice}`;
    return this.row < TOLD_IN_A_ROW ? null : this.inARow();
  }

  /** Hears that something was answered. */
  heard(): void {
    this.row = 0;
    this.answered = true;
  }

  /** Hears of every exchange in its order. */
  note({ outcome, request }: Exchange): void {
    if (!('failed' in outcome)) {
      this.heard();
      return;
    }
    this.row += 1;
    this.last = `${request.method} ${request.target}: ${outcome.detail}`;
    this.advice = this.answered || outcome.failed === 'timed out' ? START_AGAIN : LOOK_AT_URL;
    // The sender has already tried to connect for a while.
    if (this.answered && outcome.failed === 'not reached')
      this.why ??= `The service stopped answering at ${this.last} ${this.advice}`;
    else if (this.row >= this.most) this.why ??= this.inARow();
  }

  private inARow(): string {
    return `The service has not answered ${this.row} requests in a row, the last one ${this.last} ${this.advice}`;
  }
}
