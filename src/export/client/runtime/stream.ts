import { HEARTBEAT, RETRY } from './document.ts';
import { ConnectionError, unwrap } from './result.ts';
import { type Call, type CallOptions, type Sender, typed, wait } from './send.ts';

/** The options of a stream. */
export interface StreamOptions extends CallOptions {
  // #if resumed
  /** The id of the last event that was read: the stream continues after it. */
  readonly lastEventId?: string | undefined;
  // #end
  /** The largest number of attempts to reconnect. The default is no limit. */
  readonly attempts?: number | undefined;
}

interface Message {
  readonly event: string;
  readonly data: string;
  /** The id of the last event, for `Last-Event-ID`. */
  readonly id: string | undefined;
}

/** Parses server-sent events (WHATWG HTML). */
class Messages {
  /** The id of the last complete message. */
  id: string | undefined;
  /** The reconnection time that the service asks for, in milliseconds. */
  retry = RETRY ?? 1000;
  private decoder = new TextDecoder();
  private rest = '';
  private fields: { event?: string; id?: string } = {};
  private data: string[] = [];

  /** Discards an incomplete message: the next connection repeats it. */
  begin(): void {
    this.decoder = new TextDecoder();
    this.rest = '';
    this.fields = {};
    this.data = [];
  }

  *read(bytes: Uint8Array): Generator<Message, void, undefined> {
    this.rest += this.decoder.decode(bytes, { stream: true });
    // A carriage return at the end may be the first half of CRLF.
    const lines = this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === 'data') this.data.push(value);
      else if (name === 'event' || (name === 'id' && !value.includes('\0'))) this.fields[name] = value;
      else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
      if (line !== '') continue;
      const { data, fields } = this;
      this.id = fields.id ?? this.id;
      this.data = [];
      this.fields = {};
      if (data.length > 0) yield { event: fields.event ?? 'message', data: data.join('\n'), id: this.id };
    }
  }
}

// #if resumed
/** The events of a stream. An interrupted stream is reopened, and continues after the last complete event. */
// #else
// /** The events of a stream. An interrupted stream ends with an error, because missed events are lost. */
// #end
export async function* follow<Event>(
  sender: Sender,
  call: Call,
  given: StreamOptions,
  eventOf: (message: Message) => Event,
): AsyncGenerator<Event, void, undefined> {
  const messages = new Messages();
  // #if resumed
  messages.id = given.lastEventId;
  // #end
  // #if resumed
  let attempts: number | undefined;
  // #end
  for (let silent = 1; ; silent++) {
    messages.begin();
    const cut = new AbortController();
    const signal = given.signal ? AbortSignal.any([given.signal, cut.signal]) : cut.signal;
    let failure: unknown = new Error('The stream ended');
    try {
      // #if resumed
      const headers = { ...call.headers, 'Last-Event-ID': messages.id };
      const opening = { call: { ...call, headers }, given: { ...given, attempts: attempts ?? given.attempts, signal } };
      // #else
      // const opening = { call, given: { ...given, signal } };
      // #end
      const read = async (response: Response) => (await typed(response, 'text/event-stream')).body;
      const reader = unwrap(await sender.deliver({ ...opening, read }))?.getReader();
      for (;;) {
        const timer = HEARTBEAT && setTimeout(() => cut.abort(new Error('No heartbeat arrived')), 2 * HEARTBEAT + 5000);
        const chunk = await reader?.read().catch((error: unknown) => {
          failure = error;
        });
        clearTimeout(timer);
        if (!chunk?.value) break;
        silent = 0;
        for (const message of messages.read(chunk.value)) yield eventOf(message);
      }
    } finally {
      cut.abort();
    }
    given.signal?.throwIfAborted();
    // #if resumed
    attempts = given.attempts ?? Infinity;
    if (silent >= attempts)
      throw new ConnectionError(`The stream ${call.path} was interrupted`, silent, undefined, failure);
    await wait(Math.min(30_000, messages.retry * 2 ** Math.max(0, silent - 1)), given.signal);
    // #else
    // throw new ConnectionError(`The stream ${call.path} was interrupted`, silent + 1, undefined, failure);
    // #end
  }
}
