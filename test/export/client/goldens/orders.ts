/**
 * A client of Orders, version 2026-11-01. Purpose: take orders and follow each one to delivery. Domain: retail order
 * management.
 *
 * `ninefold export client` generated this file from orders.md: change the document, not this file.
 *
 * ```ts
 * import { createClient } from './orders.ts';
 *
 * const client = createClient({ baseUrl: 'https://service.example', apiKey: '…' });
 *
 * const created = await client.orders.create({ sku: 'AAA-2000', quantity: 1 });
 * if (created.ok) console.log(created.data);
 * else console.error(created.error.code);
 *
 * for await (const order of client.orders.listAll()) console.log(order);
 * ```
 *
 * A call returns a result. If `ok` is true, `data` is the answer; otherwise `error` is the refusal of the service.
 * Other failures throw: a `ConnectionError` if no complete answer arrived, an `UnexpectedAnswerError` if the answer is
 * not one that the document describes, or the reason of the signal that aborted the call.
 *
 * The document states these facts, which the client does not express:
 * - Bounds, patterns and formats of values, except in comments. The service checks them.
 * - The order of the checks of a request, the code of each check, and conditions of rules and transitions.
 * - Whether the service trims texts, and whether it keeps empty ones.
 * - Whether the service refuses or ignores parameters and bodies that an endpoint does not read.
 * - Headers of answers, except those that comments of methods name.
 * - The order of lists by values that callers do not see.
 * - Conditional requests with dates.
 * - Rates, size limits and time-outs. The client waits for `Retry-After` before it repeats a refused request.
 * - Which rows a caller may see, which rows a filter selects, which rows may call, the sources of values, and rules of
 *   rows.
 * - States and transitions, except the names of states.
 * - The other versions of the service.
 * - When each event happens.
 * - Attempts, pauses and order of webhooks, and their receivers.
 * - Answers to data that is not an HTTP request.
 */

export type OrderStatus = 'draft' | 'placed' | 'shipped' | 'delivered' | 'cancelled';

/** One customer's order for one product. */
export interface Order {
  /** uuid */
  readonly id: string;
  /** uuid */
  readonly customer: string;
  /** matches `^[A-Z]{3}-[0-9]{4}$` */
  readonly sku: string;
  /** 1 to 1000 */
  readonly quantity: number;
  /** at most 500 characters */
  readonly note?: string;
  readonly status: OrderStatus;
  /** RFC 3339 date and time */
  readonly created: string;
}

/** The body of `POST /orders`. */
export interface OrdersCreateBody {
  /** matches `^[A-Z]{3}-[0-9]{4}$` */
  readonly sku: string;
  /** 1 to 1000 */
  readonly quantity: number;
  /** at most 500 characters */
  readonly note?: string | null;
}

/** The query of `GET /orders`. */
export interface OrdersListQuery {
  readonly status?: OrderStatus;
  /** matches `^[A-Z]{3}-[0-9]{4}$` */
  readonly sku?: string;
  /** 1 to 100; default 20 */
  readonly limit?: number;
  readonly cursor?: string;
}

/** The answer to `GET /orders`. */
export interface OrdersListPage {
  /** at most 100 items */
  readonly items: readonly Order[];
  readonly next?: string;
}

/**
 * The body of `PATCH /orders/{id}`.
 *
 * Omitted members keep their values.
 */
export interface OrdersUpdateBody {
  /** 1 to 1000 */
  readonly quantity?: number;
  /** at most 500 characters */
  readonly note?: string | null;
}

/** The answer to `GET /summary`. */
export interface SummaryGetData {
  readonly open: number;
  readonly units: number;
}

/** The event of a webhook. */
export type WebhookEvent =
  | { readonly type: 'order.opened'; readonly timestamp: string; readonly data: Order }
  | { readonly type: 'order.placed'; readonly timestamp: string; readonly data: Order }
  | { readonly type: 'order.cancelled'; readonly timestamp: string; readonly data: Order };

