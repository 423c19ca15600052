import {
  type Answer,
  headerOf,
  type NoAnswer,
  type OpenAnswer,
  type Request,
  type Target,
} from '../target/exchange.ts';

/** One message of a stream (WHATWG HTML, server-sent events). */
export interface Message {
  readonly event: string;
  readonly data: string;
  /** The last id that had come with it. */
  readonly id: string;
}

/** How long a stream stays open at most, in milliseconds. */
const LONGEST_MS = 60_000;
/** The most messages that are kept. */
const MOST_MESSAGES = 5000;
/** The longest line, in characters. */
const LONGEST_LINE = 1 << 20;

/** A stream of server-sent events, read as a browser reads it. */
export class EventStream {
  readonly messages: Message[] = [];
  /** The id of the latest message or heartbeat; empty before any. */
  lastId = '';
  /** The reconnection time that was sent, in milliseconds; null before any. */
  retry: number | null = null;
  status: number | null = null;
  mediaType: string | null = null;
  private readonly answer: OpenAnswer;
  private readonly decoder = new TextDecoder();
  private rest = '';
  private event = '';
  private data: string[] = [];
  private waiting: Array<() => void> = [];
  private over = false;

  constructor(target: Target, request: Request) {
    const heard = {
      begun: (status: number, headers: Answer['headers']): void => {
        this.status = status;
        this.mediaType = headerOf(headers, 'Content-Type');
        this.wake();
      },
      part: (bytes: Buffer): void => this.take(this.decoder.decode(bytes, { stream: true })),
    };
    this.answer = target.open(request, heard, LONGEST_MS);
    void this.answer.ended.then(() => {
      this.over = true;
      this.wake();
    });
  }

  get ended(): Promise<Answer | NoAnswer> {
    return this.answer.ended;
  }

  /** Waits until something is so; gives whether it is. A stream that has ended brings nothing more. */
  async until(isSo: () => boolean, milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    while (!isSo()) {
      const left = end - performance.now();
      if (left <= 0 || this.over) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push(resolve);
      const timer = setTimeout(resolve, left);
      await promise;
      clearTimeout(timer);
    }
    return true;
  }

  close(): void {
    this.answer.close();
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const one of waiting) one();
  }

  private take(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    if (this.rest.length > LONGEST_LINE || this.messages.length > MOST_MESSAGES) return this.close();
    for (const line of lines) this.line(line);
    this.wake();
  }

  private line(line: string): void {
    if (line === '') return this.dispatch();
    const at = line.indexOf(':');
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'event') this.event = value;
    else if (name === 'data') this.data.push(value);
    else if (name === 'id') this.lastId = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
  }

  private dispatch(): void {
    const { event, data, lastId: id } = this;
    if (data.length) this.messages.push({ event: event || 'message', data: data.join('\n'), id });
    this.event = '';
    this.data = [];
  }
}
