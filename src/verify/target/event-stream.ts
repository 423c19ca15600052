import { type Answer, headerOf } from './exchange.ts';

/** A message of a stream (WHATWG HTML, section 9.2.6): an event, or a message without data, such as a heartbeat. */
export interface StreamMessage {
  /** The last event ID of the stream; null before the first. */
  readonly id: string | null;
  /** `message` where the stream names none. */
  readonly event: string;
  /** Null where the message has no data: a browser would dispatch no event. */
  readonly data: string | null;
  /** The reconnection time that this message states, in milliseconds. */
  readonly retry: number | null;
  /** The time when the message was complete, by the clock of the tester, in milliseconds since the epoch. */
  readonly at: number;
}

/** Whether an answer is a stream of events. */
export function isEventStream(status: number, headers: Answer['headers']): boolean {
  return status === 200 && /^text\/event-stream\s*(?:;|$)/i.test(headerOf(headers, 'Content-Type') ?? '');
}

/** The largest number of unread messages; a stream with more is closed. */
const MOST_MESSAGES = 10_000;

/** A stream of events, open or ended. */
export class EventStream {
  readonly status: number;
  readonly headers: Answer['headers'];
  /** Why the stream was cut off; null where it was not. */
  cutOff: string | null = null;
  private readonly end: () => void;
  private readonly mostBytes: number;
  private readonly decoder = new TextDecoder();
  private readonly messages: StreamMessage[] = [];
  private text = '';
  private id: string | null = null;
  private over = false;
  private told = Promise.withResolvers<void>();

  /** `close` ends the connection. No message may be longer than `mostBytes`. */
  constructor(
    { status, headers, close }: Pick<Answer, 'status' | 'headers'> & { readonly close: () => void },
    mostBytes: number,
  ) {
    this.status = status;
    this.headers = headers;
    this.end = close;
    this.mostBytes = mostBytes;
  }

  /** Whether the stream has ended and every message of it has been read. */
  get isOver(): boolean {
    return this.over && this.messages.length === 0;
  }

  /** The next message; null where none comes within so many milliseconds, or the stream has ended. */
  async next(milliseconds: number): Promise<StreamMessage | null> {
    const until = performance.now() + milliseconds;
    while (this.messages.length === 0 && !this.over) {
      const left = until - performance.now();
      if (left <= 0) return null;
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, left);
      await Promise.race([this.told.promise, late.promise]);
      clearTimeout(timer);
    }
    return this.messages.shift() ?? null;
  }

  /** Ends the stream. */
  close(): void {
    this.end();
    this.ended();
  }

  /** Called when the connection has ended. An incomplete message is dropped. */
  ended(): void {
    this.over = true;
    this.tell();
  }

  /** Adds received bytes. */
  take(bytes: Buffer): void {
    if (this.over) return;
    this.text += this.decoder.decode(bytes, { stream: true });
    for (;;) {
      // A CR at the end may be half of a line end.
      const found = /(?:\r\n|\r(?!\n|$)|\n)(?:\r\n|\r(?!\n|$)|\n)/.exec(this.text);
      if (!found) break;
      this.read(this.text.slice(0, found.index));
      this.text = this.text.slice(found.index + found[0].length);
    }
    if (this.text.length > this.mostBytes) this.cut(`A message of the stream is longer than ${this.mostBytes} bytes.`);
    if (this.messages.length > MOST_MESSAGES) this.cut(`More than ${MOST_MESSAGES} messages of the stream wait.`);
    this.tell();
  }

  private cut(why: string): void {
    this.cutOff = `${why} Ninefold closed the stream.`;
    this.close();
  }

  private read(block: string): void {
    const data: string[] = [];
    let event = '';
    let retry: number | null = null;
    for (const line of block.split(/\r\n|\r|\n/)) {
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      else if (field === 'event') event = value;
      else if (field === 'id' && !value.includes('\0')) this.id = value;
      else if (field === 'retry' && /^\d+$/.test(value)) retry = Number(value);
    }
    const text = data.length ? data.join('\n') : null;
    this.messages.push({ id: this.id, event: event || 'message', data: text, retry, at: Date.now() });
  }

  private tell(): void {
    this.told.resolve();
    this.told = Promise.withResolvers();
  }
}
