import {
  AGAIN,
  BODY_TYPE,
  type Code,
  type Credentials,
  codeIn,
  HEADERS,
  type Problem,
  SCHEMES,
  STATUS,
} from './document.ts';
import { parse } from './numbers.ts';
import {
  type Answer,
  ConnectionError,
  type Refusal,
  type Refused,
  type Result,
  UnexpectedAnswerError,
} from './result.ts';

/** What a client is made with. */
// #if schemes
export interface ClientOptions extends Credentials {
  // #else
  // export interface ClientOptions {
  // #end
  /** Where the service lives, such as `https://service.example`. */
  readonly baseUrl: string;
  /** How many milliseconds one attempt may take. Without it, any time. */
  readonly timeout?: number;
  /** How often a request is sent at most, where sending it again is safe. Without it, 4 times; 1 is once. */
  readonly attempts?: number;
  /** The pause before the second attempt, in milliseconds, twice as long before each further one. Without it, 250. */
  readonly pause?: number;
  /** The longest pause, in milliseconds. A refusal that asks for a longer one is not sent again. Without it, 30,000. */
  readonly longestPause?: number;
  /** Is told of each request, and of what came of it. Credentials are left out, and what it throws is ignored. */
  readonly observe?: (exchange: Exchange) => void;
  /** Sends requests. Without it, the platform’s `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** What one call may say of itself. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** As `timeout` of the client, for this call. */
  readonly timeout?: number | undefined;
  /** As `attempts` of the client, for this call. */
  readonly attempts?: number | undefined;
}

// #if keys
/** What a call with an idempotency key may say of itself. */
export interface IdempotentOptions extends CallOptions {
  /** The key, which is the same wherever this very request is sent again. Without it, a random one. */
  readonly idempotencyKey?: string | undefined;
}

// #end
// #if tags
/** What a call for a row as it was last seen may say of itself. */
export interface MatchOptions extends CallOptions {
  /** The entity tag that the row must still have. Where a call needs one, the last that the client received is sent without it. */
  readonly ifMatch?: string | undefined;
}

// #end
/** A request on its way, an answer to it, or what kept one from coming. */
export type Exchange =
  | (Sent & { readonly kind: 'request' })
  | (Sent & { readonly kind: 'answer'; readonly status: number; readonly answerHeaders: Headers })
  | (Sent & { readonly kind: 'failure'; readonly error: unknown });

interface Sent {
  readonly method: string;
  readonly url: string;
  /** What was sent, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** 1 for the first. */
  readonly attempt: number;
}

/** A request, as the methods of the client describe it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly headers?: object | undefined;
  /** The status of its success. */
  readonly status: number;
  // #if schemes
  /** The credentials that are taken. Without it, all. */
  readonly schemes?: ReadonlyArray<keyof Credentials>;
  // #end
  // #if once
  /** True for a method that may be repeated, of an endpoint that may not. */
  readonly once?: true;
  // #end
  // #if keys
  /** The header that tells a repetition from another request. */
  readonly keyHeader?: string;
  // #end
  // #if tags
  /** The row that an entity tag is of. */
  readonly row?: string;
  /** Whether the request is for the row as it was last seen. */
  readonly match?: true | 'given';
  // #end
}

/** A request, and what is made of its answer. */
interface Delivery<Data> {
  readonly call: Call;
  // #if keys
  // #if tags
  readonly given: IdempotentOptions & MatchOptions;
  // #else
  // readonly given: IdempotentOptions;
  // #end
  // #else tags
  // readonly given: MatchOptions;
  // #else
  // readonly given: CallOptions;
  // #end
  readonly read: (response: Response) => Promise<Data>;
}

// #if path
/** Parameters in a path. None may be empty or dots alone, which would make the path another one. */
export function path(parts: TemplateStringsArray, ...values: ReadonlyArray<string | number | boolean>): string {
  const encoded = values.map((value) => {
    const text = String(value);
    if (text === '' || text === '.' || text === '..') throw new TypeError(`“${text}” can’t stand in a path`);
    return encodeURIComponent(text);
  });
  return String.raw({ raw: parts }, ...encoded);
}

// #end
/** Values as they stand in a query or in headers: lists are joined by commas, and what is undefined is left out. */
const texts = (values: object = {}): Array<[string, string]> =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));

