import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Place } from './connection.ts';
import { EventStream, isEventStream } from './event-stream.ts';
import type { Exchange, NoAnswer, Request } from './exchange.ts';
import { Outage } from './outage.ts';
import type { Target } from './target.ts';

/** Bounds of every exchange. */
interface Bounds {
  /** How long a whole exchange may take, in milliseconds. */
  readonly milliseconds: number;
  /** The most bytes of the body of an answer. */
  readonly bytes: number;
  /** How long a service that has answered may be away, as one that is started again is, in milliseconds. */
  readonly away: number;
}

/** The default bounds: an answer in 10 seconds, of at most 4 MiB. */
const BOUNDS: Bounds = { milliseconds: 10_000, bytes: 4 << 20, away: 5000 };

/** After how long a service that is away is looked for again, in milliseconds. */
const AGAIN_MS = 100;

/**
 * A service over HTTP/1.1. Each request has a connection of its own. Redirects are answers like any other: a service
 * sends nobody elsewhere.
 */
export class HttpTarget implements Target {
  private place: Place;
  private readonly bounds: Bounds;
  private readonly outage = new Outage();
  private count = 0;

  constructor(place: Place, bounds: Partial<Bounds> = {}) {
    this.place = place;
    this.bounds = { ...BOUNDS, ...bounds };
  }

  /** How many requests have been sent. */
  get sent(): number {
    return this.count;
  }

  /** Why the service is given up; null while it answers. */
  get gone(): string | null {
    return this.outage.gone;
  }

  /** A sentence that the latest requests were not answered, for a run that ends with them. */
  get silence(): string | null {
    return this.outage.silence;
  }

  /**
   * Why no connection can be made; null where one can. Of the addresses of a name, the first that accepts one is used
   * from then on. Nothing is sent: a request would count against a rate.
   */
  async reach(): Promise<NoAnswer | null> {
    const all = [this.place, ...this.place.others.map((address) => ({ ...this.place, address }))];
    let first: NoAnswer | null = null;
    for (const place of all) {
      const connection = new Connection(place, this.bounds.milliseconds);
      await connection.ready();
      const away = await connection.close();
      if (away === null) {
        this.place = place;
        return null;
      }
      first ??= away;
    }
    if (first === null || all.length === 1) return first;
    return { ...first, detail: `${first.detail} Tried: ${all.map(({ address }) => address).join(' and ')}.` };
  }

  /** Sends a request. Never rejects: where there is no answer, the outcome says why. */
  async send(request: Request): Promise<Exchange> {
    if (this.gone !== null) return givenUp(request, this.gone);
    const exchange = await this.sendOn(await this.connected(request.late), request);
    this.outage.note(exchange);
    return exchange;
  }

  /**
   * Sends requests at the same time: all connections are made first, and then all requests are written in one turn, so
   * that they meet in the service as closely as they can.
   */
  async race(requests: readonly Request[]): Promise<Exchange[]> {
    const { gone } = this;
    if (gone !== null) return requests.map((request) => givenUp(request, gone));
    const connections = await Promise.all(
      requests.map(async (request) => ({ request, connection: await this.connected(request.late) })),
    );
    const exchanges = await Promise.all(connections.map(({ connection, request }) => this.sendOn(connection, request)));
    // A service that can’t bear them together is still there.
    const told = exchanges.find(({ outcome }) => !('failed' in outcome)) ?? exchanges.at(-1);
    if (told) this.outage.note(told);
    return exchanges;
  }

  /**
   * Opens a stream of events. Returns the exchange where the answer is no stream: a refusal, or no answer. A stream
   * lasts until either side ends it.
   */
  async follow(request: Request): Promise<EventStream | Exchange> {
    if (this.gone !== null) return givenUp(request, this.gone);
    this.count++;
    const connection = await this.connected();
    const sentAt = Date.now();
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
    const first = await Promise.race([opened.promise, ended]);
    if (first instanceof EventStream) this.outage.heard();
    else this.outage.note(first);
    return first;
  }

  /**
   * A connection on which a request can be sent, or one with the reason for its failure. A failed connection is tried
   * again for a while, since nothing has been sent on it: a supervisor may restart a service that has failed.
   */
  private async connected(late = 0): Promise<Connection> {
    const until = performance.now() + this.bounds.away;
    for (;;) {
      const connection = this.connect(late);
      await connection.ready();
      const waits = this.outage.began && this.gone === null && performance.now() < until;
      if (connection.isMade || !waits) return connection;
      await sleep(AGAIN_MS);
    }
  }

  /** `late`: how much longer than others its request takes to be sent, in milliseconds. */
  private connect(late = 0): Connection {
    return new Connection(this.place, this.bounds.milliseconds + late);
  }

  private async sendOn(connection: Connection, request: Request): Promise<Exchange> {
    this.count++;
    const sentAt = Date.now();
    const reading = { head: request.method === 'HEAD', mostBytes: this.bounds.bytes };
    const outcome = await connection.exchange(request, reading);
    return { request, outcome, sentAt, endedAt: Date.now() };
  }
}

/** The exchange of a request that was not sent, since the service no longer answers. */
function givenUp(request: Request, detail: string): Exchange {
  const at = Date.now();
  return { request, outcome: { failed: 'not reached', detail }, sentAt: at, endedAt: at };
}
