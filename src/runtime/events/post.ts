import type { LookupAddress } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http';
import { type RequestOptions, request as requestByHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Alarm } from '../http/alarm.ts';
import { type Lookup, resolveSafely } from './guard.ts';

/** One attempt to post. */
export interface PostRequest {
  /** An http: or https: URL without a user or password. */
  url: string;
  /** Sent as UTF-8. */
  body: string;
  /** Sent as given; `host`, `content-length` and `connection` are added. */
  headers: Readonly<Record<string, string>>;
  /** The whole attempt, from the look-up of the name to the end of the response, in milliseconds. */
  timeoutMs: number;
  /** Whether private addresses may be posted to. */
  allowPrivate: boolean;
  /** Stands in for the system's resolver. */
  lookup?: Lookup | undefined;
  /** Aborts the attempt, with the reason `stopped`. */
  signal?: AbortSignal | undefined;
  /** Called once the connection is open, before anything is sent; on false, nothing is sent. */
  still?: (() => boolean) | undefined;
  /** Called with the bytes of the body of the answer as they come, as far as the body is read. */
  read?: ((chunk: Buffer) => void) | undefined;
}

/** The outcome of an attempt; `reason` is a short stable text that quotes neither the URL nor the answer. */
export type Outcome =
  | { kind: 'delivered'; status: number }
  /** `retryAfter`: the header Retry-After of the answer, as it was sent. */
  | { kind: 'failed'; reason: string; status?: number; retryAfter?: string };

/** The option of node:net that node:http passes on, but does not declare. */
type Options = RequestOptions & { autoSelectFamilyAttemptTimeout: number };

const READ_AT_MOST_BYTES = 64 * 1024;
const NEXT_ADDRESS_AFTER_MS = 1000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  EADDRNOTAVAIL: 'host unreachable',
  EAFNOSUPPORT: 'host unreachable',
};

/**
 * Posts once, over a new connection to a checked address, and follows no redirect. A delivery succeeds with a complete
 * response of status 2xx (Standard Webhooks 1.0.0). Of its body 64 KiB are read, and a longer body is cut off there, which
 * doesn't change the outcome. Never rejects: each failure has a reason.
 */
export async function post(request: PostRequest): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const over = new AbortController();
  const stop = () => resolve(failed('stopped'));
  const { timeoutMs } = request;
  const alarm = new Alarm(timeoutMs, () => resolve(failed(`timed out after ${timeoutMs / 1000} s`)));
  request.signal?.addEventListener('abort', stop, { once: true });
  if (request.signal?.aborted) stop();
  else attempt(request, over.signal).then(resolve, () => resolve(failed('request not valid')));
  const outcome = await promise;
  alarm.clear();
  request.signal?.removeEventListener('abort', stop);
  over.abort();
  return outcome;
}

/**
 * Resolves the host, connects and sends the request; rejects if node:http refuses the request, such as for control
 * characters in a header.
 */
async function attempt(request: PostRequest, over: AbortSignal): Promise<Outcome> {
  const url = URL.parse(request.url);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return failed('URL not valid');
  if (url.username !== '' || url.password !== '') return failed('URL with credentials refused');
  const found = await resolveSafely(url.hostname, request.allowPrivate, request.lookup);
  if (found.kind === 'refused') return failed(found.reason);
  // The time-out may have passed during the look-up: nothing must be sent after it.
  if (over.aborted) return failed('stopped');
  return exchange(request, optionsFor(url, found.host, found.addresses, request, over), url.protocol === 'https:');
}

/** Sends the request and waits for the whole response, or as much of it as is read. */
function exchange(request: PostRequest, options: Options, secure: boolean): Promise<Outcome> {
  return new Promise((resolve) => {
    const asked: ClientRequest = secure ? requestByHttps(options) : requestByHttp(options);
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(failed(reasonOf(error, secure))));
    asked.on('response', (response) => drain(response, request.read).then(resolve));
    // Without a listener, an unexpected 101 would hang until the time-out.
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(judge(response.statusCode ?? 0));
    });
    // The process may have been suspended while connecting: a body written before would be sent after the lease's end.
    asked.on('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        if (request.still?.() ?? true) return void asked.end(request.body);
        resolve(failed('lease ended'));
        asked.destroy();
      });
    });
  });
}

/** Reads a response to its end, or up to the limit. A response that ends early is a failure. */
function drain(response: IncomingMessage, take: PostRequest['read']): Promise<Outcome> {
  return new Promise((resolve) => {
    const judged = judge(response.statusCode ?? 0, response.headers['retry-after']);
    const cut = () => resolve(judged.kind === 'delivered' ? failed('connection closed') : judged);
    let read = 0;
    response.on('data', (chunk: Buffer) => {
      read += chunk.length;
      take?.(chunk);
      if (read > READ_AT_MOST_BYTES) resolve(judged);
    });
    response.on('end', () => (response.complete ? resolve(judged) : cut()));
    response.on('error', cut);
    response.on('close', cut);
  });
}

function optionsFor(
  url: URL,
  host: string,
  addresses: readonly LookupAddress[],
  request: PostRequest,
  over: AbortSignal,
): Options {
  return {
    method: 'POST',
    host,
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    headers: { ...request.headers, 'content-length': Buffer.byteLength(request.body) },
    // A pooled connection could have been opened under the permission of another receiver.
    agent: false,
    lookup: pinned(addresses),
    // Node tries the next address after 250 ms, which is too short for a distant host.
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // SNI allows no addresses and no final dot (RFC 6066, section 3).
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    rejectUnauthorized: true,
    signal: over,
  };
}

/** Answers Node's look-up with the checked addresses, so that the name isn't resolved again. */
function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, done) => {
    const first = addresses[0];
    process.nextTick(() => {
      if (options.all) done(null, [...addresses]);
      else done(null, first?.address ?? '', first?.family);
    });
  };
}

function judge(status: number, retryAfter?: string): Outcome {
  if (status >= 200 && status <= 299) return { kind: 'delivered', status };
  const refused = failed(REDIRECTS.has(status) ? `redirect refused (${status})` : `status ${status}`);
  return { ...refused, status, ...(retryAfter !== undefined && { retryAfter }) };
}

function reasonOf(error: NodeJS.ErrnoException, secure: boolean): string {
  const code = error.code ?? '';
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'response not valid';
  // TLS errors have no common form in Node: OpenSSL's names (CERT_HAS_EXPIRED), ERR_TLS_…, ERR_SSL_… and EPROTO.
  if (secure && (code === 'EPROTO' || !/^(?:E[A-Z0-9]+)?$/.test(code))) return `TLS: ${code}`;
  return 'connection failed';
}

function failed(reason: string): Outcome & { kind: 'failed' } {
  return { kind: 'failed', reason };
}