/** A client of Orders. */
export function createClient(options: ClientOptions) {
  const sender = new Sender(options);
  const client = {
    orders: {
      /**
       * `POST /orders`
       *
       * Opens a draft. Sending the same `Idempotency-Key` again answers as the first time did.
       *
       * Answers 201 with Location.
       *
       * Needs the scope orders:write.
       *
       * For 1 day, the service repeats an answer with a status below 500 to the same idempotency key.
       */
      create(body: OrdersCreateBody, options?: IdempotentOptions): Promise<Result<Order, OrdersCreateCode>> {
        return sender.send(
          { method: 'POST', path: '/orders', body, status: 201, keyHeader: 'Idempotency-Key' },
          options,
        );
      },
      /**
       * `GET /orders/{id}`
       *
       * Answers 200 with ETag.
       *
       * Needs the scope orders:read.
       */
      get(id: string, options?: CallOptions): Promise<Result<Order, OrdersGetCode>> {
        return sender.send(
          { method: 'GET', path: path`/orders/${id}`, status: 200, row: path`/orders/${id}` },
          options,
        );
      },
      /**
       * `GET /orders`
       *
       * Answers 200.
       *
       * Items are sorted by `created` (descending).
       *
       * Needs the scope orders:read.
       */
      list(query?: OrdersListQuery, options?: CallOptions): Promise<Result<OrdersListPage, OrdersListCode>> {
        return sender.send({ method: 'GET', path: '/orders', query, status: 200 }, options);
      },
      /** Iterates over the pages of `list`. A refusal throws a `RefusedError`. */
      listPages(query: OrdersListQuery = {}, options?: CallOptions): AsyncGenerator<OrdersListPage> {
        return eachPage(
          query,
          (one) => client.orders.list(one, options),
          (page) => {
            const next = page.next;
            return next !== undefined ? { cursor: next } : undefined;
          },
        );
      },
      /** Iterates over the rows on all pages of `list`. A refusal throws a `RefusedError`. */
      async *listAll(query: OrdersListQuery = {}, options?: CallOptions): AsyncGenerator<Order> {
        for await (const page of client.orders.listPages(query, options)) yield* page.items;
      },
      /**
       * `PATCH /orders/{id}`
       *
       * Answers 200 with ETag.
       *
       * Needs the scope orders:write.
       */
      update(id: string, body: OrdersUpdateBody, options?: MatchOptions): Promise<Result<Order, OrdersUpdateCode>> {
        return sender.send(
          { method: 'PATCH', path: path`/orders/${id}`, body, status: 200, row: path`/orders/${id}`, match: true },
          options,
        );
      },
      /**
       * `POST /orders/{id}/place`
       *
       * Answers 200.
       *
       * Needs the scope orders:write.
       */
      place(id: string, options?: CallOptions): Promise<Result<Order, OrdersPlaceCode>> {
        return sender.send({ method: 'POST', path: path`/orders/${id}/place`, status: 200 }, options);
      },
      /**
       * `POST /orders/{id}/cancel`
       *
       * Answers 200.
       *
       * Needs the scope orders:write.
       */
      cancel(id: string, options?: CallOptions): Promise<Result<Order, OrdersCancelCode>> {
        return sender.send({ method: 'POST', path: path`/orders/${id}/cancel`, status: 200 }, options);
      },
      /**
       * `POST /orders/{id}/ship`
       *
       * Answers 200.
       *
       * Needs the scope orders:fulfil.
       */
      ship(id: string, options?: CallOptions): Promise<Result<Order, OrdersShipCode>> {
        return sender.send({ method: 'POST', path: path`/orders/${id}/ship`, status: 200 }, options);
      },
      /**
       * `POST /orders/{id}/deliver`
       *
       * Answers 200.
       *
       * Needs the scope orders:fulfil.
       */
      deliver(id: string, options?: CallOptions): Promise<Result<Order, OrdersDeliverCode>> {
        return sender.send({ method: 'POST', path: path`/orders/${id}/deliver`, status: 200 }, options);
      },
      /**
       * `DELETE /orders/{id}`
       *
       * Answers 204.
       *
       * Needs the scope orders:write.
       */
      delete(id: string, options?: CallOptions): Promise<Result<undefined, OrdersDeleteCode>> {
        return sender.send({ method: 'DELETE', path: path`/orders/${id}`, status: 204 }, options);
      },
    },
    summary: {
      /**
       * `GET /summary`
       *
       * Answers 200.
       *
       * Needs the scope orders:read.
       */
      get(options?: CallOptions): Promise<Result<SummaryGetData, SummaryGetCode>> {
        return sender.send({ method: 'GET', path: '/summary', status: 200 }, options);
      },
    },
  };
  return client;
}

export type Client = ReturnType<typeof createClient>;

// Refusals

/** The payload of a refusal. */
export interface Problem {
  readonly title: string;
  /** 400 to 599 */
  readonly status: number;
  readonly code: string;
  readonly errors?: ReadonlyArray<{
    readonly pointer?: string;
    readonly parameter?: string;
    readonly header?: string;
    readonly code: string;
    readonly detail: string;
  }>;
}

