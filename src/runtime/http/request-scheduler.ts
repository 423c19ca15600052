import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Client } from './client-address.ts';
import type { Head } from './framing.ts';

/** The most requests that begin together: of thousands in one turn, the first are answered before the last begins. */
const REQUESTS_AT_ONCE = 256;

/** The number of waiting requests at which a connection is paused until all its answers have been sent. */
const PIPELINED = 64;

/** The number of unsent bytes at which no further request of a connection begins. */
const UNREAD = 65_536;

/** One client’s connection. */
export interface Connection {
  /** The address of the peer, which a closed socket no longer has; empty for a Unix socket. */
  readonly address: string;
  /** The client where the peer is no trusted proxy. */
  readonly itself: Client;
  /** The collector of the connection's first head; null once it is complete. */
  firstHead: FirstHead | null;
  /** Requests that have not begun, in the order of their arrival. */
  readonly waiting: Answering[];
  /** Whether the connection is queued for its first waiting request to begin. */
  inLine: boolean;
  /** Whether a request of the connection has begun and is not answered. */
  busy: boolean;
  /** The bytes of answer bodies that have not been sent yet. */
  unread: number;
  /** The response to the newest request; null once it has been sent completely. */
  last: ServerResponse | null;
  /** True once an answer has announced the end of the connection: later input is not read as requests. */
  closing: boolean;
  /** True once input can't be parsed: the body in progress will not end. */
  broken: boolean;
  /** Stops the reading of the body in progress. */
  breakOff: (() => void) | null;
}

/** A request that is being answered. */
export interface Answering {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Whether the client waits for 100 (Continue) before it sends the body (RFC 9110, section 10.1.1). */
  continues: boolean;
  /** When the request's head arrived, in milliseconds since the epoch. */
  readonly arrived: number;
  /** Whether the request is HTTP/1: Node accepts other protocols, too. */
  readonly http: boolean;
  readonly head: Head;
  /** The length of the answer's body, in bytes. */
  size: number;
}

/** A client’s new connection. */
export function connected(socket: Socket): Connection {
  const waiting: Answering[] = [];
  const address = socket.remoteAddress ?? '';
  // Node resumes the socket after each complete request.
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
 * Chooses the request that begins next. The requests of one turn begin together, once all its bytes have been parsed:
 * bodies that arrived with them are complete then, and answering does not alternate with parsing, which would evict
 * both from the processor's caches.
 */
export class RequestScheduler {
  /** Connections with a request that can begin. */
  private readonly line: Connection[] = [];
  /** The number of requests since some last began. */
  private came = 0;
  /** Whether requests will begin at the end of this turn. */
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

  /** Begins one request of each queued connection, so that a connection with many requests doesn't delay the others. */
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
      // An answer that fails ends its connection, but never the process.
      request.socket.destroy();
    }
    connection.busy = false;
    this.lineUp(connection);
  }

  /** An answer has been sent completely, or its client has gone. */
  private left({ connection, request, response, size }: Answering): void {
    connection.unread -= size;
    if (connection.last === response) {
      connection.last = null;
      if (request.socket.isPaused()) request.socket.resume();
    }
    this.lineUp(connection);
  }
}

/**
 * The members of Node's HTTP parser that are used here. The parser reads its socket directly, without the `data` event.
 */
interface Parser {
  /** The bytes that are being parsed; available while a callback of the parser runs. */
  getCurrentBuffer?(): Buffer | undefined;
  /** Called after each piece has been parsed. */
  [ON_EXECUTE]?: ((result: unknown) => void) | undefined;
}

/** The callback's number, `HTTPParser.kOnExecute`, which Node doesn't export. */
const ON_EXECUTE = 5;

/** Collects the bytes of a connection's first head, in any number of pieces, since Node doesn't keep them. */
class FirstHead {
  private readonly pieces: Buffer[] = [];
  private readonly parser: Parser | undefined;
  private readonly onExecute: ((result: unknown) => void) | undefined;

  constructor(socket: Socket) {
    const { parser } = socket as { readonly parser?: Parser };
    this.parser = parser;
    this.onExecute = parser?.[ON_EXECUTE];
    const { onExecute } = this;
    if (!parser || !onExecute) return;
    parser[ON_EXECUTE] = (result) => {
      const piece = parser.getCurrentBuffer?.();
      if (piece) this.pieces.push(piece);
      return onExecute(result);
    };
  }

  /** Returns all bytes of the head while its last piece is being parsed; null where they are not available. */
  bytes(): Buffer | null {
    const last = this.parser?.getCurrentBuffer?.();
    return last ? Buffer.concat([...this.pieces, last]) : null;
  }

  /** Ends the collection once the head is complete. */
  end(): void {
    if (this.parser && this.onExecute) this.parser[ON_EXECUTE] = this.onExecute;
  }
}
