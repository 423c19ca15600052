import type { Condition } from '../../plan/conditions.ts';
import type { Answer, Answerer, Handled, Incoming } from '../http/message.ts';

/** The handler between two documents: requests that arrive meanwhile wait for the next document's handler. */
export class HoldingHandler implements Answerer {
  readonly timeout: number | null;
  readonly headSize: number;
  draining = false;
  private readonly before: Answerer;
  private readonly next: Promise<Answerer>;
  release: (next: Answerer) => void = () => {};

  constructor(before: Answerer) {
    this.before = before;
    this.timeout = before.timeout;
    this.headSize = before.headSize;
    this.next = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async handle(incoming: Incoming): Promise<Handled> {
    return (await this.next).handle(incoming);
  }

  now(): number {
    return this.before.now();
  }

  wire(condition: Condition): Answer | null {
    return this.before.wire(condition);
  }

  /** Does nothing: earlier requests have begun already, and the held ones have not. */
  begun(): void {}
}
