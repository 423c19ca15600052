import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { sentTrace, Traces } from '../tracing/trace.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { Alarm, within } from './alarm.ts';
import { type Client, clientOf, type TrustedProxies } from './client-address.ts';
import {
  authorityOf,
  codingIsSound,
  headOf,
  hostIsSound,
  isBodiless,
  isHttp,
  originForm,
  targetIsSound,
} from './framing.ts';
import { type ListeningPlace, listenAt } from './listening.ts';
import type { Answer, Answerer, BodyEnd, BodyRead, Handled, Incoming, TakePiece } from './message.ts';
import { type Answering, type Connection, connected, RequestScheduler } from './request-scheduler.ts';
import { LINGER_MS, type Sending, send, sendStream } from './sending.ts';

/** A request that has been answered. */
export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  readonly handled: Handled;
  /** From the request's head to its answer, or to the head of a stream. */
  readonly seconds: number;
  /** The length of the answer's body. */
  readonly bytes: number;
}

type Answered = (request: AnsweredRequest) => void;

/** Invalid input that was answered. */
export interface Malformed {
  /** Node's code of the fault, such as `HPE_INVALID_METHOD`; null where Node could parse the input. */
  readonly fault: string | null;
  readonly answer: Answer;
}

interface HttpOptions {
  readonly answered: Answered;
  readonly malformed: (what: Malformed) => void;
  /** The proxies in front of the service; null where none is trusted. */
  readonly proxies: TrustedProxies | null;
  /** Called once, for the first request that names its client while no proxy is trusted. */
  readonly untrusted: () => void;
  /** Makes the spans of requests; null where tracing is off. */
  readonly tracing: Tracing | null;
}

/**
 * The longest time for a request's head where the document states no time-out, in milliseconds: HTTP needs a limit
 * before there is a request to answer.
 */
const HEAD = 10_000;

/** The service port. All answers come from the handler, except those that HTTP itself requires. */
export class HttpServer {
  private readonly server: Server;
  private readonly connections = new Map<Socket, Connection>();
  private readonly answered: Answered;
  private readonly malformed: HttpOptions['malformed'];
  private readonly proxies: TrustedProxies | null;
  private untrusted: (() => void) | null;
  private readonly traces = new Traces();
  private readonly tracing: Tracing | null;
  private handler: Answerer;
  private readonly turns = new RequestScheduler(
    (to) => this.respond(to),
    () => this.begun(),
  );
  /** Answers that are ready, in the order in which they are sent. */
  private readonly leaving: Sending[] = [];

