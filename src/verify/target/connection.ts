import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AnswerReader, type Reading, ReadingError } from './answer-reader.ts';
import type { Answer, NoAnswer, Request } from './exchange.ts';

/** The address of a service. */
export interface Place {
  /** The scheme, host and port as the person who tests wrote them, for messages. */
  readonly name: string;
  /** The address that is connected to, which was checked: a name is not looked up again. */
  readonly address: string;
  /** The other addresses that the name has, in the order in which they are tried. */
  readonly others: readonly string[];
  readonly port: number;
  readonly tls: boolean;
  /** The value of Host. */
  readonly host: string;
  /** The prefix of every path: empty, or `/` and more without `/` at its end. */
  readonly base: string;
  /** Whether the certificate has to be one that this machine trusts. */
  readonly trusted: boolean;
}

/**
 * One connection for one request, to the byte: requests that an HTTP client would refuse or change can be sent. A
 * connection is used once, so that no answer can belong to another request.
 */
export class Connection {
  private readonly place: Place;
  private readonly socket: Socket;
  private readonly outcome = Promise.withResolvers<Answer | NoAnswer>();
  private readonly connected = Promise.withResolvers<void>();
  private reader: AnswerReader | null = null;
  private readonly timer: NodeJS.Timeout;
  /** The timer that sends the delayed last byte. */
  private held: NodeJS.Timeout | undefined;
  private isConnected = false;
  private settled = false;

  /** Connects. `milliseconds` limits the whole exchange, so that an answer that trickles in ends too. */
  constructor(place: Place, milliseconds: number) {
    this.place = place;
    this.timer = setTimeout(() => this.fail('timed out', this.late(milliseconds)), milliseconds);
    const { address: host, port, tls } = place;
    const servername = new URL(place.name).hostname.replace(/^\[|\]$/g, '');
    this.socket = tls
      ? connectTls({
          host,
          port,
          rejectUnauthorized: place.trusted,
          ...(isIP(servername) === 0 && { servername }),
        })
      : connect({ host, port });
    this.socket.setNoDelay(true);
    this.socket.once(tls ? 'secureConnect' : 'connect', () => {
      this.isConnected = true;
      this.connected.resolve();
    });
    this.socket.on('data', (bytes: Buffer) => this.take(bytes));
    this.socket.on('error', (error: NodeJS.ErrnoException) => this.broken(error));
    this.socket.on('close', () => this.broken(null));
  }

  /** Whether a request can be sent, or was. */
  get isMade(): boolean {
    return this.isConnected;
  }

  /** Resolves once a request can be sent, or once it is known that none can be. */
  ready(): Promise<void> {
    return this.connected.promise;
  }

  /** Sends a request; resolves to its answer, or to the reason why there is none. Never rejects. */
  exchange(request: Request, reading: Reading): Promise<Answer | NoAnswer> {
    this.reader = new AnswerReader(reading);
    const bytes = bytesOf(request, this.place);
    const held = request.late === undefined ? bytes.length : bytes.length - 1;
    if (!this.settled) this.socket.write(bytes.subarray(0, held));
    if (request.late !== undefined) this.held = setTimeout(() => this.socket.write(bytes.subarray(held)), request.late);
    return this.outcome.promise;
  }

  /** Removes the time limit: the connection now carries a stream. */
  last(): void {
    clearTimeout(this.timer);
  }

  /** Ends the connection. Returns the reason if it could not be made; otherwise null. */
  async close(): Promise<NoAnswer | null> {
    const { isConnected } = this;
    this.fail('closed', 'The connection was closed by the test.');
    const outcome = await this.outcome.promise;
    return isConnected || !('failed' in outcome) ? null : outcome;
  }

  private take(bytes: Buffer): void {
    const { reader } = this;
    if (!reader || this.settled) return;
    try {
      reader.take(bytes);
      if (reader.answer) this.settle(reader.answer);
    } catch (error) {
      if (!(error instanceof ReadingError)) throw error;
      this.fail(error.failed, `${error.message} Ninefold closed the connection.`);
    }
  }

  /** The socket has ended: an answer without a length ends with it. */
  private broken(error: NodeJS.ErrnoException | null): void {
    if (this.settled) return;
    const { reader, isConnected } = this;
    if (!isConnected) {
      this.fail('not reached', `${this.place.name} can’t be reached: ${whyNot(error)}.`);
      return;
    }
    if (error === null && reader?.end() && reader.answer) {
      this.settle(reader.answer);
      return;
    }
    const when = reader?.any ? 'before its answer was whole' : 'without an answer';
    const how = error?.code === undefined ? '' : ` (${error.code})`;
    this.fail('closed', `The service closed the connection ${when}${how}.`);
  }

  private late(milliseconds: number): string {
    if (!this.isConnected) return `No connection was made within ${milliseconds} ms.`;
    if (!this.reader?.any) return `No answer came within ${milliseconds} ms.`;
    const open =
      'It has neither Content-Length nor Transfer-Encoding, so it ends with its connection, which stays open.';
    return `The answer was not whole after ${milliseconds} ms.${this.reader.isUntilClosed ? ` ${open}` : ''}`;
  }

  private fail(failed: NoAnswer['failed'], detail: string): void {
    this.settle({ failed, detail });
  }

  private settle(outcome: Answer | NoAnswer): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    clearTimeout(this.held);
    this.socket.destroy();
    this.connected.resolve();
    this.outcome.resolve(outcome);
  }
}

/** Why a connection was not made, in words. */
function whyNot(error: NodeJS.ErrnoException | null): string {
  switch (error?.code) {
    case 'ECONNREFUSED':
      return 'nothing listens on this port';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'no route leads to this address';
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'it does not use TLS; try http://';
    default:
      return error?.message ?? 'the connection was closed before it was made';
  }
}

/**
 * The bytes of a request. Its headers are sent unchanged; Host, Content-Length and Connection are added where they are
 * missing, and Content-Length only for a body without a transfer coding.
 */
function bytesOf({ method, target, headers, body }: Request, { host, base }: Pick<Place, 'host' | 'base'>): Buffer {
  const has = (name: string): boolean => headers.some(([one]) => one.toLowerCase() === name);
  const all = [...headers.map(([name, value]) => `${name}: ${value}`)];
  if (!has('host')) all.unshift(`Host: ${host}`);
  if (body !== null && !has('content-length') && !has('transfer-encoding')) all.push(`Content-Length: ${body.length}`);
  if (!has('connection')) all.push('Connection: close');
  const line = `${method} ${target.startsWith('/') ? base : ''}${target} HTTP/1.1`;
  const head = Buffer.from(`${[line, ...all].join('\r\n')}\r\n\r\n`);
  return body === null ? head : Buffer.concat([head, body]);
}