/** The codes of refusals, with their statuses. */
const STATUS = {
  /** The service is temporarily unavailable */
  unavailable: 503,
  /** Too many requests */
  rate_exceeded: 429,
  /** Send an API key */
  key_missing: 401,
  /** This API key is not known */
  key_unknown: 401,
  /** This API key may not do this */
  scope_missing: 403,
  /** No such version */
  version_unknown: 400,
  /** This version is no longer served */
  version_retired: 410,
  /** The answer is not available in an accepted media type */
  not_acceptable: 406,
  /** The request must state the length of its body */
  length_missing: 411,
  /** The request is too large */
  request_too_large: 413,
  /** The media type of the body is not supported */
  unsupported_media_type: 415,
  /** The encoding of the body is not supported */
  unsupported_encoding: 415,
  /** The request is malformed */
  malformed_request: 400,
  /** Some fields are not allowed as given */
  invalid_request: 422,
  /** The request has an unknown field */
  unknown_field: 422,
  /** The request has an unknown parameter */
  unknown_parameter: 400,
  /** An idempotency key is required */
  idempotency_key_missing: 400,
  /** The idempotency key is malformed */
  idempotency_key_malformed: 400,
  /** A request with this idempotency key is in progress */
  idempotency_key_in_flight: 409,
  /** The idempotency key was used for another request */
  idempotency_key_reused: 422,
  /** This product is already on an open draft */
  order_already_open: 409,
  /** The request conflicted with another request: send it again */
  conflict: 409,
  /** The service has no room to store the change */
  storage_full: 507,
  /** The request took too long */
  time_out: 503,
  /** The service failed because of an internal error */
  failure: 500,
  /** The request must have no body */
  body_not_expected: 400,
  /** No such order */
  order_not_found: 404,
  /** The page parameters are not valid */
  page_refused: 400,
  /** Send If-Match */
  match_required: 428,
  /** The order has changed meanwhile */
  changed_meanwhile: 412,
  /** This order is no longer open */
  order_not_open: 409,
  /** This order cannot be placed */
  order_not_placeable: 409,
  /** This order cannot be shipped */
  order_not_shippable: 409,
  /** This order is not on its way */
  order_not_shipped: 409,
  /** Cancel this order before removing it */
  order_still_open: 409,
  /** There is no endpoint at this address */
  no_such_endpoint: 404,
  /** The endpoint at this address does not allow this method */
  method_not_allowed: 405,
} as const;

export type Code = keyof typeof STATUS;

const codeIn = (problem: Partial<Problem>): unknown => problem.code;

/** The codes with which the service may refuse any request. */
export type CommonCode =
  | 'unavailable'
  | 'rate_exceeded'
  | 'key_missing'
  | 'key_unknown'
  | 'scope_missing'
  | 'version_unknown'
  | 'version_retired'
  | 'request_too_large'
  | 'malformed_request'
  | 'unknown_parameter'
  | 'time_out'
  | 'failure'
  | 'no_such_endpoint'
  | 'method_not_allowed';

/** Further codes with which the service may refuse any request with a body. */
export type BodyCode =
  | 'not_acceptable'
  | 'length_missing'
  | 'unsupported_media_type'
  | 'unsupported_encoding'
  | 'invalid_request'
  | 'unknown_field'
  | 'conflict'
  | 'storage_full';

/**
 * The codes after which the client repeats a request: `always`, because the service did nothing, or `idempotent`, if
 * the request may run twice.
 */
const AGAIN: Partial<Record<Code, 'always' | 'idempotent'>> = {
  unavailable: 'idempotent',
  rate_exceeded: 'always',
  idempotency_key_in_flight: 'always',
  conflict: 'always',
  time_out: 'idempotent',
};

/** The codes with which the service may refuse `client.orders.create`. */
export type OrdersCreateCode =
  | CommonCode
  | BodyCode
  | 'idempotency_key_missing'
  | 'idempotency_key_malformed'
  | 'idempotency_key_in_flight'
  | 'idempotency_key_reused'
  | 'order_already_open';

/** The codes with which the service may refuse `client.orders.get`. */
export type OrdersGetCode = CommonCode | 'not_acceptable' | 'body_not_expected' | 'order_not_found';

/** The codes with which the service may refuse `client.orders.list`. */
export type OrdersListCode = CommonCode | 'not_acceptable' | 'invalid_request' | 'body_not_expected' | 'page_refused';