/** Waits, unless the signal ends it. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** How many milliseconds `Retry-After` asks for: it has seconds, or a day and a time. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const now = Date.parse(headers.get('Date') ?? '');
  const pause = Date.parse(text) - (Number.isNaN(now) ? Date.now() : now);
  return Number.isNaN(pause) ? undefined : Math.max(0, pause);
}

/** What all methods of a client share: how a request is sent, and sent again. */
export class Sender {
  private readonly options: ClientOptions;
  private readonly base: string;
  private readonly request: NonNullable<ClientOptions['fetch']>;
  private readonly longestPause: number;
  // #if tags
  private readonly tags = new Map<string, string>();
  // #end

  constructor(options: ClientOptions) {
    const { baseUrl, fetch: request = fetch, longestPause = 30_000 } = options;
    if (/[?#]/.test(baseUrl)) throw new TypeError('The base URL has no query and no fragment');
    this.options = options;
    this.base = baseUrl.replace(/\/+$/, '');
    // Called as a function of its own, which is how browsers want it.
    this.request = (url, init) => request(url, init);
    this.longestPause = longestPause;
  }

  /** Sends a request, and reads the JSON that answers it. */
  send<Data, C extends Code>(call: Call, given: Delivery<Data>['given'] = {}): Promise<Result<Data, C>> {
    const read = async (response: Response): Promise<Data> => {
      const text = await response.text();
      try {
        // #if exact
        return (text === '' ? undefined : parse(text)) as Data;
        // #else
        // return (text === '' ? undefined : JSON.parse(text)) as Data;
        // #end
      } catch {
        throw new UnexpectedAnswerError(response, text);
      }
    };
    return this.deliver({ call, given, read });
  }

  /** Sends a request, and again where that is safe: where it can’t have been done, or may be done twice. */
  async deliver<Data, C extends Code>(delivery: Delivery<Data>): Promise<Result<Data, C>> {
    const { call, given } = delivery;
    const { method } = call;
    const { signal, attempts = this.options.attempts ?? 4 } = given;
    // #if tags
    const headers = this.headersOf(call, given);
    // #else
    // const headers = this.headersOf(call);
    // #end
    // #if keys
    const key = call.keyHeader === undefined ? undefined : (given.idempotencyKey ?? crypto.randomUUID());
    if (call.keyHeader !== undefined && key !== undefined) headers[call.keyHeader] = key;
    const idempotent = isRepeatable(call) || key !== undefined;
    // #else
    // const key = undefined;
    // const idempotent = isRepeatable(call);
    // #end
    const query = new URLSearchParams(texts(call.query)).toString();
    const url = this.base + call.path + (query && `?${query}`);
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    for (let number = 1; ; number++) {
      signal?.throwIfAborted();
      const usual = this.usualPause(number);
      // #if schemes
      const init = { method, body, headers: { ...headers, ...(await this.credentials(call)) } };
      // #else
      // const init = { method, body, headers };
      // #end
      let pause: number | undefined;
      try {
        const result = await this.attempt<Data, C>({ method, url, headers, attempt: number }, init, delivery);
        // #if tags
        if (result.ok && call.row !== undefined) this.remember(call.row, result.etag);
        // #end
        pause = result.ok ? undefined : pauseAfter(result, idempotent, usual);
        if (pause === undefined || pause > this.longestPause || number >= attempts) return result;
      } catch (error) {
        signal?.throwIfAborted();
        pause = idempotent ? pauseWithout(error, usual) : undefined;
        if (pause === undefined || pause > this.longestPause || number >= attempts) {
          if (error instanceof UnexpectedAnswerError) throw error;
          const times = number === 1 ? 'once' : `${number} times`;
          throw new ConnectionError(`${method} ${call.path} was sent ${times} and not answered`, number, key, error);
        }
      }
      await wait(pause, signal);
    }
  }

  /** One attempt, from its request to what `read` makes of its answer. */
  private async attempt<Data, C extends Code>(
    sent: Sent,
    init: RequestInit,
    { call, given, read }: Delivery<Data>,
  ): Promise<Result<Data, C>> {
    const { signal, timeout = this.options.timeout } = given;
    const late = new AbortController();
    const end = () => late.abort(new DOMException('The attempt took too long', 'TimeoutError'));
    const timer = timeout === undefined ? undefined : setTimeout(end, timeout);
    this.tell({ ...sent, kind: 'request' });
    try {
      const until = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      const response = await this.request(sent.url, { ...init, signal: until, redirect: 'manual' });
      const { status, headers } = response;
      this.tell({ ...sent, kind: 'answer', status, answerHeaders: headers });
      const answer: Answer = { status, headers, etag: headers.get('ETag') ?? undefined, attempts: sent.attempt };
      if (status === call.status) return { ...answer, ok: true, data: await read(response) };
      // #if unchanged
      if (status === 304) return { ...answer, ok: true, data: null as Data };
      // #end
      return { ...answer, ok: false, error: refusal(response, await response.text()) };
    } catch (error) {
      if (!(error instanceof UnexpectedAnswerError)) this.tell({ ...sent, kind: 'failure', error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  // #if tags
  private headersOf(call: Call, given: MatchOptions): Record<string, string> {
    // #else
    // private headersOf(call: Call): Record<string, string> {
    // #end
    const headers = { ...HEADERS, ...Object.fromEntries(texts(call.headers)) };
    if (call.body !== undefined) headers['Content-Type'] = BODY_TYPE;
    // #if tags
    const match = call.match && (given.ifMatch ?? (call.match === true ? this.tags.get(call.row ?? '') : undefined));
    if (match) headers['If-Match'] = match;
    // #end
    return headers;
  }

  // #if schemes
  /** The header with the first credential that the client has and the endpoint takes. */
  private async credentials({ schemes }: Call): Promise<Record<string, string>> {
    for (const scheme of schemes ?? (Object.keys(SCHEMES) as Array<keyof Credentials>)) {
      const credential = this.options[scheme];
      if (credential === undefined) continue;
      const [header, before] = SCHEMES[scheme];
      const text = (typeof credential === 'function' ? await credential() : credential).trim();
      // What the platform says of a header that it can’t send would quote it.
      if (/[^\x20-\x7E]/.test(text)) throw new TypeError(`${scheme} can’t stand in a header`);
      return { [header]: before + text };
    }
    return {};
  }

  // #end
  /** Twice as long after each attempt, and not the same for all clients. */
  private usualPause(number: number): number {
    const { pause = 250 } = this.options;
    return Math.min(this.longestPause, pause * 2 ** (number - 1)) * (0.5 + Math.random() / 2);
  }

  private tell(exchange: Exchange): void {
    try {
      this.options.observe?.(exchange);
    } catch {
      // A request is what it is, whoever looks on.
    }
  }

  // #if tags
  /** Holds the entity tag of a row for the next request that is for the row as it was last seen. */
  private remember(row: string, etag: string | undefined): void {
    this.tags.delete(row);
    if (etag !== undefined) this.tags.set(row, etag);
    for (const oldest of this.tags.keys()) {
      if (this.tags.size <= 1000) return;
      this.tags.delete(oldest);
    }
  }
  // #end
}

/** Whether HTTP lets a request be sent twice (RFC 9110, section 9.2.2). */
// #if once
const isRepeatable = ({ method, once }: Call): boolean => /^(?:GET|PUT|DELETE)$/.test(method) && !once;
// #else
// const isRepeatable = ({ method }: Call): boolean => /^(?:GET|PUT|DELETE)$/.test(method);
// #end

/** How long to wait before a request that was refused is sent again; undefined where it isn’t. */
function pauseAfter({ error, headers }: Refused, idempotent: boolean, usual: number): number | undefined {
  // #if coded
  const again = AGAIN[error.code];
  // #else
  // const again = AGAIN[error.status];
  // #end
  if (again === undefined || (again === 'idempotent' && !idempotent)) return undefined;
  return retryAfter(headers) ?? usual;
}

/** The same where no answer of the service came. */
function pauseWithout(error: unknown, usual: number): number | undefined {
  if (!(error instanceof UnexpectedAnswerError)) return usual;
  return [429, 502, 503, 504].includes(error.status) ? (retryAfter(error.headers) ?? usual) : undefined;
}

/** The refusal that an answer is. */
function refusal<C extends Code>(response: Response, text: string): Refusal<C> {
  const { status } = response;
  // #if coded
  try {
    const problem: Problem = JSON.parse(text);
    const code = codeIn(problem);
    if (typeof code === 'string' && Object.hasOwn(STATUS, code) && STATUS[code as C] === status)
      return { code, status, problem } as Refusal<C>;
  } catch {
    // What is no JSON is no refusal of the service.
  }
  // #else payload
  // try {
  //   const problem: Problem = JSON.parse(text);
  //   if (STATUSES.includes(status)) return { status, problem } as Refusal<C>;
  // } catch {
  //   // What is no JSON is no refusal of the service.
  // }
  // #else
  // if (text === '' && STATUSES.includes(status)) return { status } as Refusal<C>;
  // #end
  throw new UnexpectedAnswerError(response, text);
}
