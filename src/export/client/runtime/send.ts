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
import { rowsOf } from './rows.ts';

/** The options of a client. */
// #if schemes
export interface ClientOptions extends Credentials {
  // #else
  // export interface ClientOptions {
  // #end
  /** The base URL of the service, such as `https://service.example`. */
  readonly baseUrl: string;
  /** The timeout of one attempt, in milliseconds. The default is no timeout. */
  readonly timeout?: number;
  /** The largest number of attempts, if a repetition is safe. The default is 4; 1 disables repetitions. */
  readonly attempts?: number;
  /** The pause before the second attempt, in milliseconds, doubled for each further attempt. The default is 250. */
  readonly pause?: number;
  /** The longest pause, in milliseconds. A refusal with a longer `Retry-After` is final. The default is 30,000. */
  readonly longestPause?: number;
  /** Called for each request, answer and failure, without credentials. Its exceptions are ignored. */
  readonly observe?: (exchange: Exchange) => void;
  /** Sends requests. The default is the platform’s `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** The options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** As `timeout` of the client, for this call. */
  readonly timeout?: number | undefined;
  /** As `attempts` of the client, for this call. */
  readonly attempts?: number | undefined;
}

// #if bytes
/** Bytes that a request sends, with their media type. A repeated request sends them again. */
export interface Bytes<Type extends string> {
  readonly type: Type;
  readonly content: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
}

// #end
// #if keys
/** The options of a call with an idempotency key. */
export interface IdempotentOptions extends CallOptions {
  // #if optionalKeys
  /** The key, which all repetitions of the request share. The default is a random key if the call requires one. */
  // #else
  // /** The key, which all repetitions of the request share. The default is a random key. */
  // #end
  readonly idempotencyKey?: string | undefined;
}

// #end
// #if tags
/** The options of a call with `If-Match`. */
export interface MatchOptions extends CallOptions {
  /** The entity tag that the row must have. The default is the last received tag, if the call requires one. */
  readonly ifMatch?: string | undefined;
}

// #end
/** A sent request, its answer, or the failure to receive one. */
export type Exchange =
  | (Sent & { readonly kind: 'request' })
  | (Sent & { readonly kind: 'answer'; readonly status: number; readonly answerHeaders: Headers })
  | (Sent & { readonly kind: 'failure'; readonly error: unknown });

interface Sent {
  readonly method: string;
  readonly url: string;
  /** The request headers, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/** A request, as the methods of the client describe it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'QUERY';
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly headers?: object | undefined;
  // #if forms
  /** Set if the body is sent as a form. */
  readonly form?: true;
  // #end
  // #if several
  /** The status of a success; several where the endpoint has several answers. */
  readonly status: number | readonly number[];
  // #else
  // /** The status of a success. */
  // readonly status: number;
  // #end
  // #if text
  /** Set if the answer is text: the types of text that are accepted. */
  readonly text?: string;
  // #end
  // #if rows
  /** Set if the answer is NDJSON: the type that is accepted. */
  readonly rows?: string;
  // #end
  // #if bytesOut
  /** Set if the answer is read as a stream of bytes: the types that are accepted. */
  readonly stream?: string;
  // #end
  // #if parts
  /** Set if the body is a form of several parts. */
  readonly parts?: boolean;
  // #end
  // #if bytes
  /** Set if the body is bytes. */
  readonly bytes?: Bytes<string>;
  // #end
  // #if schemes
  /** The credentials that the endpoint accepts. The default is all. */
  readonly schemes?: ReadonlyArray<keyof Credentials>;
  // #end
  // #if once
  /** Set if the endpoint is not idempotent although its method is. */
  readonly once?: true;
  // #end
  // #if keys
  /** The header of the idempotency key. */
  readonly keyHeader?: string;
  // #if optionalKeys
  /** Set if the request may be sent without a key. */
  readonly keyOptional?: true;
  // #end
  // #end
  // #if tags
  /** The row that the entity tag belongs to; `true` if the tag belongs to the answer to this path and query. */
  readonly row?: string | true;
  /** Whether `If-Match` is sent: `true` means the last received tag by default, `given` only a tag of the caller. */
  readonly match?: true | 'given';
  // #end
}