/** The codes with which the service may refuse `client.orders.update`. */
export type OrdersUpdateCode =
  | CommonCode
  | BodyCode
  | 'order_not_found'
  | 'match_required'
  | 'changed_meanwhile'
  | 'order_not_open';

/** The codes with which the service may refuse `client.orders.place`. */
export type OrdersPlaceCode =
  | CommonCode
  | 'not_acceptable'
  | 'body_not_expected'
  | 'order_not_found'
  | 'order_not_placeable'
  | 'conflict'
  | 'storage_full';

/** The codes with which the service may refuse `client.orders.cancel`. */
export type OrdersCancelCode =
  | CommonCode
  | 'not_acceptable'
  | 'body_not_expected'
  | 'order_not_found'
  | 'order_not_open'
  | 'conflict'
  | 'storage_full';

/** The codes with which the service may refuse `client.orders.ship`. */
export type OrdersShipCode =
  | CommonCode
  | 'not_acceptable'
  | 'body_not_expected'
  | 'order_not_found'
  | 'order_not_shippable'
  | 'conflict'
  | 'storage_full';

/** The codes with which the service may refuse `client.orders.deliver`. */
export type OrdersDeliverCode =
  | CommonCode
  | 'not_acceptable'
  | 'body_not_expected'
  | 'order_not_found'
  | 'order_not_shipped'
  | 'conflict'
  | 'storage_full';

/** The codes with which the service may refuse `client.orders.delete`. */
export type OrdersDeleteCode =
  | CommonCode
  | 'body_not_expected'
  | 'order_not_found'
  | 'order_still_open'
  | 'conflict'
  | 'storage_full';

/** The codes with which the service may refuse `client.summary.get`. */
export type SummaryGetCode = CommonCode | 'not_acceptable' | 'body_not_expected';

// Credentials and headers

/** A key or a token, or a function that returns one for each request. */
export type Credential = string | (() => string | Promise<string>);

/** The credentials of the caller. If there are several, each request carries the first that its endpoint accepts. */
export interface Credentials {
  /**
   * API key (API key) of a Customer, sent as `Authorization: Bearer …`. Its scopes: orders:read, orders:write,
   * orders:fulfil.
   */
  readonly apiKey?: Credential;
}

/** The header of each credential, and the text before the credential. */
const SCHEMES: Readonly<Record<keyof Credentials, readonly [header: string, before: string]>> = {
  apiKey: ['Authorization', 'Bearer '],
};

/** The headers of every request. */
const HEADERS: Readonly<Record<string, string>> = { Accept: 'application/json', 'Orders-Version': '2026-11-01' };

const BODY_TYPE = 'application/json';

// Results

/** The result of a call: the data, or the refusal of the service. A call throws other failures. */
export type Result<Data, C extends Code = Code> = Success<Data> | Refused<C>;

/** The members of every answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The header `ETag`; undefined if the answer has none. */
  readonly etag: string | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
}

export interface Success<Data> extends Answer {
  readonly ok: true;
  readonly data: Data;
}

export interface Refused<C extends Code = Code> extends Answer {
  readonly ok: false;
  readonly error: Refusal<C>;
}

/** A refusal. Its code names the reason, and determines the status. */
export type Refusal<C extends Code = Code> = {
  [K in C]: { readonly code: K; readonly status: (typeof STATUS)[K]; readonly problem: Problem };
}[C];

/** Returns the data of a success, and throws a refusal. */
export function unwrap<Data>(result: Result<Data>): Data {
  if (result.ok) return result.data;
  throw new RefusedError(result);
}