  constructor(handler: Answerer, options: HttpOptions) {
    this.handler = handler;
    this.answered = options.answered;
    this.malformed = options.malformed;
    this.proxies = options.proxies;
    this.untrusted = options.proxies ? null : options.untrusted;
    this.tracing = options.tracing;
    this.server = createServer({
      headersTimeout: handler.timeout ?? HEAD,
      connectionsCheckingInterval: Math.min(1000, handler.timeout ?? HEAD),
      // The endpoint's time-out, if there is one, limits the time of the body.
      requestTimeout: 0,
      keepAliveTimeout: 60_000,
      // The code here checks Host, since Node ignores a second one.
      requireHostHeader: false,
      insecureHTTPParser: false,
      // A request without Content-Length and Transfer-Encoding has no body, and needs no stream for one (Node 24.12).
      optimizeEmptyRequests: true,
    });
    // Node silently drops headers beyond a number: only their size is limited instead (431).
    this.server.maxHeadersCount = 0;
    // A client that ends its side after its last request is still answered.
    Object.assign(this.server, { httpAllowHalfOpen: true, maxHeaderSize: handler.headSize });
    this.server.on('connection', (socket) => {
      this.connections.set(socket, connected(socket));
      socket.on('close', () => this.connections.delete(socket));
    });
    this.server.on('request', (request, response) => this.take(request, response, false));
    this.server.on('checkContinue', (request, response) => this.take(request, response, true));
    // Without a listener, Node answers 417 itself; an unknown expectation is ignored instead.
    this.server.on('checkExpectation', (request, response) => this.take(request, response, false));
    this.server.on('connect', (request, socket) => this.takeConnect(request, socket as Socket));
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.breakOff(error, socket as Socket));
  }

  /** Replaces the handler by another document's; requests in progress keep theirs. */
  use(handler: Answerer): void {
    this.handler = handler;
    this.server.headersTimeout = handler.timeout ?? HEAD;
    // Open connections keep their limit.
    Object.assign(this.server, { maxHeaderSize: handler.headSize });
  }

  /** Listens; resolves to the port, or to null for a socket. Rejects where the place is not available. */
  listen(place: ListeningPlace): Promise<number | null> {
    return listenAt(this.server, place);
  }

  /**
   * Stops listening, lets requests in progress finish (for at most `grace` milliseconds), and closes every connection.
   */
  async close(grace: number): Promise<void> {
    const { server } = this;
    // Node counts a connection as idle once its answer has been written, and would close it before all bytes are sent.
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => {};
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    void this.nothingOwed().then(closeIdle);
    await within(closed, grace);
    for (const socket of this.connections.keys()) socket.destroy();
    await closed;
  }

  /** Resolves once every answer has been sent. */
  private async nothingOwed(): Promise<void> {
    for (;;) {
      const owed = [...this.connections.values()].flatMap(({ last }) => last ?? []);
      if (owed.length === 0) return;
      await Promise.all(owed.map(hasLeft));
    }
  }

  private take(request: IncomingMessage, response: ServerResponse, continues: boolean): void {
    const connection = this.connections.get(request.socket);
    if (!connection) return;
    const arrived = Date.now();
    const head = headOf(request.rawHeaders);
    const { firstHead } = connection;
    const http = isHttp(request, firstHead !== null, () => firstHead?.bytes() ?? bytesOf(request));
    firstHead?.end();
    connection.firstHead = null;
    this.turns.take({ request, response, connection, continues, arrived, http, head, size: 0 });
  }

  /**
   * Queues an answer, so that answers are sent together: a client that the first one wakes finds the others, and
   * doesn't wake for each. An answer that is ready when its request begins is sent once all requests of the turn have
   * begun; a later one at the next tick, with all that are ready by then.
   */
  private leave(late: boolean, sending: Sending): void {
    if (this.leaving.push(sending) === 1 && late) process.nextTick(() => this.flush());
  }

  /**
   * Sends the queued answers once the requests of a turn have begun, and lets the store commit their writes together.
   */
  private begun(): void {
    this.flush();
    this.handler.begun();
  }

  private flush(): void {
    for (const sending of this.leaving.splice(0))
      try {
        send(sending);
      } catch {
        // An answer that can't be written ends its connection, but never the process.
        sending.response.destroy();
      }
  }

  /**
   * Takes a CONNECT request, which is routed like any other: Node passes the socket and no response, and a socket has
   * one response at a time.
   */
  private takeConnect(request: IncomingMessage, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.on('finish', () => socket.destroySoon());
    const before = this.connections.get(socket)?.last;
    if (before) before.on('close', () => socket.destroyed || response.assignSocket(socket));
    else response.assignSocket(socket);
    this.take(request, response, false);
  }

  /** Answers a request at once, unless something must be waited for. */
  private respond(to: Answering): Promise<void> | null {
    const { request, response, connection, arrived, head } = to;
    const { handler } = this;
    const { method = 'GET', url = '/', rawHeaders, httpVersion } = request;
    if (!to.http || !targetIsSound(url) || !hostIsSound(head, httpVersion) || !codingIsSound(head, httpVersion)) {
      connection.closing = true;
      const answer = handler.wire('malformed HTTP') ?? bare(400);
      this.malformed({ fault: null, answer });
      send({ response, answer, bytes: bytesIn(answer), last: true, rest: restOf(to) });
      return null;
    }
    const target = originForm(url);
    const cut = target.indexOf('?');
    const sentBy = sentTrace(head.traceparent);
    const span = this.tracing?.request(method, sentBy, arrived);
    const trace = span?.trace ?? sentBy ?? this.traces.begun();
    const client = this.clientOf(to);
    const incoming: Incoming = {
      method,
      path: cut < 0 ? target : target.slice(0, cut),
      query: cut < 0 ? null : target.slice(cut + 1),
      authority: client.host ?? (target === url ? null : authorityOf(url)),
      rawHeaders,
      address: client.address,
      trace,
      arrived,
      now: handler.now(),
      body: (most, deadline) => {
        if (to.continues) response.writeContinue();
        to.continues = false;
        return readBody(request, connection, most, deadline);
      },
      receive: (most, deadline, take) => {
        if (to.continues) response.writeContinue();
        to.continues = false;
        return receiveBody(request, connection, { most, deadline, take });
      },
    };
    const handled = handler.handle(incoming);
    const sent = (one: Handled, waited: boolean): Promise<void> | null => {
      span?.answered(method, one.endpoint, one.answer.status, one.answer.code);
      const bytes = bytesIn(one.answer);
      this.answered({ id: trace.id, method, handled: one, seconds: (Date.now() - arrived) / 1000, bytes });
      return this.answer(to, one.answer, bytes, waited);
    };
    return handled instanceof Promise ? handled.then((one) => sent(one, true) ?? undefined) : sent(handled, false);
  }

  private clientOf({ request, connection, head }: Answering): Client {
    if (this.proxies) return clientOf(connection.address, request.rawHeaders, this.proxies);
    if (this.untrusted && head.tellsOfClient) {
      this.untrusted();
      this.untrusted = null;
    }
    return connection.itself;
  }

  /** Sends the answer to a request. */
  private answer(to: Answering, answer: Answer, bytes: number, late: boolean): Promise<void> | null {
    const { request, response, connection, head, continues } = to;
    // If part of a body is unread, the connection is closed: the rest would be parsed as the next request, or waited
    // for, and a body after `Expect: 100-continue` may or may not come (RFC 9110, section 10.1.1). After an upgrade
    // request that was not accepted, Node no longer reports invalid input.
    const whole = isBodiless(head) || request.complete;
    const last = this.handler.draining || !whole || continues || request.method === 'CONNECT' || head.upgrades;
    connection.closing = last || !response.shouldKeepAlive;
    if (answer.stream) {
      // An endless answer ends with its connection.
      const ends = last || !answer.stream.finite;
      connection.closing ||= ends;
      return sendStream(request, response, answer, ends);
    }
    to.size = bytes;
    connection.unread += to.size;
    this.leave(late, { response, answer, bytes, last, rest: restOf(to) });
    return null;
  }

  /** Returns the answer to input that is not valid HTTP: the document's, or a bare status. */
  private answerTo(code: string | undefined): Answer {
    if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return bare(413);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return bare(408);
    if (code === 'HPE_HEADER_OVERFLOW') return this.handler.wire('headers too large') ?? bare(431);
    return this.handler.wire('malformed HTTP') ?? bare(400);
  }

  /**
   * Ends a connection whose input is not valid HTTP or came too slowly: once complete requests have been answered,
   * sends the document's answer or a bare status.
   */
  private async breakOff(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    const connection = this.connections.get(socket);
    if (!connection || error.code === 'ECONNRESET') return void socket.destroy();
    connection.broken = true;
    connection.breakOff?.();
    while (connection.last && !connection.closing) await hasLeft(connection.last);
    if (connection.closing) return;
    connection.closing = true;
    if (!socket.writable) return void socket.destroy();
    const answer = this.answerTo(error.code);
    this.malformed({ fault: error.code ?? null, answer });
    socket.end(written(answer));
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('end', () => socket.destroy());
    socket.resume();
  }
}