/** A request, its options, and the function that reads the body of a success. */
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
/** Encodes the parameters of a path. An empty one, `.` and `..` throw, because they would change the path. */
export function path(parts: TemplateStringsArray, ...values: ReadonlyArray<string | number | boolean>): string {
  const encoded = values.map((value) => {
    const text = String(value);
    if (text === '' || text === '.' || text === '..')
      throw new TypeError(`“${text}” is not allowed as a parameter of a path`);
    return encodeURIComponent(text);
  });
  return String.raw({ raw: parts }, ...encoded);
}

// #end
/** Query parameters or headers as text: a list is joined with commas, and an undefined value is omitted. */
const texts = (values: object = {}): Array<[string, string]> =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));

// #if forms
/** A body as a form: the items of a list repeat its name, and an undefined value is omitted. */
function formOf(body: object): string {
  const pairs = Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one) => (one === undefined ? [] : [[name, String(one)]])),
  );
  return new URLSearchParams(pairs).toString();
}

// #end
// #if parts
/** A body as a form of several parts: the items of a list repeat its name, and an undefined value is omitted. */
function partsOf(body: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body) as Array<[string, unknown]>)
    for (const one of Array.isArray(value) ? value : [value])
      if (isBytes(one)) form.append(name, new Blob([one.content], { type: one.type }), name);
      else if (one !== undefined) form.append(name, String(one));
  return form;
}

const isBytes = (value: unknown): value is Bytes<string> =>
  typeof value === 'object' && value !== null && 'content' in value && 'type' in value;

// #end
// #if bytes
/** The body of a request: bytes as they are, or JSON. */
function contentOf(call: Call): string | Bytes<string>['content'] | FormData | null {
  if (call.bytes !== undefined) return call.bytes.content;
  // #if parts
  if (call.parts && call.body !== undefined) return partsOf(call.body);
  // #end
  // #if forms
  if (call.form && call.body !== undefined) return formOf(call.body);
  // #end
  return call.body === undefined ? null : JSON.stringify(call.body);
}

// #end
/** Waits, and rejects if the signal aborts. */
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

// #if text rows bytesOut stream
/** Returns a response; throws if its media type is not among the accepted ones, as that of an error page of a proxy. */
export async function typed(response: Response, accepted: string): Promise<Response> {
  const [type = ''] = (response.headers.get('Content-Type') ?? '').split(/ *;/);
  if (type === '' || accepted.split(', ').includes(type.toLowerCase())) return response;
  throw new UnexpectedAnswerError(response, await response.text());
}

