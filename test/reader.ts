import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { until } from './harness.ts';

/** One message of a stream. */
export interface Message {
  readonly type: string;
  readonly data: string;
  readonly id: string;
}

/** A reader of server-sent events, as the WHATWG HTML standard has them read. */
export class Reader {
  readonly messages: Message[] = [];
  readonly status: number;
  readonly type: string;
  /** What a refusal said. */
  refusal = '';
  lastId = '';
  retry: number | null = null;
  /** How many comments came, and ids without a message. */
  beats = 0;
  ended = false;
  private shown = 0;
  private readonly response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.type = response.headers['content-type'] ?? '';
    this.response = response;
  }

  /** Asks for a stream, over a connection of its own. Resolves once it is answered, whole where that is a refusal. */
  static async open(url: string, headers: Record<string, string>): Promise<Reader> {
    const asked = request(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const reader = new Reader(response);
    if (reader.status !== 200) {
      reader.refusal = Buffer.concat(await response.toArray()).toString();
      reader.ended = true;
      return reader;
    }
    void reader.read().catch(() => {
      reader.ended = true;
    });
    return reader;
  }

  /** The next messages, once so many have come; with 0, whatever has come. */
  async heard(count: number): Promise<Message[]> {
    await until(() => this.messages.length >= this.shown + count, `${count} messages`);
    const from = this.shown;
    this.shown = this.messages.length;
    return this.messages.slice(from);
  }

  leave(): void {
    this.response.destroy();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of this.response) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) this.take(block);
    }
    this.ended = true;
  }

  private take(block: string): void {
    let type = 'message';
    let data: string | null = null;
    for (const line of block.split('\n')) {
      const [field = '', value = ''] = line.split(/: ?(.*)/s, 2);
      if (field === 'id') this.lastId = value;
      else if (field === 'event') type = value;
      else if (field === 'retry') this.retry = Number(value);
      else if (field === 'data') data = data === null ? value : `${data}\n${value}`;
    }
    if (data === null) this.beats++;
    else this.messages.push({ type, data, id: this.lastId });
  }
}
