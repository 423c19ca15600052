import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Answer, BodyRead, Incoming } from './exchange.ts';
import type { Handler } from './handle.ts';

/** Told of every request that has been answered; `seconds` is from its head to the end of its answer. */
export type Answered = (endpoint: string | null, method: string, status: number, seconds: number) => void;

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds that a request’s head may take; what HTTP needs before there is a request to answer. */
  readonly headMilliseconds: number;
  readonly answered: Answered;
}

/** The service port: the only file that knows sockets. It says nothing that the handler didn’t say, but for HTTP’s own. */
export class HttpServer {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private handler: Handler;

  constructor(handler: Handler, options: HttpOptions) {
    this.handler = handler;
    this.server = createServer(
      {
        headersTimeout: options.headMilliseconds,
        requestTimeout: options.headMilliseconds * 2,
        connectionsCheckingInterval: Math.min(1000, options.headMilliseconds),
        keepAliveTimeout: 60_000,
        requireHostHeader: true,
        insecureHTTPParser: false,
      },
      (request, response) => {
        void this.respond(request, response, options.answered);
      },
    );
    // Without a listener Node answers 417 and 404 of its own making; an unknown expectation is ignored instead.
    this.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      void this.respond(request, response, options.answered);
    });
    this.server.on('upgrade', (_request, socket) => socket.destroy());
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  /** Puts another document's handler in place; requests under way keep theirs. */
  use(handler: Handler): void {
    this.handler = handler;
  }

  /** Listens; gives the port (0 asks for a free one). Rejects where it can't be had. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  /** Stops listening, lets requests under way end (at most `grace` milliseconds), and closes every connection. */
  async close(grace: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    const timer = setTimeout(() => {
      for (const socket of this.sockets) socket.destroy();
    }, grace);
    await closed;
    clearTimeout(timer);
  }

  private async respond(request: IncomingMessage, response: ServerResponse, answered: Answered): Promise<void> {
    const { handler } = this;
    const started = Date.now();
    const url = request.url ?? '/';
    const cut = url.indexOf('?');
    const incoming: Incoming = {
      method: request.method ?? 'GET',
      path: cut < 0 ? url : url.slice(0, cut),
      query: cut < 0 ? null : url.slice(cut + 1),
      rawHeaders: request.rawHeaders,
      address: request.socket.remoteAddress ?? '',
      arrived: started,
      body: (most, deadline) => readBody(request, most, deadline),
    };
    const { answer, endpoint } = await handler.handle(incoming);
    send(request, response, answer, handler.draining);
    answered(endpoint, incoming.method, answer.status, (Date.now() - started) / 1000);
  }
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer, last: boolean): void {
  if (response.destroyed) return;
  const { headers, body, status } = answer;
  if (body !== null) headers.push('Content-Length', String(Buffer.byteLength(body)));
  else if (status !== 204) headers.push('Content-Length', '0');
  // What is left of a body that nobody read would be taken for the next request, or waited for.
  if (last || !request.complete) headers.push('Connection', 'close');
  response.writeHead(status, headers);
  response.end(body ?? undefined);
}

/** Reads a body of at most `most` bytes until `deadline` (milliseconds since the epoch). */
function readBody(request: IncomingMessage, most: number, deadline: number): Promise<BodyRead> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const left = deadline - Date.now();
    const timer = Number.isFinite(left) ? setTimeout(() => finish('too slow'), Math.max(0, left)) : undefined;
    const finish = (read: BodyRead): void => {
      clearTimeout(timer);
      request.removeAllListeners('data');
      if (!Buffer.isBuffer(read)) request.pause();
      resolve(read);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) finish('too large');
      else chunks.push(chunk);
    });
    request.once('end', () => finish(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once('error', () => finish('broken off'));
    request.once('close', () => finish('broken off'));
  });
}