/** A refusal, thrown by `unwrap` and by iterators, which have no result to return. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refusal: Refusal;
  readonly answer: Answer;

  constructor(refused: Refused) {
    super(`The service refused the request: ${refused.error.code} (${refused.status})`);
    this.refusal = refused.error;
    this.answer = refused;
  }
}

/** No complete answer arrived. It is unknown whether the service processed the request. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly attempts: number;
  /** The idempotency key of the request, if any. A repetition with this key is not processed twice. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, attempts: number, idempotencyKey: string | undefined, cause: unknown) {
    super(message, { cause });
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }
}

/** An answer that the contract excludes: from another program, or another version of the service. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(response: Response, text: string) {
    super(`The document does not describe this answer: status ${response.status}`);
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
  }
}

// Sending requests

/** The options of a client. */
export interface ClientOptions extends Credentials {
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

/** The options of a call with an idempotency key. */
export interface IdempotentOptions extends CallOptions {
  /** The key, which all repetitions of the request share. The default is a random key. */
  readonly idempotencyKey?: string | undefined;
}

/** The options of a call with `If-Match`. */
export interface MatchOptions extends CallOptions {
  /** The entity tag that the row must have. The default is the last received tag, if the call requires one. */
  readonly ifMatch?: string | undefined;
}

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
interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly headers?: object | undefined;
  /** The status of a success. */
  readonly status: number;
  /** The credentials that the endpoint accepts. The default is all. */
  readonly schemes?: ReadonlyArray<keyof Credentials>;
  /** The header of the idempotency key. */
  readonly keyHeader?: string;
  /** The row that the entity tag belongs to; `true` if the tag belongs to the answer to this path and query. */
  readonly row?: string | true;
  /** Whether `If-Match` is sent: `true` means the last received tag by default, `given` only a tag of the caller. */
  readonly match?: true | 'given';
}

/** A request, its options, and the function that reads the body of a success. */
interface Delivery<Data> {
  readonly call: Call;
  readonly given: IdempotentOptions & MatchOptions;
  readonly read: (response: Response) => Promise<Data>;
}

/** Encodes the parameters of a path. An empty one, `.` and `..` throw, because they would change the path. */
function path(parts: TemplateStringsArray, ...values: ReadonlyArray<string | number | boolean>): string {
  const encoded = values.map((value) => {
    const text = String(value);
    if (text === '' || text === '.' || text === '..')
      throw new TypeError(`“${text}” is not allowed as a parameter of a path`);
    return encodeURIComponent(text);
  });
  return String.raw({ raw: parts }, ...encoded);
}

/** Query parameters or headers as text: a list is joined with commas, and an undefined value is omitted. */
const texts = (values: object = {}): Array<[string, string]> =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));

