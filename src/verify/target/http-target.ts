import { Connection, type Place } from './connection.ts';
import { EventStream, isEventStream } from './event-stream.ts';
import type { Exchange, NoAnswer, Request } from './exchange.ts';
import type { Target } from './target.ts';

/** Bounds of every exchange. */
interface Bounds {
  /** How long a whole exchange may take, in milliseconds. */
  readonly milliseconds: number;
  /** The most bytes of the body of an answer. */
  readonly bytes: number;
}

/** What holds unless others are given: an answer in 10 seconds, of at most 4 MiB. */
const BOUNDS: Bounds = { milliseconds: 10_000, bytes: 4 << 20 };

/**
 * A service over HTTP/1.1. Each request has a connection of its own. Redirects are answers like any other: a service
 * sends nobody elsewhere.
 */
export class HttpTarget implements Target {
  readonly place: Place;
  private readonly bounds: Bounds;
  private count = 0;

  constructor(place: Place, bounds: Partial<Bounds> = {}) {
    this.place = place;
    this.bounds = { ...BOUNDS, ...bounds };
  }

  /** How many requests have been sent. */
  get sent(): number {
    return this.count;
  }

  /** Why no connection can be made; null where one can. Nothing is sent: a request would count against a rate. */
  async reach(): Promise<NoAnswer | null> {
    const connection = this.connect();
    await connection.ready();
    return connection.close();
  }

  /** Sends a request. Never rejects: where there is no answer, the outcome says why. */
  send(request: Request): Promise<Exchange> {
    return this.sendOn(this.connect(), request);
  }

  /**
   * Sends requests at the same time: all connections are made first, and then all requests are written in one turn, so
   * that they meet in the service as closely as they can.
   */
  async race(requests: readonly Request[]): Promise<Exchange[]> {
    const connections = requests.map((request) => ({ request, connection: this.connect() }));
    await Promise.all(connections.map(({ connection }) => connection.ready()));
    return Promise.all(connections.map(({ connection, request }) => this.sendOn(connection, request)));
  }

  /**
   * Opens a stream of events. Gives the exchange where the answer is none: a refusal, or no answer. A stream lasts until
   * either side ends it.
   */
  async follow(request: Request): Promise<EventStream | Exchange> {
    this.count++;
    const sentAt = Date.now();
    const connection = this.connect();
    const opened = Promise.withResolvers<EventStream>();
    const outcome = connection.exchange(request, {
      head: false,
      mostBytes: this.bounds.bytes,
      begun: (status, headers) => {
        if (!isEventStream(status, headers)) return null;
        connection.last();
        const stream = new EventStream({ status, headers, close: () => void connection.close() }, this.bounds.bytes);
        opened.resolve(stream);
        return (bytes) => stream.take(bytes);
      },
    });
    const ended = outcome.then((one): Exchange => ({ request, outcome: one, sentAt, endedAt: Date.now() }));
    void Promise.all([opened.promise, ended]).then(([stream]) => stream.ended());
    return Promise.race([opened.promise, ended]);
  }

  private connect(): Connection {
    return new Connection(this.place, this.bounds.milliseconds);
  }

  private async sendOn(connection: Connection, request: Request): Promise<Exchange> {
    this.count++;
    const sentAt = Date.now();
    const reading = { head: request.method === 'HEAD', mostBytes: this.bounds.bytes };
    const outcome = await connection.exchange(request, reading);
    return { request, outcome, sentAt, endedAt: Date.now() };
  }
}
