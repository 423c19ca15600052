import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../../text/units.ts';
import { Connection, type Place } from './connection.ts';
import { EventStream, isEventStream } from './event-stream.ts';
import type { Exchange, NoAnswer, Request } from './exchange.ts';
import type { Target } from './target.ts';

/** Bounds of every exchange. */
interface Bounds {
  /** The time-out of a whole exchange, in milliseconds. */
  readonly milliseconds: number;
  /** The largest size of an answer's body, in bytes. */
  readonly bytes: number;
  /**
   * The longest time for which a service that has answered before may refuse connections, in milliseconds: it may be
   * restarting.
   */
  readonly away: number;
}

/** The default bounds: an answer in 10 seconds, of at most 4 MiB. */
const BOUNDS: Bounds = { milliseconds: 10_000, bytes: 4 << 20, away: 5000 };

/** The interval between attempts to connect to a service that is away, in milliseconds. */
const AGAIN_MS = 100;

/**
 * A service over HTTP/1.1. Each request has a connection of its own. Redirects are not followed: they are the answers
 * to be compared.
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

  /** The number of requests that were sent. */
  get sent(): number {
    return this.count;
  }

  /** The reason why no further requests are sent; null while the service answers. */
  get gone(): string | null {
    return this.outage.gone;
  }

  /** A sentence about the latest requests if they were not answered, for a run that ends with them. */
  get silence(): string | null {
    return this.outage.silence;
  }

  /**
   * The reason why the service accepts no connection; null if it accepts one. Of the addresses of a host name, the
   * first that accepts a connection is used from then on. No request is sent, since it would count against a rate.
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
    // A service that fails on simultaneous requests may still be running, so any answer counts.
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
   * Opens a connection, or returns a failed one with its reason. A connection that fails is tried again for a while,
   * which is safe since no request was sent: a supervisor may be restarting the service.
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

  /** `late`: the delay of the request's last byte, in milliseconds. */
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
  private row = 0;
  private answered = false;
  private last = '';
  private advice = START_AGAIN;
  private why: string | null = null;

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

  /** Called after an answer. */
  heard(): void {
    this.row = 0;
    this.answered = true;
  }

  /** Called for every exchange, in order. */
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
    else if (this.row >= MOST_IN_A_ROW) this.why ??= this.inARow();
  }

  private inARow(): string {
    return `The service has not answered ${this.row} requests in a row, the last one ${this.last} ${this.advice}`;
  }
}
