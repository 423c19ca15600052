import type { Code, Problem, STATUS } from './document.ts';

/** The result of a call: the data, or the refusal of the service. A call throws other failures. */
export type Result<Data, C extends Code = Code> = Success<Data> | Refused<C>;

// #if several
/** The result of a call with several successes: `status` tells the type of `data`. */
export type Answered<Data, C extends Code = Code> =
  | { [S in keyof Data]: Success<Data[S]> & { readonly status: S } }[keyof Data]
  | Refused<C>;

// #end
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

// #if coded
/** A refusal. Its code names the reason, and determines the status. */
export type Refusal<C extends Code = Code> = {
  [K in C]: { readonly code: K; readonly status: (typeof STATUS)[K]; readonly problem: Problem };
}[C];
// #else payload
// /** A refusal. The payload has no code, so the status names the reason. */
// export type Refusal<C extends Code = Code> = { [K in C]: { readonly status: K; readonly problem: Problem } }[C];
// #else
// /** A refusal. It has no payload, so the status names the reason. */
// export type Refusal<C extends Code = Code> = { [K in C]: { readonly status: K } }[C];
// #end

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
    // #if coded
    super(`The service refused the request: ${refused.error.code} (${refused.status})`);
    // #else
    // super(`The service refused the request: ${refused.status}`);
    // #end
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
