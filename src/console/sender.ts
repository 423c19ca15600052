import { request as httpRequest, type IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { Hide } from './hidden-secrets.ts';
import { ConsoleError } from './problem.ts';

/** A request to the service. */
interface Outgoing {
  readonly method: string;
  /** The address of the service, and the path of the request. */
  readonly address: string;
  readonly path: string;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Buffer | null;
}

/** The response. */
interface Received {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string;
  readonly bodyCut: boolean;
  /** The number of bytes of the body that have come. */
  readonly bytes: number;
  readonly milliseconds: number;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
/** The largest part of a body that is read and shown, in bytes. */
const MOST_BYTES = 256 << 10;
/** The timeout of the start of a response, and the longest duration of its body, in milliseconds. */
const BEGIN_MS = 120_000;
const GO_ON_MS = 5000;

/**
 * Sends one request to the service over a new connection. Rejects with ConsoleError if no response arrives. `hide` is
 * applied to all texts of the response.
 */
export function sendOut(
  { method, address, path, headers, body }: Outgoing,
  hide: Hide = (text) => text,
): Promise<Received> {
  if (!METHODS.includes(method))
    throw new ConsoleError(
      'wrong use',
      `“${method}” is not a method of the console. The methods are ${METHODS.join(', ')}.`,
    );
  const { hostname, port } = new URL(address);
  const began = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const failed = (error: Error): void =>
    reject(new ConsoleError('unavailable', `The service has not answered: ${error.message}.`));
  try {
    const request = httpRequest(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path,
        headers: headers.flat(),
        agent: false,
        signal: AbortSignal.timeout(BEGIN_MS),
      },
      (response) =>
        void readBody(response, hide).then(
          (content) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: pairs(response.rawHeaders).map(([name, value]) => [name, hide(value)] as const),
              ...content,
              milliseconds: Math.round((performance.now() - began) * 10) / 10,
            }),
          failed,
        ),
    );
    request.on('error', failed);
    request.end(body ?? undefined);
  } catch (error) {
    // Node throws for characters that are not allowed in a request line or header.
    throw new ConsoleError(
      'wrong use',
      `The request can’t be sent: ${error instanceof Error ? error.message : error}.`,
    );
  }
  return promise;
}

/** The body, up to the size and time limits, because a stream of events has no end. */
async function readBody(response: IncomingMessage, hide: Hide): Promise<Pick<Received, 'body' | 'bodyCut' | 'bytes'>> {
  const chunks: Buffer[] = [];
  let length = 0;
  let ended = false;
  const late = setTimeout(() => response.destroy(), GO_ON_MS);
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MOST_BYTES) break;
    }
    ended = length <= MOST_BYTES;
  } catch {
    // The part of the body before the interruption is shown.
  } finally {
    clearTimeout(late);
    response.destroy();
  }
  const read = Buffer.concat(chunks).subarray(0, MOST_BYTES);
  // A decoder leaves out a character of which only some bytes have been read.
  const text = ended ? read.toString() : new StringDecoder().write(read);
  return { body: hide(text, !ended), bodyCut: !ended, bytes: length };
}

const pairs = (raw: readonly string[]): Array<readonly [string, string]> =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
