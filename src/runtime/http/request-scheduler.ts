import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Client } from './client-address.ts';
import { FirstHead } from './first-head.ts';
import type { Head } from './framing.ts';

/** How many requests are begun at a time: of thousands in one turn, the first answers leave before the last is begun. */
const REQUESTS_AT_ONCE = 256;

/** With how many requests waiting a connection is read no further until all of its answers have left. */
const PIPELINED = 64;

/** With how much that its client has not taken in, in bytes, no further request of a connection is begun. */
const UNREAD = 65_536;

/** One client’s connection. */
export interface Connection {
  /** The address of its peer, which the socket no longer knows once that has gone; empty for a Unix socket. */
  readonly address: string;
  /** Its peer, where that asks for itself. */
  readonly itself: Client;
  /** The head of its first request, until that has come whole. */
  firstHead: FirstHead | null;
  /** Its requests that have not been begun, in the order in which they came. */
  readonly waiting: Answering[];
  /** Whether the connection is queued for its first waiting request to begin. */
  inLine: boolean;
  /** Whether a request of the connection has begun and is not answered. */
  busy: boolean;
  /** The bytes of answer bodies that have not been sent yet. */
  unread: number;
  /** The response to the newest request; null once it has left whole. */
  last: ServerResponse | null;
  /** True once an answer has announced the end of the connection: later input is not read as requests. */
  closing: boolean;
  /** True once HTTP couldn’t read what came: a body that hasn’t ended by then never will. */
  broken: boolean;
  /** Ends the reading of the body that is being read. */
  breakOff: (() => void) | null;
}

/** A request while it is answered. */
export interface Answering {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Whether the body waits to be asked for (RFC 9110, section 10.1.1), and has not been. */
  continues: boolean;
  /** When its head had come, in milliseconds since the epoch. */
  readonly arrived: number;
  /** Whether it is of HTTP/1: Node takes other protocols for it. */
  readonly http: boolean;
  readonly head: Head;
  /** The length of its answer’s body, in bytes. */
  size: number;
}

/** A client’s new connection. */
export function connected(socket: Socket): Connection {
  const waiting: Answering[] = [];
  const address = socket.remoteAddress ?? '';
  // Node reads on after each request that is whole.
  socket.on('resume', () => waiting.length >= PIPELINED && socket.pause());
  return {
    address,
    itself: { address, host: null },
    firstHead: new FirstHead(socket),
    waiting,
    inLine: false,
    busy: false,
    unread: 0,
    last: null,
    closing: false,
    broken: false,
    breakOff: null,
  };
}

/**
 * Whose request is begun next. Requests of one turn are begun together once all of its bytes have been read: bodies that
 * come with them are whole then, and what answers a request is not pushed out of the processor's caches by what reads
 * the next.
 */
export class RequestScheduler {
  /** Connections of which a request can be begun. */
  private readonly line: Connection[] = [];
  /** How many requests have come since some were begun. */
  private came = 0;
  /** Whether some are begun at the end of this turn. */
  private due = false;
  private readonly answer: (to: Answering) => Promise<void> | null;
  private readonly whenBegun: () => void;

  /**
   * `answer` begins a request, and returns null where it is answered at once; `whenBegun` is called once the requests
   * of a turn have begun.
   */
  constructor(answer: (to: Answering) => Promise<void> | null, whenBegun: () => void) {
    this.answer = answer;
    this.whenBegun = whenBegun;
  }

  /** Queues a new request. */
  take(to: Answering): void {
    const { connection, request, response } = to;
    // Bounds the queue, however many requests the connections send. This request begins later: its body is not read yet.
    if (++this.came > REQUESTS_AT_ONCE) this.begin();
    connection.last = response;
    response.on('close', () => this.left(to));
    if (connection.waiting.push(to) >= PIPELINED) request.socket.pause();
    this.lineUp(connection);
  }

  /**
   * Queues a connection that has a waiting request and none in progress: pipelined requests may depend on each other
   * (RFC 9112, section 9.3.2). A client that doesn't read its answers gets no further ones.
   */
  private lineUp(connection: Connection): void {
    if (connection.inLine || connection.busy || connection.closing) return;
    if (connection.waiting.length === 0 || connection.unread > UNREAD) return;
    connection.inLine = true;
    this.line.push(connection);
    this.beginLater();
  }

  private beginLater(): void {
    if (this.due) return;
    this.due = true;
    setImmediate(() => {
      this.due = false;
      this.begin();
    });
  }

  /** Begins a request of each connection, and again: whoever sends many at once takes nobody else’s turn. */
  private begin(): void {
    const { line } = this;
    this.came = 0;
    let begun = 0;
    for (; begun < Math.min(line.length, REQUESTS_AT_ONCE); begun++) {
      const connection = line[begun]!;
      connection.inLine = false;
      this.beginNext(connection);
      this.lineUp(connection);
    }
    this.whenBegun();
    line.splice(0, begun);
    if (line.length) this.beginLater();
  }

  private beginNext(connection: Connection): void {
    const to = connection.waiting.shift()!;
    try {
      const late = this.answer(to);
      if (late) void this.wait(to, late);
    } catch {
      to.request.socket.destroy();
    }
  }

  private async wait({ connection, request }: Answering, late: Promise<void>): Promise<void> {
    connection.busy = true;
    try {
      await late;
    } catch {
      // An answer that can't be given is this connection's end, and never the process's.
      request.socket.destroy();
    }
    connection.busy = false;
    this.lineUp(connection);
  }

  /** An answer has left whole, or nobody is there to take it. */
  private left({ connection, request, response, size }: Answering): void {
    connection.unread -= size;
    if (connection.last === response) {
      connection.last = null;
      if (request.socket.isPaused()) request.socket.resume();
    }
    this.lineUp(connection);
  }
}