// #end
/** The pause that `Retry-After` asks for, in milliseconds. The header has seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const now = Date.parse(headers.get('Date') ?? '');
  const pause = Date.parse(text) - (Number.isNaN(now) ? Date.now() : now);
  return Number.isNaN(pause) ? undefined : Math.max(0, pause);
}

/** Sends requests, and repeats them, for all methods of a client. */
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
    if (/[?#]/.test(baseUrl)) throw new TypeError('baseUrl must not have a query or a fragment');
    this.options = options;
    this.base = baseUrl.replace(/\/+$/, '');
    // The `fetch` of browsers throws if it is called as a method of another object.
    this.request = (url, init) => request(url, init);
    this.longestPause = longestPause;
  }

  /** Sends a request, and parses the JSON of the answer. */
  send<Data, C extends Code>(call: Call, given: Delivery<Data>['given'] = {}): Promise<Result<Data, C>> {
    const read = async (response: Response): Promise<Data> => {
      // #if rows
      if (call.rows !== undefined) return rowsOf(await typed(response, call.rows)) as Data;
      // #end
      // #if bytesOut
      if (call.stream !== undefined) return ((await typed(response, call.stream)).body ?? new ReadableStream()) as Data;
      // #end
      // #if text
      const hasBody = response.status < 300 && response.status !== 204 && response.status !== 205;
      if (call.text !== undefined && hasBody) return (await (await typed(response, call.text)).text()) as Data;
      // #end
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

  /** Sends a request, and repeats it if it was certainly not processed, or may be processed twice. */
  async deliver<Data, C extends Code>(delivery: Delivery<Data>): Promise<Result<Data, C>> {
    const { call, given } = delivery;
    const { method } = call;
    const { signal, attempts = this.options.attempts ?? 4 } = given;
    const query = new URLSearchParams(texts(call.query)).toString();
    const target = call.path + (query && `?${query}`);
    // #if tags
    const row = call.row === true ? target : call.row;
    const headers = this.headersOf(call, given, row);
    // #else
    // const headers = this.headersOf(call);
    // #end
    // #if origin
    // Browsers state the origin of the page themselves, and ignore this.
    if (method !== 'GET' && URL.canParse(this.base)) Object.assign(headers, { Origin: new URL(this.base).origin });
    // #end
    // #if keys
    // #if optionalKeys
    const { idempotencyKey = call.keyOptional ? undefined : crypto.randomUUID() } = given;
    const key = call.keyHeader === undefined ? undefined : idempotencyKey;
    // #else
    // const key = call.keyHeader === undefined ? undefined : (given.idempotencyKey ?? crypto.randomUUID());
    // #end
    if (call.keyHeader !== undefined && key !== undefined) headers[call.keyHeader] = key;
    const idempotent = isRepeatable(call) || key !== undefined;
    // #else
    // const key = undefined;
    // const idempotent = isRepeatable(call);
    // #end
    for (const [name, value] of Object.entries(headers))
      if (/[^\t\x20-\x7E\x80-\xFF]/.test(value))
        throw new TypeError(`The header ${name} has characters that headers do not allow`);
    const url = this.base + target;
    // #if bytes
    const body = contentOf(call);
    // #else forms
    // const body = call.body === undefined ? null : call.form ? formOf(call.body) : JSON.stringify(call.body);
    // #else
    // const body = call.body === undefined ? null : JSON.stringify(call.body);
    // #end
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
        if (result.ok && row !== undefined) this.remember(row, result.etag);
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

  /** Makes one attempt: sends the request, and reads the answer of a success with `read`. */
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
      // #if included
      // Browsers then send the cookies of the service from pages of other origins, too.
      const options = { ...init, signal: until, redirect: 'manual', credentials: 'include' } as const;
      const response = await this.request(sent.url, options);
      // #else
      // const response = await this.request(sent.url, { ...init, signal: until, redirect: 'manual' });
      // #end
      const { status, headers } = response;
      this.tell({ ...sent, kind: 'answer', status, answerHeaders: headers });
      const answer: Answer = { status, headers, etag: headers.get('ETag') ?? undefined, attempts: sent.attempt };
      // #if several
      const isSuccess = typeof call.status === 'number' ? status === call.status : call.status.includes(status);
      if (isSuccess) return { ...answer, ok: true, data: await read(response) };
      // #else
      // if (status === call.status) return { ...answer, ok: true, data: await read(response) };
      // #end
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
  private headersOf(call: Call, given: MatchOptions, row = ''): Record<string, string> {
    // #else
    // private headersOf(call: Call): Record<string, string> {
    // #end
    const headers = { ...HEADERS, ...Object.fromEntries(texts(call.headers)) };
    // #if text
    if (call.text !== undefined) Object.assign(headers, { Accept: call.text });
    // #end
    // #if rows
    if (call.rows !== undefined) Object.assign(headers, { Accept: call.rows });
    // #end
    // #if bytesOut
    if (call.stream !== undefined) Object.assign(headers, { Accept: call.stream });
    // #end
    // #if parts
    // `fetch` states the type of a form of several parts, with its boundary.
    if (call.body !== undefined && !call.parts) headers['Content-Type'] = BODY_TYPE;
    // #else
    // if (call.body !== undefined) headers['Content-Type'] = BODY_TYPE;
    // #end
    // #if bytes
    if (call.bytes !== undefined) headers['Content-Type'] = call.bytes.type;
    // #end
    // #if forms
    if (call.form) headers['Content-Type'] = 'application/x-www-form-urlencoded';
    // #end
    // #if tags
    const match = call.match && (given.ifMatch ?? (call.match === true ? this.tags.get(row) : undefined));
    if (match) headers['If-Match'] = match;
    // #end
    return headers;
  }

  // #if schemes
  /** The header with the first credential of the client that the endpoint accepts. */
  private async credentials({ schemes }: Call): Promise<Record<string, string>> {
    for (const scheme of schemes ?? (Object.keys(SCHEMES) as Array<keyof Credentials>)) {
      const credential = this.options[scheme];
      if (credential === undefined) continue;
      const [header, before] = SCHEMES[scheme];
      const text = (typeof credential === 'function' ? await credential() : credential).trim();
      // The error of the platform for an invalid header would quote the credential.
      if (/[^\x20-\x7E]/.test(text))
        throw new TypeError(`The credential ${scheme} has characters that headers do not allow`);
      return { [header]: before + text };
    }
    return {};
  }

  // #end
  /** The exponential backoff, with jitter. */
  private usualPause(number: number): number {
    const { pause = 250 } = this.options;
    return Math.min(this.longestPause, pause * 2 ** (number - 1)) * (0.5 + Math.random() / 2);
  }

  private tell(exchange: Exchange): void {
    try {
      this.options.observe?.(exchange);
    } catch {
      // The request does not depend on exceptions of the observer.
    }
  }

  // #if tags
  /** Remembers the last entity tag of a row, for the next request with `If-Match`. */
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

/** Whether a request is idempotent (RFC 9110, section 9.2.2). */
// #if once
const isRepeatable = ({ method, once }: Call): boolean => /^(?:GET|PUT|DELETE|QUERY)$/.test(method) && !once;
// #else
// const isRepeatable = ({ method }: Call): boolean => /^(?:GET|PUT|DELETE|QUERY)$/.test(method);
// #end

/** The pause before a refused request is repeated, in milliseconds; undefined if it is not repeated. */
function pauseAfter({ error, headers }: Refused, idempotent: boolean, usual: number): number | undefined {
  // #if coded
  const again = AGAIN[error.code];
  // #else
  // const again = AGAIN[error.status];
  // #end
  if (again === undefined || (again === 'idempotent' && !idempotent)) return undefined;
  return retryAfter(headers) ?? usual;
}

/** The pause before a request without an answer of the service is repeated; undefined if it is not repeated. */
function pauseWithout(error: unknown, usual: number): number | undefined {
  if (!(error instanceof UnexpectedAnswerError)) return usual;
  return [429, 502, 503, 504].includes(error.status) ? (retryAfter(error.headers) ?? usual) : undefined;
}

/** Reads the refusal in an answer; throws if there is none. */
function refusal<C extends Code>(response: Response, text: string): Refusal<C> {
  const { status } = response;
  // #if coded
  try {
    const problem: Problem = JSON.parse(text);
    const code = codeIn(problem);
    if (typeof code === 'string' && Object.hasOwn(STATUS, code) && STATUS[code as C] === status)
      return { code, status, problem } as Refusal<C>;
  } catch {
    // A refusal of the service has a JSON body.
  }
  // #else payload
  // try {
  //   const problem: Problem = JSON.parse(text);
  //   if (STATUSES.includes(status)) return { status, problem } as Refusal<C>;
  // } catch {
  //   // A refusal of the service has a JSON body.
  // }
  // #else
  // if (text === '' && STATUSES.includes(status)) return { status } as Refusal<C>;
  // #end
  throw new UnexpectedAnswerError(response, text);
}