/** Waits, and rejects if the signal aborts. */
function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
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
class Sender {
  private readonly options: ClientOptions;
  private readonly base: string;
  private readonly request: NonNullable<ClientOptions['fetch']>;
  private readonly longestPause: number;
  private readonly tags = new Map<string, string>();

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
      const text = await response.text();
      try {
        return (text === '' ? undefined : JSON.parse(text)) as Data;
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
    const row = call.row === true ? target : call.row;
    const headers = this.headersOf(call, given, row);
    const key = call.keyHeader === undefined ? undefined : (given.idempotencyKey ?? crypto.randomUUID());
    if (call.keyHeader !== undefined && key !== undefined) headers[call.keyHeader] = key;
    const idempotent = isRepeatable(call) || key !== undefined;
    for (const [name, value] of Object.entries(headers))
      if (/[^\t\x20-\x7E\x80-\xFF]/.test(value))
        throw new TypeError(`The header ${name} has characters that headers do not allow`);
    const url = this.base + target;
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    for (let number = 1; ; number++) {
      signal?.throwIfAborted();
      const usual = this.usualPause(number);
      const init = { method, body, headers: { ...headers, ...(await this.credentials(call)) } };
      let pause: number | undefined;
      try {
        const result = await this.attempt<Data, C>({ method, url, headers, attempt: number }, init, delivery);
        if (result.ok && row !== undefined) this.remember(row, result.etag);
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
      const response = await this.request(sent.url, { ...init, signal: until, redirect: 'manual' });
      const { status, headers } = response;
      this.tell({ ...sent, kind: 'answer', status, answerHeaders: headers });
      const answer: Answer = { status, headers, etag: headers.get('ETag') ?? undefined, attempts: sent.attempt };
      if (status === call.status) return { ...answer, ok: true, data: await read(response) };
      return { ...answer, ok: false, error: refusal(response, await response.text()) };
    } catch (error) {
      if (!(error instanceof UnexpectedAnswerError)) this.tell({ ...sent, kind: 'failure', error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private headersOf(call: Call, given: MatchOptions, row = ''): Record<string, string> {
    const headers = { ...HEADERS, ...Object.fromEntries(texts(call.headers)) };
    if (call.body !== undefined) headers['Content-Type'] = BODY_TYPE;
    const match = call.match && (given.ifMatch ?? (call.match === true ? this.tags.get(row) : undefined));
    if (match) headers['If-Match'] = match;
    return headers;
  }

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

  /** Remembers the last entity tag of a row, for the next request with `If-Match`. */
  private remember(row: string, etag: string | undefined): void {
    this.tags.delete(row);
    if (etag !== undefined) this.tags.set(row, etag);
    for (const oldest of this.tags.keys()) {
      if (this.tags.size <= 1000) return;
      this.tags.delete(oldest);
    }
  }
}

/** Whether a request is idempotent (RFC 9110, section 9.2.2). */
const isRepeatable = ({ method }: Call): boolean => /^(?:GET|PUT|DELETE)$/.test(method);

/** The pause before a refused request is repeated, in milliseconds; undefined if it is not repeated. */
function pauseAfter({ error, headers }: Refused, idempotent: boolean, usual: number): number | undefined {
  const again = AGAIN[error.code];
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
  try {
    const problem: Problem = JSON.parse(text);
    const code = codeIn(problem);
    if (typeof code === 'string' && Object.hasOwn(STATUS, code) && STATUS[code as C] === status)
      return { code, status, problem } as Refusal<C>;
  } catch {
    // A refusal of the service has a JSON body.
  }
  throw new UnexpectedAnswerError(response, text);
}

// Pages

/** Iterates over pages: `next` returns the changed parameters of the query for the next page. */
async function* eachPage<Page, Query extends object>(
  first: Query,
  list: (query: Query) => Promise<Result<Page>>,
  next: (page: Page, query: Query, headers: Headers) => Partial<Query> | undefined,
): AsyncGenerator<Page, void, undefined> {
  for (let query = first; ; ) {
    const result = await list(query);
    const page = unwrap(result);
    yield page;
    const place = next(page, query, result.headers);
    if (place === undefined) return;
    query = { ...query, ...place };
  }
}

// Webhooks

/** The headers of a request, as `fetch` or a server of Node.js has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** An invalid webhook. The receiver answers it with status 400, and ignores its event. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** The value of a header, which a webhook has exactly once. */
function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? [headers.get(name)]
      : Object.entries(headers).flatMap(([one, value]) => (one.toLowerCase() === name.toLowerCase() ? value : []));
  const [only] = found;
  if (typeof only !== 'string' || found.length > 1)
    throw new WebhookError(`The webhook has no header ${name}, or several`);
  return only;
}

/** Throws if a webhook was signed more than `tolerance` seconds ago, or in the future. */
function checkTime(seconds: string, tolerance: number): void {
  const signed = /^\d{1,12}$/.test(seconds) ? Number(seconds) : Number.NaN;
  // A text that is not a number gives NaN, which is not within the tolerance.
  if (!(Math.abs(Date.now() / 1000 - signed) <= tolerance))
    throw new WebhookError(`The webhook was not signed within the last ${tolerance} seconds`);
}

/** Returns the event of a webhook if one of the keys signed it. `before`: the signed text before the body. */
async function signedEvent(
  before: string,
  body: string | Uint8Array,
  signatures: ReadonlyArray<Uint8Array<ArrayBuffer>>,
  keys: ReadonlyArray<Uint8Array<ArrayBuffer>>,
): Promise<WebhookEvent> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const encoder = new TextEncoder();
  const [first, rest] = [encoder.encode(before), typeof body === 'string' ? encoder.encode(body) : body];
  const content = new Uint8Array(first.length + rest.length);
  content.set(first);
  content.set(rest, first.length);
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      // The platform compares in constant time.
      if (!(await crypto.subtle.verify('HMAC', key, signature, content))) continue;
      return JSON.parse(text);
    }
  }
  throw new WebhookError('None of the secrets matches a signature of the webhook');
}

/** Decodes base64; undefined if the text is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * Verifies the signature of a webhook (Standard Webhooks), and returns its event.
 *
 * `body` is the request body, unchanged: JSON that is parsed and serialized again may differ. While a secret is being
 * replaced, pass the old one and the new one. A webhook whose timestamp differs by more than `tolerance` seconds is
 * refused, which prevents replays; the default is 300, as in Standard Webhooks. An event may still arrive more than
 * once, with the same `webhook-id`. The `webhook-id` of a test event, which the operator of the service sends without a
 * cause, begins with `test_`.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  tolerance = 300,
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const seconds = headerOf(headers, 'webhook-timestamp');
  checkTime(seconds, tolerance);
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? (bytesOf(one.slice(3)) ?? []) : []));
  const keys = [secrets].flat().map((secret) => {
    const key = bytesOf(secret.replace(/^whsec_/, ''));
    if (!key?.length) throw new TypeError('A secret must be whsec_ followed by base64');
    return key;
  });
  return signedEvent(`${id}.${seconds}.`, body, signatures, keys);
}
