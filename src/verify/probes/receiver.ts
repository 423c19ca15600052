import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a receiver. */
export interface Delivery {
  /** The path and the query. */
  readonly target: string;
  readonly method: string;
  /** The value of a header; null where it was not sent. */
  readonly header: (name: string) => string | null;
  readonly body: string;
  /** Counts all deliveries, in the order in which they came. */
  readonly number: number;
  /** When it had come, by the time of this process, in milliseconds. */
  readonly at: number;
  /** The status of the receiver's answer. */
  readonly status: number;
}

/** The answer of a receiver: a status, `CUT` or `HELD`. */
type Reply = (delivery: Omit<Delivery, 'status'>) => number;

/** In the place of a status: the connection ends without an answer. */
export const CUT = -1;
/** In the place of a status: nothing is answered, and the connection stays. */
export const HELD = -2;

/**
 * The length of one wait, in milliseconds. If this process is suspended during a wait, at most this much counts as
 * waiting time.
 */
const SLICE_MS = 250;
/** The most bytes of a delivery. */
const MOST_BYTES = 1 << 20;
/** The most deliveries that are kept. */
const MOST_DELIVERIES = 5000;

/** A server on this machine that receives webhooks, and keeps a limited number of them. */
export class Receiver {
  readonly deliveries: Delivery[] = [];
  reply: Reply = () => 204;
  /** The header Retry-After of refusals; null for none. */
  retryAfter: string | null = null;
  /**
   * The times at which senders without an answer have closed the connection, by the numbers of the deliveries, in
   * milliseconds.
   */
  readonly left = new Map<number, number>();
  private readonly server: Server;
  private waiting: Array<() => void> = [];

  private constructor() {
    this.server = createServer((request, response) => void this.take(request, response));
  }

  /** Begins to listen, on a free port of 127.0.0.1. */
  static async listen(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve, reject) => {
      receiver.server.once('error', reject);
      receiver.server.listen(0, '127.0.0.1', resolve);
    });
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /**
   * Waits until a condition holds, which is evaluated after each delivery; returns whether it holds. Time in which this
   * process is stopped does not count.
   */
  async until(isSo: () => boolean, milliseconds: number): Promise<boolean> {
    for (let left = milliseconds; !isSo(); ) {
      if (left <= 0) return false;
      const most = Math.min(left, SLICE_MS);
      const since = performance.now();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push(resolve);
      const timer = setTimeout(resolve, most);
      await promise;
      clearTimeout(timer);
      left -= Math.min(performance.now() - since, most);
    }
    return true;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const part of request as AsyncIterable<Buffer>) {
        bytes += part.length;
        if (bytes > MOST_BYTES || this.deliveries.length >= MOST_DELIVERIES) return void request.destroy();
        parts.push(part);
      }
    } catch {
      // The sender has closed the connection: there is no delivery.
      return;
    }
    const delivery: Omit<Delivery, 'status'> = {
      target: request.url ?? '',
      method: request.method ?? '',
      header: (name) => {
        const value = request.headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      },
      body: Buffer.concat(parts).toString(),
      number: this.deliveries.length,
      at: performance.now(),
    };
    const status = this.reply(delivery);
    this.deliveries.push({ ...delivery, status });
    if (status === CUT) request.socket.destroy();
    else if (status === HELD) response.once('close', () => this.leave(delivery.number));
    else
      response
        .writeHead(status, {
          ...(status >= 300 && status < 400 && { location: '/elsewhere' }),
          ...(status >= 300 && this.retryAfter !== null && { 'retry-after': this.retryAfter }),
        })
        .end();
    this.wake();
  }

  private leave(number: number): void {
    this.left.set(number, performance.now());
    this.wake();
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
