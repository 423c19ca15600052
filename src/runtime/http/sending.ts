import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Alarm } from './alarm.ts';
import type { Answer } from './message.ts';

/** An answer that is ready. */
export interface Sending {
  readonly response: ServerResponse;
  readonly answer: Answer;
  /** The length of the body. */
  readonly bytes: number;
  /** Whether the connection ends after the answer. */
  readonly last: boolean;
  /** The request whose body is incomplete; null where it is complete. */
  readonly rest: IncomingMessage | null;
}

/** The longest time for which the unread rest of a body is received and dropped, in milliseconds. */
export const LINGER_MS = 1000;

/** Sends an answer whole. */
export function send({ response, answer, bytes, last, rest }: Sending): void {
  if (response.destroyed) return;
  const { headers, body, status } = answer;
  if (body !== null) headers.push('Content-Length', String(bytes));
  else if (status !== 204 && status !== 304 && !answer.endless) headers.push('Content-Length', '0');
  if (last) headers.push('Connection', 'close');
  response.writeHead(status, headers);
  if (rest) linger(rest, response, body);
  else response.end(body ?? undefined);
  // The system takes all bytes at once for which its buffer has room.
  if (response.writableLength > 0) insist(response);
}

/** The longest time for a client to receive an answer, in milliseconds: unread bytes are held in memory. */
const READ_TIMEOUT_MS = 30_000;

/** Closes the connection if the client doesn't receive the answer in time. */
function insist(response: ServerResponse): void {
  const timer = setTimeout(() => response.req.socket.destroy(), READ_TIMEOUT_MS);
  timer.unref();
  const over = (): void => clearTimeout(timer);
  response.once('finish', over).once('close', over);
}

/** The size of a streamed piece, in bytes. */
const PIECE = 16_384;

/** Streams an answer. `last`: the connection ends with it. */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  last: boolean,
): Promise<void> {
  const { socket } = request;
  const gone = Promise.withResolvers<void>();
  response.once('close', gone.resolve);
  // An answer that is queued behind others gets no event when its connection closes (Node 22).
  socket.once('close', gone.resolve);
  const isGone = (): boolean => response.destroyed || socket.destroyed;
  // A client that ends its side during an endless answer counts as gone.
  if (!answer.stream!.finite) socket.once('end', () => socket.destroy());
  if (isGone()) gone.resolve();
  request.resume();
  if (last) answer.headers.push('Connection', 'close');
  if (!isGone()) {
    response.writeHead(answer.status, answer.headers);
    response.flushHeaders();
  }
  await answer.stream!.run({
    gone: gone.promise,
    breakOff: () => socket.resetAndDestroy(),
    write: async (piece, patience) => {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      for (let at = 0; at < bytes.length; at += PIECE) {
        if (isGone()) return false;
        if (response.write(bytes.subarray(at, at + PIECE))) continue;
        if (await drained(response, socket, patience)) continue;
        socket.destroy();
        return false;
      }
      return !isGone();
    },
  });
  response.end();
  if (response.writableLength > 0) insist(response);
}

/**
 * Resolves to whether there is room again, before the reader has gone or a time has passed. Its listeners are removed
 * at the end: a promise of the stream's lifetime would keep memory for every wait until the stream ends.
 */
async function drained(response: ServerResponse, socket: Socket, patience: number): Promise<boolean> {
  const room = Promise.withResolvers<boolean>();
  const drain = (): void => room.resolve(true);
  const gone = (): void => room.resolve(false);
  const alarm = new Alarm(patience, gone);
  response.once('drain', drain).once('close', gone);
  socket.once('close', gone);
  const taken = await room.promise;
  alarm.clear();
  response.off('drain', drain).off('close', gone);
  socket.off('close', gone);
  return taken;
}

/**
 * Sends an answer, and closes the connection only once the rest of the request has arrived or a while has passed:
 * closing with unread bytes resets the connection, and the client may lose the answer (RFC 9112, section 9.6).
 */
function linger(request: IncomingMessage, response: ServerResponse, body: string | null): void {
  if (body === null || request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end);
  request.once('error', end);
  request.once('close', end);
  request.resume();
}