/** Returns the bytes that ended a request's head, while Node's parser runs; null where they are not available. */
function bytesOf({ socket }: IncomingMessage): Buffer | null {
  const { parser } = socket as { readonly parser?: { getCurrentBuffer?(): Buffer | undefined } };
  return parser?.getCurrentBuffer?.() ?? null;
}

/** Returns the request, where its body is incomplete. */
const restOf = ({ request, connection, head }: Answering): IncomingMessage | null =>
  isBodiless(head) || request.complete || connection.broken ? null : request;

/** Resolves once an answer has been sent completely, or its connection is closed. */
const hasLeft = (response: ServerResponse): Promise<unknown> =>
  new Promise((resolve) => {
    response.once('close', resolve);
    response.req.socket.once('close', resolve);
  });

/** The length of an answer’s body. */
const bytesIn = ({ body }: Answer): number => (body === null ? 0 : Buffer.byteLength(body));

/** Returns an answer without headers and body, for errors that the document does not describe. */
const bare = (status: number): Answer => ({ status, headers: [], body: null });

/** Writes an answer to invalid input as text: without a request, Node has no response to write it. */
function written({ status, headers, body }: Answer): string {
  const pairs = ['Date', new Date().toUTCString(), ...headers, 'Content-Length', String(Buffer.byteLength(body ?? ''))];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < pairs.length; at += 2) head += `${pairs[at]}: ${pairs[at + 1]}\r\n`;
  return `${head}Connection: close\r\n\r\n${body ?? ''}`;
}

