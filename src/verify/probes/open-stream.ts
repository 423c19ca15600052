import { EventStream, type StreamMessage } from '../target/event-stream.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';

/** A message of an event. */
export interface Message {
  readonly event: string;
  readonly data: string;
  /** Empty where the stream says none. */
  readonly id: string;
}

/** The most messages that are kept. */
const MOST_MESSAGES = 5000;

/** A requested stream, with its messages; or the answer in its place. */
export class OpenStream {
  readonly messages: Message[] = [];
  /** The reconnection time that was sent, in milliseconds; null before any. */
  retry: number | null = null;
  /** The answer in place of a stream; null where the stream was opened. */
  readonly refusal: Exchange | null;
  private readonly stream: EventStream | null;

  private constructor(answer: EventStream | Exchange) {
    this.stream = answer instanceof EventStream ? answer : null;
    this.refusal = answer instanceof EventStream ? null : answer;
  }

  static async open(target: Target, request: Request): Promise<OpenStream> {
    return new OpenStream(await target.follow(request));
  }

  /** The status of the answer, or the reason why there is no answer. */
  get status(): number | string {
    if (!this.refusal) return 200;
    const { outcome } = this.refusal;
    return 'failed' in outcome ? outcome.detail : outcome.status;
  }

  /** Waits for a number of messages, then for a moment for unexpected ones. All of them are recorded. */
  async receive(count: number, milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    while (this.stream && this.messages.length < MOST_MESSAGES) {
      const left = this.messages.length < count ? end - performance.now() : LATER_MS;
      const message = await this.stream.next(Math.max(0, left));
      if (!message) return;
      if (message.retry !== null) this.retry = message.retry;
      this.take(message);
    }
  }

  close(): void {
    this.stream?.close();
  }

  private take({ event, data, id }: StreamMessage): void {
    if (data !== null) this.messages.push({ event, data, id: id ?? '' });
  }
}

/** The wait for unexpected messages, in milliseconds. */
const LATER_MS = 20;
