import type { Code, Problem, STATUS } from './document.ts';

/** What a call comes to: what was asked for, or the refusal of the service. Anything else is thrown. */
export type Result<Data, C extends Code = Code> = Success<Data> | Refused<C>;

/** What is told of every answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The entity tag, where the answer has one. */
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

// #if coded
/** A refusal: its code says why, and decides its status. */
export type Refusal<C extends Code = Code> = {
  [K in C]: { readonly code: K; readonly status: (typeof STATUS)[K]; readonly problem: Problem };
}[C];
// #else payload
// /** A refusal. The payload has no code of its own: the status says why. */
// export type Refusal<C extends Code = Code> = { [K in C]: { readonly status: K; readonly problem: Problem } }[C];
// #else
// /** A refusal. It has no payload: the status says why. */
// export type Refusal<C extends Code = Code> = { [K in C]: { readonly status: K } }[C];
// #end

/** The data of a success. A refusal is thrown. */
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
    // #if coded
    super(`The service refused the request: ${refused.error.code} (${refused.status})`);
    // #else
    // super(`The service refused the request: ${refused.status}`);
    // #end
    this.refusal = refused.error;
    this.answer = refused;
  }
}

/** No answer came, or it broke off. Whether the request was done is not known. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly attempts: number;
  /** The key of the request, where it had one: with it, the request can be sent later without being done twice. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, attempts: number, idempotencyKey: string | undefined, cause: unknown) {
    super(message, { cause });
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }
}

/** An answer that the service does not give: another program answered, or the service is another version. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(response: Response, text: string) {
    super(`The answer is not the service’s: status ${response.status}`);
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
  }
}