/**
 * Reads a body of at most `most` bytes until `deadline` (milliseconds since the epoch); returns it at once where it is
 * complete.
 */
function readBody(
  request: IncomingMessage,
  connection: Connection,
  most: number,
  deadline: number,
): Promise<BodyRead> | BodyRead {
  if (request.complete && !request.destroyed && Date.now() <= deadline) {
    const chunks: Buffer[] = [];
    for (let chunk = request.read(); chunk !== null; chunk = request.read()) chunks.push(chunk as Buffer);
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    return body.length > most ? 'too large' : body;
  }
  return new Promise((resolve) => {
    // A closed socket emits nothing more, not even the end of a complete body.
    if (request.destroyed || (connection.broken && !request.complete)) return resolve('broken off');
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (read: BodyRead): void => {
      alarm.clear();
      connection.breakOff = null;
      request.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff);
      if (!Buffer.isBuffer(read)) request.pause();
      resolve(read);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > most) finish('too large');
      else chunks.push(chunk);
    };
    const end = (): void => finish(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    const breakOff = (): void => finish('broken off');
    const alarm = new Alarm(deadline - Date.now(), () => finish('too slow'));
    connection.breakOff = () => {
      // A body that was complete before the invalid input is valid.
      if (!request.complete) finish('broken off');
    };
    request.on('data', take).once('end', end).once('error', breakOff).once('close', breakOff);
  });
}

/**
 * Gives a body of at most `most` bytes to `take`, piece by piece, until `deadline`. While `take` works, the client waits.
 */
function receiveBody(
  request: IncomingMessage,
  connection: Connection,
  { most, deadline, take }: { readonly most: number; readonly deadline: number; readonly take: TakePiece },
): Promise<BodyEnd> {
  return new Promise((resolve, reject) => {
    if (request.destroyed || (connection.broken && !request.complete)) return resolve('broken off');
    let size = 0;
    let isBusy = false;
    let isEnded = false;
    let isOver = false;
    const leave = (): void => {
      isOver = true;
      alarm.clear();
      connection.breakOff = null;
      request.off('data', piece).off('end', end).off('error', breakOff).off('close', breakOff);
    };
    const finish = (outcome: BodyEnd): void => {
      leave();
      if (outcome !== 'whole') request.pause();
      resolve(outcome);
    };
    const piece = (bytes: Buffer): void => {
      size += bytes.length;
      const taken = size > most ? null : take(bytes);
      if (size > most) finish('too large');
      if (!taken) return;
      isBusy = true;
      request.pause();
      taken.then(
        (isWanted) => {
          isBusy = false;
          if (isOver) return;
          if (!isWanted) finish('refused');
          else if (isEnded) finish('whole');
          else request.resume();
        },
        (error: unknown) => {
          leave();
          reject(error);
        },
      );
    };
    const end = (): void => {
      isEnded = true;
      if (!isBusy) finish('whole');
    };
    const breakOff = (): void => {
      if (!isEnded) finish('broken off');
    };
    const alarm = new Alarm(deadline - Date.now(), () => finish('too slow'));
    connection.breakOff = () => {
      if (!request.complete) finish('broken off');
    };
    request.on('data', piece).once('end', end).once('error', breakOff).once('close', breakOff);
  });
}
